// The contract every wire protocol fulfils. A protocol knows wire formats and Turn, AgentEvent, Failure; it knows
// no HTTP server, no backend, no clock and no other protocol: ids and times come in as arguments.
import type { AgentEvent } from '../core/events.ts'
import type { FailureCode } from '../core/failure.ts'
import type { Api, Json, Turn } from '../core/turn.ts'

/** One SSE frame; http/sse.ts turns it into bytes. */
export interface Frame {
  /** The `event:` line; undefined = no such line (chat completions). */
  readonly event: string | undefined
  readonly data: string
}

/** What a writer must know besides the turn and the events. */
export interface ReplyContext {
  /** Unique part of ids of this reply, `[A-Za-z0-9]{24}`; each protocol puts its own prefix before it. */
  readonly id: string
  /** Unix seconds. */
  readonly createdS: number
  /** Model name to echo: as the client asked for it. */
  readonly model: string
  /** Our count of the request's own tokens, for `message_start`. */
  readonly inputTokens: number
  /** Setting `tools.show`. */
  readonly showTools: boolean
  /** Told every whole reply: by a stream's writer before the last frame is handed over, by http for other replies. */
  readonly onReply?: (reply: object) => void
}

/** Earlier replies that a client names instead of sending them again (`previous_response_id`, `item_reference`). */
export interface KeptReplies {
  /** Items of the conversation up to and including that reply, oldest first; undefined when it is not kept. */
  upTo(replyId: string): readonly Json[] | undefined
  /** Items of the client's own conversation id so far; none when nothing is kept under it. */
  conversation(id: string): readonly Json[]
  /** One kept item by its own id. */
  item(itemId: string): Json | undefined
}

/** What one exchange adds to a conversation that is kept. */
export interface ToKeep {
  readonly replyId: string
  /** The reply that this one follows. */
  readonly previous: string | undefined
  /** The client's own conversation id. */
  readonly conversation: string | undefined
  /** The request's own items, then the reply's. */
  readonly items: readonly Json[]
}

/** Turns events into frames, one at a time. Stateful, single use, never throws on any order of events. */
export interface StreamWriter {
  /** Frames for one event; none where the protocol shows nothing. A terminal event yields the stream's last frames. */
  event(event: AgentEvent): readonly Frame[]
  /** A keep-alive as a data event, never inside another frame; may be called before the first event. */
  beat(): readonly Frame[]
}

/** An error on its way to the wire: from a Refusal or from a `failure` event before the first byte. */
export interface WireFailure {
  readonly code: FailureCode
  readonly message: string
  readonly details?: Readonly<Record<string, string>> | undefined
  /** The request failed before, after work was done: the envelope must not invite anybody to send it again. */
  readonly repeated?: boolean
}

export interface Protocol {
  readonly api: Api
  /**
   * Body (already parsed JSON) → Turn. Strict about what we use, tolerant about the rest.
   * @throws Refusal `invalid-request` naming the field, the value's type and the expected form;
   * `previous-response-not-found` for a reply or item that is not `kept`.
   */
  parse(body: unknown, headers: Headers, kept?: KeptReplies): Turn
  stream(turn: Turn, context: ReplyContext): StreamWriter
  /**
   * The whole reply as one JSON object. `events` holds every event of the run, adjacent deltas of one kind merged,
   * the last one a `finish`. Equals what a client reassembles from `stream` over the same events.
   */
  reply(turn: Turn, context: ReplyContext, events: readonly AgentEvent[]): object
  /** What to keep of a reply that ended without a failure; undefined where the client wants nothing kept. */
  toKeep?(body: unknown, reply: object, kept: KeptReplies | undefined): ToKeep | undefined
  /** The error envelope of this API. */
  failure(failure: WireFailure): object
  /** HTTP status for a code in this API. */
  status(code: FailureCode): number
}

export type { Json }
