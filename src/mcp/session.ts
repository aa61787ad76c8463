// What one token stands for: the tools offered to a session of Cursor's, its connections, and its calls that wait.
import { randomUUID } from 'node:crypto'
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import type { ClientToolCall, ClientToolResult, ToolContact } from '../core/client-tools.ts'
import { type ToolNames, toolNames } from '../core/tool-names.ts'
import type { Json, ToolDefinition } from '../core/turn.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { AskedCall, Connection } from './connection.ts'
import { callResult, errorResult, toolList } from './wire.ts'

export interface SessionSettings {
  readonly progressMs: number
  /** How long a call waits for a listener: the news that the prompt is on its way may be slower than the call. */
  readonly listenerMs: number
}

type Listener = (call: ClientToolCall) => void

const CONTACTS: readonly ToolContact[] = ['none', 'initialized', 'listed', 'called']
/** A client that reconnects without closing what it had. */
const MOST_CONNECTIONS = 8

export class ToolSession {
  #names: ToolNames
  #contact: ToolContact = 'none'
  #listener: Listener | undefined
  #heard: (() => void)[] = []
  #isClosed = false
  /** The tools as Cursor listed them last. */
  #listed: ToolNames | undefined
  readonly #connections = new Set<Connection>()
  readonly #settings: SessionSettings

  constructor(tools: readonly ToolDefinition[], settings: SessionSettings) {
    this.#names = toolNames(tools)
    this.#settings = settings
  }

  get contact(): ToolContact {
    return this.#contact
  }

  get isUpToDate(): boolean {
    return this.#listed === this.#names
  }

  listen(listener: Listener | undefined): void {
    this.#listener = listener
    if (listener === undefined) return
    const waiting = this.#heard
    this.#heard = []
    for (const go of waiting) go()
  }

  offer(tools: readonly ToolDefinition[]): void {
    this.#names = toolNames(tools)
    for (const connection of this.#connections) {
      // Its stream may just have been cut: it lists anew when it is back.
      connection.toolsChanged().catch(ignore)
    }
  }

  async fetch(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    if (id !== null) {
      const known = [...this.#connections].find((connection) => connection.id() === id)
      // Source: MCP, transports: a client that gets 404 for its session starts a new one.
      return known === undefined ? notFound() : known.fetch(request)
    }
    const connection = await this.#connect()
    const response = await connection.fetch(request)
    // It was no initialisation.
    if (connection.id() === undefined) await connection.close()
    return response
  }

  close(): void {
    this.#isClosed = true
    this.listen(undefined)
    for (const go of this.#heard.splice(0)) go()
    for (const connection of this.#connections) void connection.close()
  }

  async #connect(): Promise<Connection> {
    const { openConnection } = await library()
    const [oldest] = this.#connections
    if (oldest !== undefined && this.#connections.size >= MOST_CONNECTIONS) await oldest.close()
    let connection: Connection | undefined
    connection = await openConnection({
      tools: () => {
        this.#reached('listed')
        this.#listed = this.#names
        return toolList(this.#names)
      },
      call: (asked) => this.#call(asked),
      onInitialized: () => this.#reached('initialized'),
      onClosed: () => {
        if (connection !== undefined) this.#connections.delete(connection)
      },
      progressMs: this.#settings.progressMs,
    })
    this.#connections.add(connection)
    if (this.#isClosed) await connection.close()
    return connection
  }

  #reached(contact: ToolContact): void {
    if (CONTACTS.indexOf(contact) > CONTACTS.indexOf(this.#contact)) this.#contact = contact
  }

  async #call(asked: AskedCall): Promise<CallToolResult> {
    const arrivedAtMs = monotonicMs()
    this.#reached('called')
    const tool = this.#names.find(asked.name)
    if (tool === undefined) return errorResult(this.#unknown(asked.name))
    const listener = await this.#untilHeard(asked.signal)
    if (listener === undefined) {
      return errorResult('Nobody can answer this call now: the turn it belongs to is over.')
    }
    if (asked.signal.aborted) return errorResult('The call was cancelled.')
    return waiting(listener, {
      id: randomUUID(),
      name: tool.name,
      arguments: asJson(asked.arguments),
      arrivedAtMs,
      signal: asked.signal,
    })
  }

  async #untilHeard(signal: AbortSignal): Promise<Listener | undefined> {
    if (this.#listener !== undefined || this.#isClosed) return this.#listener
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, this.#settings.listenerMs)
      const go = (): void => {
        clearTimeout(timer)
        resolve()
      }
      signal.addEventListener('abort', go, { once: true })
      this.#heard.push(go)
    })
    return this.#listener
  }

  #unknown(name: string): string {
    const known = this.#names.offered.map(({ offered }) => offered)
    const list = known.length === 0 ? 'there are none' : known.join(', ')
    return `There is no tool ${JSON.stringify(name.slice(0, 100))}. The tools are: ${list}.`
  }
}

const library = () => import('./connection.ts')

/** Ahead of need; whoever needs it sees what goes wrong. */
export function loadConnections(): void {
  library().catch(ignore)
}

/** Hands the call out and waits: for ever, unless Cursor gives it up. */
function waiting(
  listener: Listener,
  facts: Omit<ClientToolCall, 'answer'>,
): Promise<CallToolResult> {
  return new Promise((resolve) => {
    let isOver = false
    const end = (result: CallToolResult): boolean => {
      if (isOver) return false
      isOver = true
      resolve(result)
      return true
    }
    facts.signal.addEventListener('abort', () => end(errorResult('The call was cancelled.')), {
      once: true,
    })
    listener({ ...facts, answer: (result: ClientToolResult) => end(callResult(result)) })
  })
}

/** It came out of JSON.parse; the SDK's types say `unknown`. */
function asJson(value: unknown): Json {
  const parsed: Json = JSON.parse(JSON.stringify(value ?? {}))
  return parsed
}

export function notFound(): Response {
  const error = { code: -32001, message: 'Session not found' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 })
}

function ignore(): void {
  // Deliberately empty.
}
