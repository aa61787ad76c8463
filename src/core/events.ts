// AgentEvent: what an agent did. Every backend emits it, every protocol writer consumes it.
// Contract of an event stream: any number of non-terminal events, then exactly one terminal event, then nothing.
import type { FailureCode } from './failure.ts'
import type { CallId } from './ids.ts'
import type { Json } from './turn.ts'

/** Token counts as Cursor reported them for one run. `input` excludes cache reads. Source: recorded `result.usage`. */
export interface CursorUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

/** Token counts as the client is told them; set by the service, never by a backend. */
export interface ReplyUsage {
  readonly input: number
  readonly output: number
  /** How much of the output was thinking, by our own count; undefined = not told apart. */
  readonly reasoning?: number
  readonly cacheRead: number
  readonly cacheWrite: number
}

export type FinishReason = 'stop' | 'tool-calls' | 'length' | 'stop-sequence'

export type AgentEvent =
  /** The agent took the prompt. `model` is Cursor's display name. Not visible to clients. */
  | { readonly type: 'started'; readonly chatId: string; readonly model: string }
  | { readonly type: 'thinking-delta'; readonly text: string }
  | { readonly type: 'thinking-end' }
  | { readonly type: 'text-delta'; readonly text: string }
  | ToolStart
  | ToolEnd
  /** A sign of life without content: connection trouble, an internal query and its answer. Not visible. */
  | { readonly type: 'activity'; readonly kind: ActivityKind }
  /** Something we did not understand; counted, never shown. `kind` is from a closed list (see UNKNOWN_KINDS). */
  | { readonly type: 'unknown'; readonly kind: UnknownKind }
  | Finish
  | Failure

export interface ToolStart {
  readonly type: 'tool-start'
  readonly callId: CallId
  /** Cursor's kind without the `ToolCall` suffix (`read`, `shell`, `edit`, `task`, `mcp`, …). */
  readonly kind: string
  readonly host: 'cursor' | 'client'
  /** Public name: for Cursor's own tools from backends/cursor-tools.ts, for client tools the client's own name. */
  readonly name: string
  readonly input: Json
  /** One line for people: the main argument (path, command, pattern); '' when there is none. */
  readonly title: string
}

export interface ToolEnd {
  readonly type: 'tool-end'
  readonly callId: CallId
  readonly isError: boolean
  /** `success`, `failure`, `rejected`, `timeout`, … ; `unfinished` when the run ended before the call did. */
  readonly outcome: string
  /** Short plain text: what came out. */
  readonly summary: string
  readonly durationMs: number | undefined
  /** A command's exit code, where Cursor told one. */
  readonly exitCode?: number
  /** Public names of the tools a sub-agent used inside this call, in order; for counting only, they are no calls. */
  readonly inner?: readonly string[]
  /** The arguments, where the result tells more than the start did (an edit's old text comes from its diff). */
  readonly input?: Json
}

export type ActivityKind = 'reconnecting' | 'reconnected' | 'retry' | 'query' | 'other'

export const UNKNOWN_KINDS = [
  'not-json',
  'line-too-long',
  'type',
  'subtype',
  'tool-kind',
  'tool-without-kind',
  'recap-mismatch',
  'replay-mismatch',
  'late-event',
] as const
export type UnknownKind = (typeof UNKNOWN_KINDS)[number]

export interface Finish {
  readonly type: 'finish'
  readonly reason: FinishReason
  /** Which one, where the reason is `stop-sequence`. */
  readonly stopSequence?: string
  /** The client got something else than Cursor's session holds: the next turn must not go on in it. */
  readonly diverged?: boolean
  /** Undefined when Cursor reported none: unknown is not zero. */
  readonly cursorUsage: CursorUsage | undefined
  /** Filled in by the service before a protocol writer sees the event. */
  readonly usage?: ReplyUsage
}

export interface Failure {
  readonly type: 'failure'
  readonly code: FailureCode
  /** For people: what happened, with which value, and what to do. Holds no secret, no home path, no stack. */
  readonly message: string
  /** Seconds for `Retry-After`, where known better than the table. */
  readonly retryAfterS?: number
  /**
   * How the turn may be tried again by ourselves when nothing was done yet: unchanged, with the prompt in argv, or (the
   * session it should go on in is gone) in a fresh one with the whole transcript.
   */
  readonly again?: 'same' | 'argv' | 'fresh'
}

export type Terminal = Finish | Failure

export function isTerminal(event: AgentEvent): event is Terminal {
  return event.type === 'finish' || event.type === 'failure'
}

/** Visible events decide that a reply has begun: they make the headers go out. */
export function isVisible(event: AgentEvent): boolean {
  return (
    event.type === 'text-delta' ||
    event.type === 'thinking-delta' ||
    event.type === 'tool-start' ||
    event.type === 'tool-end'
  )
}

/** Work: after it a second run would do something twice. */
export function isWork(event: AgentEvent): boolean {
  return event.type === 'text-delta' || event.type === 'tool-start'
}

/** Events that arrived together (one read of the child's output). */
export interface Batch {
  readonly events: readonly AgentEvent[]
  /** `monotonicMs()` at which the bytes were read from the child. */
  readonly readAtMs: number
}

export function assertNever(value: never): never {
  throw new Error(`unhandled case: ${JSON.stringify(value)}`)
}
