// ACP mode: a process that serves sessions over stdio until its stdin ends. Methods and their refusals; Source of all
// shapes and codes, where not said otherwise: probes of 2026.08.11 and host integrations of 2026.07 to 2026.10.
import { type JsonObject, objectAt } from '../lib/json.ts'
import { FirstChoice } from './acp-first-choice.ts'
import { authenticate, requireAcpLogin } from './acp-login.ts'
import { AcpSessions } from './acp-sessions.ts'
import { AcpTurns } from './acp-turns.ts'
import { type Answered, answer, type Call, RpcError, readLine, refuse } from './acp-wire.ts'
import { isEffect } from './effects.ts'
import { pause } from './life.ts'
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
  readonly #program: Program
  readonly #first: FirstChoice
  readonly #sessions: AcpSessions
  readonly #turns: AcpTurns

  constructor(program: Program, script: Script | undefined) {
    this.#program = program
    this.#first = new FirstChoice(program)
    this.#sessions = new AcpSessions(program, this.#first)
    this.#turns = new AcpTurns(program, script)
  }

  get staysUp(): boolean {
    return this.#turns.staysUp
  }

  start(): Promise<void> {
    return this.#turns.startUp()
  }

  checkFlags(): void {
    this.#first.checkFlags()
  }

  async serve(call: Call): Promise<void> {
    const { method, params, id } = call
    if (id === undefined) {
      if (method === 'session/cancel') this.#turns.cancel(params)
      return
    }
    try {
      const before = await this.#turns.before(method, params)
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

  async #result(method: string, params: JsonObject): Promise<Answered> {
    switch (method) {
      case 'initialize':
        return { answer: this.#initialize(params) }
      case 'authenticate':
        return { answer: authenticate(this.#program) }
      case 'session/new':
        return this.#sessions.open(params)
      case 'session/load':
        return this.#sessions.load(params)
      case 'session/list':
        return { answer: { sessions: this.#sessions.list() } }
      case 'session/prompt':
        requireAcpLogin(this.#program)
        return this.#turns.prompt(this.#sessions.of(params), params)
      case 'session/set_mode':
        return { answer: this.#sessions.setMode(params) }
      case 'session/set_model':
        return { answer: this.#sessions.setModel(params) }
      case 'session/set_config_option':
        return { answer: this.#sessions.setOption(params) }
      case 'cursor/list_available_models':
        requireAcpLogin(this.#program)
        return { answer: { models: this.#first.words.offers } }
      default:
        // session/resume, session/fork, session/close among them.
        throw new RpcError(-32601, 'Method not found', { method })
    }
  }

  #initialize(params: JsonObject): JsonObject {
    const client = objectAt(params, 'clientCapabilities') ?? {}
    this.#first.speak(objectAt(client, '_meta')?.parameterizedModelPicker === true)
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
}
