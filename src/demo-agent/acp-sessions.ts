// The sessions of an ACP process: opened, loaded, listed, set to a model and a mode. Knows no prompts.
// Sources as in acp.ts.
import { resolve } from 'node:path'
import { arrayAt, isObject, type JsonObject, stringAt } from '../lib/json.ts'
import type { FirstChoice } from './acp-first-choice.ts'
import { requireAcpLogin } from './acp-login.ts'
import {
  chooseModel,
  configOptions,
  described,
  invalid,
  type Session,
  setMode,
  setOption,
} from './acp-session.ts'
import { type Answered, notify, type RpcError } from './acp-wire.ts'
import { pause } from './life.ts'
import { uuid } from './lines.ts'
import type { McpTools } from './mcp.ts'
import type { Program } from './print.ts'

export class AcpSessions {
  readonly #program: Program
  readonly #first: FirstChoice
  readonly #sessions = new Map<string, Session>()

  constructor(program: Program, first: FirstChoice) {
    this.#program = program
    this.#first = first
  }

  async open(params: JsonObject): Promise<Answered> {
    const cwd = this.#place(params)
    requireAcpLogin(this.#program)
    await pause(this.#program.settings.sessionMs)
    const shared = this.#program.settings.quirks.has('shared-settings')
    const choice = shared ? this.#first.choice : structuredClone(this.#first.choice)
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
      answer: described(session, this.#first.words),
      after: () => notify('session/update', { sessionId: session.id, update }),
    }
  }

  async load(params: JsonObject): Promise<Answered> {
    const cwd = this.#place(params)
    requireAcpLogin(this.#program)
    const session = this.of(params)
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
    const { sessionId: _id, ...rest } = described(session, this.#first.words)
    return { answer: rest }
  }

  list(): readonly JsonObject[] {
    return [...this.#sessions.values()]
      .filter(({ prompted }) => prompted)
      .map(({ id, cwd, history }) => ({
        sessionId: id,
        cwd,
        title: history[0]?.prompt.slice(0, 40) ?? '',
      }))
  }

  /** The session that the call is about. @throws RpcError for one that is not here. */
  of(params: JsonObject): Session {
    const id = stringAt(params, 'sessionId') ?? ''
    const session = this.#sessions.get(id)
    if (session === undefined) throw missing(id)
    return session
  }

  setMode(params: JsonObject): JsonObject {
    const session = this.of(params)
    setMode(session.choice, stringAt(params, 'modeId') ?? '')
    this.#wasSet(session, 'mode', session.choice.mode)
    return {}
  }

  setModel(params: JsonObject): JsonObject {
    const session = this.of(params)
    const model = stringAt(params, 'modelId') ?? ''
    const onlyAuto = this.#program.settings.quirks.has('set-model-auto-only')
    const { words } = this.#first
    if (!onlyAuto || model.startsWith('default')) chooseModel(session.choice, model, words)
    this.#wasSet(session, 'model', model)
    return {}
  }

  /** Source: a host's report of 2026: the answer may still show the old value of what was just set. Here always. */
  setOption(params: JsonObject): JsonObject {
    const session = this.of(params)
    const id = stringAt(params, 'configId')
    const value = stringAt(params, 'value')
    if (id === undefined || value === undefined) throw invalid('Invalid params')
    const { words } = this.#first
    const stale = configOptions(session.choice, words)
    setOption(session.choice, id, value, words)
    this.#wasSet(session, id, value)
    const fresh = configOptions(session.choice, words)
    const old = new Map(stale.map((one) => [one.id, one]))
    return { configOptions: fresh.map((one) => (one.id === id ? (old.get(id) ?? one) : one)) }
  }

  #wasSet(session: Session, option: string, value: string): void {
    this.#program.journal.fact('set', { session: session.id, option, value })
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

  #chunk(session: Session, sessionUpdate: string, text: string): Promise<void> | undefined {
    const update = { sessionUpdate, content: { type: 'text', text } }
    return notify('session/update', { sessionId: session.id, update })
  }
}

const missing = (id: string): RpcError => invalid(`Session "${id}" not found`)
