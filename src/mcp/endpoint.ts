// The MCP endpoint on the main thread: tokens, each standing for one session of Cursor's, and their requests.
// A token is the only key to its tools: it stands in no log, label or error text.
import type { ClientToolCall, ClientTools, ToolContact } from '../core/client-tools.ts'
import type { ToolDefinition } from '../core/turn.ts'
import { loadConnections, notFound, type SessionSettings, ToolSession } from './session.ts'

export interface EndpointSettings extends SessionSettings {
  /** How long a request waits for its token to be opened: the worker's message may come after it. */
  readonly openMs: number
}

/** Source: design: progress every 10 s. */
const STANDARD: EndpointSettings = { progressMs: 10_000, listenerMs: 1_000, openMs: 1_000 }

const MOST_PAST = 256

export class McpEndpoint implements ClientTools {
  readonly #settings: EndpointSettings
  readonly #sessions = new Map<string, ToolSession>()
  readonly #expected = new Map<string, Set<() => void>>()
  /** How far those that are gone had come: a child may be gone before anybody asks. Oldest first. */
  readonly #past = new Map<string, ToolContact>()

  constructor(settings: Partial<EndpointSettings> = {}) {
    this.#settings = { ...STANDARD, ...settings }
  }

  /** How many tokens are open. */
  get size(): number {
    return this.#sessions.size
  }

  tokens(): string[] {
    return [...this.#sessions.keys()]
  }

  open(token: string, tools: readonly ToolDefinition[]): void {
    this.close(token)
    // The library takes a while to load; Cursor's own start takes longer.
    loadConnections()
    this.#sessions.set(token, new ToolSession(tools, this.#settings))
    for (const go of this.#expected.get(token) ?? []) go()
  }

  close(token: string): void {
    const session = this.#sessions.get(token)
    if (session === undefined) return
    this.#sessions.delete(token)
    this.#remember(token, session.contact)
    session.close()
  }

  offer(token: string, tools: readonly ToolDefinition[]): void {
    this.#sessions.get(token)?.offer(tools)
  }

  listen(token: string, onCall: ((call: ClientToolCall) => void) | undefined): void {
    this.#sessions.get(token)?.listen(onCall)
  }

  contact(token: string): ToolContact {
    return this.#sessions.get(token)?.contact ?? this.#past.get(token) ?? 'none'
  }

  isUpToDate(token: string): boolean {
    return this.#sessions.get(token)?.isUpToDate ?? false
  }

  /** Never rejects for what a client can do wrong. Its request's signal must say when the client is gone. */
  async fetch(request: Request, token: string): Promise<Response> {
    const session = this.#sessions.get(token) ?? (await this.#opened(token))
    return session === undefined ? notFound() : session.fetch(request)
  }

  /** Gives up everything. */
  closeAll(): void {
    for (const token of this.#sessions.keys()) this.close(token)
  }

  #remember(token: string, contact: ToolContact): void {
    this.#past.set(token, contact)
    const [oldest] = this.#past.keys()
    if (this.#past.size > MOST_PAST && oldest !== undefined) this.#past.delete(oldest)
  }

  async #opened(token: string): Promise<ToolSession | undefined> {
    const waiting = this.#expected.get(token) ?? new Set()
    this.#expected.set(token, waiting)
    await new Promise<void>((resolve) => {
      const go = (): void => {
        clearTimeout(timer)
        waiting.delete(go)
        resolve()
      }
      const timer = setTimeout(go, this.#settings.openMs)
      waiting.add(go)
    })
    if (waiting.size === 0) this.#expected.delete(token)
    return this.#sessions.get(token)
  }
}
