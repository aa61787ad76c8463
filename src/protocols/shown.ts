// What of a run a client gets to see, the same for every wire: hides what is switched off, drops what is empty or
// double, ties a tool's end to its start, and settles how the reply finished. Knows no wire format.
import type {
  AgentEvent,
  Failure,
  Finish,
  FinishReason,
  ReplyUsage,
  ToolEnd,
  ToolStart,
} from '../core/events.ts'
import { assertNever } from '../core/events.ts'
import type { CallId } from '../core/ids.ts'
import type { Turn } from '../core/turn.ts'
import type { ReplyContext } from './protocol.ts'

export type Shown =
  | Extract<AgentEvent, { type: 'text-delta' | 'thinking-delta' | 'thinking-end' }>
  /** The client must run this call. Each id comes once. */
  | { readonly type: 'client-call'; readonly call: ToolStart }
  /** Cursor runs this call itself; a `cursor-result` with the same start follows unless the run ends first. */
  | { readonly type: 'cursor-call'; readonly call: ToolStart }
  | { readonly type: 'cursor-result'; readonly call: ToolStart; readonly end: ToolEnd }
  | ShownFinish
  | Failure

export interface ShownFinish {
  readonly type: 'finish'
  /** `tool-calls` exactly when a client call was shown (a cut by length or stop sequence is kept). */
  readonly reason: FinishReason
  readonly usage: ReplyUsage
}

/** One reply's filter. Stateful, single use; O(1) per event; never throws whatever the order of events. */
export class Shows {
  readonly #thinking: boolean
  readonly #cursorTools: boolean
  readonly #inputTokens: number
  readonly #clientCalls = new Set<CallId>()
  readonly #openCursorCalls = new Map<CallId, ToolStart>()
  #ended = false

  constructor(turn: Turn, context: ReplyContext) {
    // A client that switched thinking off does not expect such blocks (many read only the first block).
    this.#thinking = turn.thinking !== false
    this.#cursorTools = context.showTools
    this.#inputTokens = context.inputTokens
  }

  /** True after the terminal event: nothing may follow it. */
  get ended(): boolean {
    return this.#ended
  }

  /** The visible form of `event`, undefined when the client is to see nothing of it. */
  show(event: AgentEvent): Shown | undefined {
    if (this.#ended) return undefined
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? undefined : event
      case 'thinking-delta':
        return event.text === '' || !this.#thinking ? undefined : event
      case 'thinking-end':
        return this.#thinking ? event : undefined
      case 'tool-start':
        return event.host === 'client' ? this.#clientCall(event) : this.#cursorCall(event)
      case 'tool-end':
        return this.#cursorResult(event)
      case 'started':
      case 'activity':
      case 'unknown':
        return undefined
      case 'finish':
        this.#ended = true
        return this.#finish(event)
      case 'failure':
        this.#ended = true
        return event
      default:
        return assertNever(event)
    }
  }

  #clientCall(call: ToolStart): Shown | undefined {
    if (this.#clientCalls.has(call.callId)) return undefined
    this.#clientCalls.add(call.callId)
    return { type: 'client-call', call }
  }

  #cursorCall(call: ToolStart): Shown | undefined {
    if (!this.#cursorTools || this.#openCursorCalls.has(call.callId)) return undefined
    this.#openCursorCalls.set(call.callId, call)
    return { type: 'cursor-call', call }
  }

  #cursorResult(end: ToolEnd): Shown | undefined {
    const call = this.#openCursorCalls.get(end.callId)
    if (call === undefined) return undefined
    this.#openCursorCalls.delete(end.callId)
    return { type: 'cursor-result', call, end }
  }

  #finish(event: Finish): ShownFinish {
    const cut = event.reason === 'length' || event.reason === 'stop-sequence'
    const ended = this.#clientCalls.size > 0 ? 'tool-calls' : 'stop'
    return {
      type: 'finish',
      reason: cut ? event.reason : ended,
      usage: event.usage ?? { input: this.#inputTokens, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
  }
}
