// ACP mode: a process that serves sessions over stdio until its stdin ends. Methods and their refusals; Source of all
// shapes and codes, where not said otherwise: probes of 2026.08.11 and host integrations of 2026.07 to 2026.10.
import { resolve } from 'node:path'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../lib/json.ts'
import { toAcp, type Vocabulary, vocabularyOf } from './acp-models.ts'
import {
  type Choice,
  chooseModel,
  configOptions,
  described,
  invalid,
  type Session,
  setMode,
  setOption,
} from './acp-session.ts'
import { readPrompt, Turn } from './acp-turn.ts'
import { answer, type Call, notify, RpcError, readLine, refuse } from './acp-wire.ts'
import { isEffect } from './effects.ts'
import { findFolders, requireLogin, writeWorkerLog } from './home.ts'
import { pause } from './life.ts'
import { uuid } from './lines.ts'
import type { McpTools } from './mcp.ts'
import { findModel, listedModels, storeModel } from './models.ts'
import { prepareOutput } from './pipes.ts'
import type { Program } from './print.ts'
import { Refused } from './refusal.ts'
import { loadScript, type Script } from './script.ts'

/** Never resolves before stdin ends. @throws Refused for what the CLI refuses at start. */
export async function runAcp(program: Program): Promise<void> {
  const { settings, journal } = program
  prepareOutput()
  const script = settings.script === undefined ? undefined : loadScript(settings.script, isEffect)
  const server = new AcpServer(program, script)
  await server.start()
  await pause(settings.bootMs - performance.now())
  server.checkFlags()
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const call = readLine(line)
      if (call !== undefined) void server.serve(call)
    }
  })
  // Source: a host's report of 2026: closing stdin ends it cleanly.
  const end = (): void => {
    if (!server.staysUp) void program.life.leave(0)
  }
  process.stdin.once('end', end).once('close', end).on('error', end)
  journal.fact('acp', { atMs: Date.now() })
}

class AcpServer {
  staysUp = false
  readonly #program: Program
  readonly #script: Script | undefined
  readonly #sessions = new Map<string, Session>()
  readonly #turns = new Map<string, { turn: Turn; ended: Promise<string> }>()
  #choice: Choice = { mode: 'agent', model: 'default', values: {} }
  #words: Vocabulary = vocabularyOf([], false)

  constructor(program: Program, script: Script | undefined) {
    this.#program = program
    this.#script = script
  }

