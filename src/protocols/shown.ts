// What of a run a client gets to see, the same for every wire: hides what is switched off, drops what is empty or
// double, ties a tool's end to its start, ends calls that never ended, and settles how the reply finished. Knows no wire
// format.
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
  /** Cursor runs this call itself; exactly one `cursor-result` with the same start follows before the terminal event. */
  | { readonly type: 'cursor-call'; readonly call: ToolStart }
  | { readonly type: 'cursor-result'; readonly call: ToolStart; readonly end: ToolEnd }
  | ShownFinish
  | Failure

export interface ShownFinish {
  readonly type: 'finish'
  /** `tool-calls` exactly when a client call was shown (a cut by length or stop sequence is kept). */
  readonly reason: FinishReason
  readonly stopSequence: string | null
  readonly usage: ReplyUsage
}

const NOTHING: readonly Shown[] = []

/** How a sub-agent is called: by the name of the client's own tool for it, where the request offers that one. */
const SUBAGENT = { kind: 'task', clientName: 'Agent' } as const

const UNFINISHED = {
  type: 'tool-end',
  isError: true,
  outcome: 'unfinished',
  summary: 'The run ended before this call did',
  durationMs: undefined,
} as const

/** One reply's filter. Stateful, single use; O(1) per event; never throws whatever the order of events. */
export class Shows {
  readonly #thinking: boolean
  readonly #cursorTools: boolean
  readonly #clientHasAgent: boolean
  readonly #inputTokens: number
  readonly #clientCalls = new Set<CallId>()
  /** Every call shown so far: ids on a wire must not come twice. */
  readonly #cursorCalls = new Set<CallId>()
  readonly #openCursorCalls = new Map<CallId, ToolStart>()
  #ended = false

  constructor(turn: Turn, context: ReplyContext) {
    // A client that switched thinking off does not expect such blocks (many read only the first block).
    this.#thinking = turn.thinking !== false
    this.#cursorTools = context.showTools
    this.#clientHasAgent = turn.tools.some(({ name }) => name === SUBAGENT.clientName)
    this.#inputTokens = context.inputTokens
  }

  /** True after the terminal event: nothing may follow it. */
  get ended(): boolean {
    return this.#ended
  }

  /** What the client sees of `event`, in order: mostly one thing or none; a terminal event ends open calls first. */
  show(event: AgentEvent): readonly Shown[] {
    if (this.#ended) return NOTHING
    switch (event.type) {
      case 'text-delta':
        return event.text === '' ? NOTHING : [event]
      case 'thinking-delta':
        return event.text === '' || !this.#thinking ? NOTHING : [event]
      case 'thinking-end':
        return this.#thinking ? [event] : NOTHING
      case 'tool-start':
        return event.host === 'client' ? this.#clientCall(event) : this.#cursorCall(event)
      case 'tool-end':
        return this.#cursorResult(event)
      case 'started':
      case 'activity':
      case 'unknown':
        return NOTHING
      case 'finish':
        this.#ended = true
        return [...this.#unfinished(), this.#finish(event)]
      case 'failure':
        this.#ended = true
        return [...this.#unfinished(), event]
      default:
        return assertNever(event)
    }
  }

  #clientCall(call: ToolStart): readonly Shown[] {
    if (this.#clientCalls.has(call.callId)) return NOTHING
    this.#clientCalls.add(call.callId)
    return [{ type: 'client-call', call }]
  }

  #cursorCall(start: ToolStart): readonly Shown[] {
    if (!this.#cursorTools || this.#cursorCalls.has(start.callId)) return NOTHING
    const rename = this.#clientHasAgent && start.kind === SUBAGENT.kind
    const call = rename ? { ...start, name: SUBAGENT.clientName } : start
    this.#cursorCalls.add(start.callId)
    this.#openCursorCalls.set(start.callId, call)
    return [{ type: 'cursor-call', call }]
  }

  #cursorResult(end: ToolEnd): readonly Shown[] {
    const call = this.#openCursorCalls.get(end.callId)
    if (call === undefined) return NOTHING
    this.#openCursorCalls.delete(end.callId)
    return [{ type: 'cursor-result', call, end }]
  }

  /** A call without its result would leave clients waiting for it, and make them drop or refuse the message later. */
  #unfinished(): readonly Shown[] {
    return [...this.#openCursorCalls.values()].flatMap((call) =>
      this.#cursorResult({ ...UNFINISHED, callId: call.callId }),
    )
  }

  #finish(event: Finish): ShownFinish {
    const cut = event.reason === 'length' || event.reason === 'stop-sequence'
    const ended = this.#clientCalls.size > 0 ? 'tool-calls' : 'stop'
    return {
      type: 'finish',
      reason: cut ? event.reason : ended,
      stopSequence: event.stopSequence ?? null,
      usage: event.usage ?? { input: this.#inputTokens, output: 0, cacheRead: 0, cacheWrite: 0 },
    }
  }
}