  async start(): Promise<void> {
    const turn = this.#turn({ id: '', cwd: process.cwd() }, '')
    await turn.run(this.#script?.startup ?? [])
  }

  /** Source: a host's report of 2026: a stale model id makes the process exit 1 with print mode's line. */
  checkFlags(): void {
    const { settings, env } = this.#program
    const folders = findFolders(env, this.#flag('data-dir'))
    writeWorkerLog(folders, process.cwd(), settings.quirks)
    this.#speak(false)
    const id = this.#flag('model')
    if (id === undefined) return
    const model = findModel(id, settings.modelsFile)
    if (model === undefined) {
      const known = listedModels(settings.modelsFile).map((entry) => entry.id)
      throw new Refused(`Cannot use this model: ${id}. Available models: ${known.join(', ')}`)
    }
    storeModel(folders, model, settings.quirks)
    const mode = this.#flag('mode')
    if (mode !== undefined) this.#choice.mode = mode
  }

  async serve(call: Call): Promise<void> {
    const { method, params, id } = call
    if (id === undefined) {
      if (method === 'session/cancel') this.#cancel(params)
      return
    }
    try {
      const before = await this.#before(method, params)
      const result = await this.#result(method, params)
      await answer(id, { ...result.answer, ...before })
      await result.after?.()
    } catch (error) {
      if (error instanceof Refused) return void (await this.#crash(error))
      if (!(error instanceof RpcError)) throw error
      await refuse(id, error)
    }
  }

  /** A mistake in the script shows as an exit, as in print mode. */
  async #crash(error: Refused): Promise<never> {
    process.stderr.write(`${error.message}\n`)
    return this.#program.life.leave(error.exitCode)
  }

  /** Scripted steps before a method's answer, and the fields they give it. */
  async #before(method: string, params: JsonObject): Promise<JsonObject> {
    const steps = this.#script?.before(method) ?? []
    if (steps.length === 0) return {}
    const turn = this.#turn({ id: stringAt(params, 'sessionId') ?? '', cwd: process.cwd() }, '')
    await turn.run(steps)
    return turn.fields
  }

  async #result(method: string, params: JsonObject): Promise<Answered> {
    switch (method) {
      case 'initialize':
        return { answer: this.#initialize(params) }
      case 'authenticate':
        return { answer: this.#authenticate() }
      case 'session/new':
        return this.#open(params)
      case 'session/load':
        return this.#load(params)
      case 'session/list':
        return { answer: { sessions: this.#list() } }
      case 'session/prompt':
        return this.#prompt(params)
      case 'session/set_mode':
        return { answer: this.#setMode(params) }
      case 'session/set_model':
        return { answer: this.#setModel(params) }
      case 'session/set_config_option':
        return { answer: this.#setOption(params) }
      case 'cursor/list_available_models':
        this.#requireLogin()
        return { answer: { models: this.#words.offers } }
      default:
        // session/resume, session/fork, session/close among them.
        throw new RpcError(-32601, 'Method not found', { method })
    }
  }

  #initialize(params: JsonObject): JsonObject {
    const client = objectAt(params, 'clientCapabilities') ?? {}
    this.#speak(objectAt(client, '_meta')?.parameterizedModelPicker === true)
    return {
      protocolVersion: 1,
      agentCapabilities: {
        loadSession: !this.#program.settings.quirks.has('no-session-load'),
        mcpCapabilities: { http: true, sse: true },
        promptCapabilities: { audio: false, embeddedContext: false, image: true },
        sessionCapabilities: { list: {} },
      },
      authMethods: [
        { id: 'cursor_login', name: 'Cursor Login', description: 'Sign in with Cursor' },
      ],
    }
  }

  /** Chooses the model vocabulary and puts the flag's model into its words. */
  #speak(parameterized: boolean): void {
    const { settings } = this.#program
    const wants = parameterized && !settings.quirks.has('bracket-models')
    const listed = listedModels(settings.modelsFile)
    this.#words = vocabularyOf(listed, wants)
    const model = listed.find(({ id }) => id === (this.#flag('model') ?? 'auto'))
    const offered = model === undefined ? undefined : this.#words.idOf(model)
    const fallback = this.#words.offers[0]?.modelId
    if (offered === undefined && fallback === undefined) return
    chooseModel(this.#choice, offered ?? fallback ?? '', this.#words)
    if (!wants || model === undefined) return
    for (const [id, value] of Object.entries(toAcp(model).parameters)) {
      setOption(this.#choice, id, value, this.#words)
    }
  }

  #authenticate(): JsonObject {
    const { login } = this.#program.settings
    if (login !== 'missing') return {}
    // Source: a probe of 2026: the URL of the browser flow in `data.message`.
    throw invalid('Invalid params', { message: 'Open https://cursor.com/loginDeepControl?demo=1' })
  }

  #requireLogin(): void {
    const { settings, env } = this.#program
    const folders = findFolders(env, this.#flag('data-dir'))
    const [apiKeyFlag, tokenFlag] = [this.#flag('api-key'), this.#flag('auth-token')]
    try {
      requireLogin({ login: settings.login, env, folders, apiKeyFlag, tokenFlag })
    } catch (error) {
      if (!(error instanceof Refused)) throw error
      if (!/invalid/iu.test(error.message)) throw new RpcError(-32000, 'Authentication required')
      const data = { message: 'Failed to initialize session services' }
      throw new RpcError(-32603, 'Internal error', data)
    }
  }

  async #open(params: JsonObject): Promise<Answered> {
    const cwd = this.#place(params)
    this.#requireLogin()
    await pause(this.#program.settings.sessionMs)
    const shared = this.#program.settings.quirks.has('shared-settings')
    const choice = shared ? this.#choice : structuredClone(this.#choice)
    const id = uuid()
    const mcp = await this.#connect(params, id)
    const session: Session = { id, cwd, choice, history: [], prompted: false, mcp }
    this.#sessions.set(session.id, session)
    this.#program.journal.fact('session', {
      session: session.id,
      cwd,
      how: 'new',
      ...this.#mcp(params),
    })
    const update = { sessionUpdate: 'available_commands_update', availableCommands: [] }
    return {
      answer: described(session, this.#words),
      after: () => notify('session/update', { sessionId: session.id, update }),
    }
  }

  async #load(params: JsonObject): Promise<Answered> {
    const cwd = this.#place(params)
    this.#requireLogin()
    const session = this.#session(params)
    if (!session.prompted) throw missing(session.id)
    await pause(this.#program.settings.sessionMs)
    // Source: probes: any folder is accepted, and silently becomes the session's.
    session.cwd = cwd
    session.mcp = await this.#connect(params, session.id)
    this.#program.journal.fact('session', {
      session: session.id,
      cwd,
      how: 'load',
      ...this.#mcp(params),
    })
    for (const { prompt, text } of session.history) {
      await this.#chunk(session, 'user_message_chunk', prompt)
      await this.#chunk(session, 'agent_message_chunk', text)
    }
    const { sessionId: _id, ...rest } = described(session, this.#words)
    return { answer: rest }
  }

  #chunk(session: Session, sessionUpdate: string, text: string): Promise<void> | undefined {
    const update = { sessionUpdate, content: { type: 'text', text } }
    return notify('session/update', { sessionId: session.id, update })
  }

  #list(): readonly JsonObject[] {
    return [...this.#sessions.values()]
      .filter(({ prompted }) => prompted)
      .map(({ id, cwd, history }) => ({
        sessionId: id,
        cwd,
        title: history[0]?.prompt.slice(0, 40) ?? '',
      }))
  }

  async #prompt(params: JsonObject): Promise<Answered> {
    this.#requireLogin()
    const session = this.#session(params)
    const blocks = arrayAt(params, 'prompt')
    if (blocks === undefined) throw invalid('Invalid params')
    const { text, images } = readPrompt(blocks)
    const before = this.#turns.get(session.id)
    const bytes = Buffer.byteLength(text)
    const { model, mode, values } = session.choice
    this.#program.journal.fact('prompt', {
      session: session.id,
      prompt: text,
      bytes,
      images,
      cwd: session.cwd,
      model,
      values,
      mode,
      steering: before !== undefined,
      atMs: Date.now(),
    })
    session.prompted = true
    // Source: a host's report of 2026: a second prompt steers the first. Assumed: both end together.
    if (before !== undefined) return { answer: { stopReason: await before.ended } }
    const turn = this.#turn(session, text)
    const ended = turn.run(await this.#steps(session, text))
    this.#turns.set(session.id, { turn, ended })
    try {
      const stopReason = await ended
      session.history.push({ prompt: text, text: turn.text })
      return { answer: { stopReason, ...turn.fields }, after: () => turn.afterwards() }
    } finally {
      this.#turns.delete(session.id)
    }
  }

  async #steps(session: Session, prompt: string): Promise<readonly JsonObject[]> {
    const { settings } = this.#program
    if (this.#script !== undefined) return this.#script.choose(prompt)
    const { builtIn } = await import('./built-in.ts')
    const { model, values } = session.choice
    const thinks = values.thinking === 'true' || model.includes('thinking=true')
    return builtIn({
      prompt,
      modelId: thinks && !model.includes('thinking') ? `${model}-thinking` : model,
      partial: true,
      tools: session.mcp?.list() ?? [],
      earlierTurns: session.history.length,
      refusedFlag: undefined,
      sessionId: session.id,
      nowMs: Date.now(),
      paceMs: settings.paceMs,
    })
  }

  #cancel(params: JsonObject): void {
    const session = stringAt(params, 'sessionId') ?? ''
    this.#program.journal.fact('cancel', { session, atMs: Date.now() })
    this.#turns.get(session)?.turn.cancel()
  }

  #setMode(params: JsonObject): JsonObject {
    const session = this.#session(params)
    setMode(session.choice, stringAt(params, 'modeId') ?? '')
    this.#wasSet(session, 'mode', session.choice.mode)
    return {}
  }

  #setModel(params: JsonObject): JsonObject {
    const session = this.#session(params)
    const model = stringAt(params, 'modelId') ?? ''
    const onlyAuto = this.#program.settings.quirks.has('set-model-auto-only')
    if (!onlyAuto || model.startsWith('default')) chooseModel(session.choice, model, this.#words)
    this.#wasSet(session, 'model', model)
    return {}
  }

  /** Source: a host's report of 2026: the answer may still show the old value of what was just set. Here always. */
  #setOption(params: JsonObject): JsonObject {
    const session = this.#session(params)
    const id = stringAt(params, 'configId')
    const value = stringAt(params, 'value')
    if (id === undefined || value === undefined) throw invalid('Invalid params')
    const stale = configOptions(session.choice, this.#words)
    setOption(session.choice, id, value, this.#words)
    this.#wasSet(session, id, value)
    const fresh = configOptions(session.choice, this.#words)
    const old = new Map(stale.map((one) => [one.id, one]))
    return { configOptions: fresh.map((one) => (one.id === id ? (old.get(id) ?? one) : one)) }
  }

  #wasSet(session: Session, option: string, value: string): void {
    this.#program.journal.fact('set', { session: session.id, option, value })
  }

  #session(params: JsonObject): Session {
    const id = stringAt(params, 'sessionId') ?? ''
    const session = this.#sessions.get(id)
    if (session === undefined) throw missing(id)
    return session
  }

  #place(params: JsonObject): string {
    const cwd = stringAt(params, 'cwd')
    const servers = arrayAt(params, 'mcpServers')
    if (cwd !== undefined && servers !== undefined) return resolve(cwd)
    // Source: probes: `data` may be a list of schema issues.
    const path = cwd === undefined ? 'cwd' : 'mcpServers'
    throw invalid('Invalid params', [{ code: 'invalid_type', path: [path], message: 'Required' }])
  }

  /** Source: a probe of 2026.08.11: contacted while the session is opened. Loads the MCP client only where it is needed. */
  async #connect(params: JsonObject, session: string): Promise<McpTools | undefined> {
    const { settings, journal } = this.#program
    const list = arrayAt(params, 'mcpServers') ?? []
    if (list.length === 0 || settings.quirks.has('ignores-mcp')) return undefined
    const { handedServers } = await import('./mcp-servers.ts')
    const { openMcp } = await import('./mcp.ts')
    return openMcp(handedServers(list), {
      journal,
      relists: !settings.quirks.has('no-relist'),
      session,
    })
  }

  #mcp(params: JsonObject): JsonObject {
    const names = (arrayAt(params, 'mcpServers') ?? []).filter(isObject)
    return names.length === 0 ? {} : { mcpServers: names.map((server) => stringAt(server, 'name')) }
  }

  #turn(session: Pick<Session, 'id' | 'cwd'> & Partial<Session>, prompt: string): Turn {
    const { settings, journal, life, arguments: given } = this.#program
    return new Turn({
      session: { id: session.id, cwd: session.cwd, mcp: session.mcp },
      configFolder: findFolders(this.#program.env, this.#flag('data-dir')).config,
      prompt,
      scriptFolder: this.#script?.folder ?? session.cwd,
      journal,
      life,
      forced: given.options.has('force') || given.options.has('yolo'),
      thinkMs: prompt === '' ? 0 : settings.thinkMs,
      onStaysUp: () => {
        this.staysUp = true
        setInterval(() => {}, 2 ** 30)
      },
    })
  }

  #flag(name: string): string | undefined {
    return this.#program.arguments.options.get(name)?.at(-1)
  }
}

interface Answered {
  readonly answer: JsonObject
  /** What follows the answer. */
  readonly after?: () => Promise<void> | undefined
}

const missing = (id: string): RpcError => invalid(`Session "${id}" not found`)
