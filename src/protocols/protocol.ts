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
}

export interface Protocol {
  readonly api: Api
  /**
   * Body (already parsed JSON) → Turn. Strict about what we use, tolerant about the rest.
   * @throws Refusal `invalid-request` naming the field, the value's type and the expected form.
   */
  parse(body: unknown, headers: Headers): Turn
  stream(turn: Turn, context: ReplyContext): StreamWriter
  /**
   * The whole reply as one JSON object. `events` holds every event of the run, adjacent deltas of one kind merged,
   * the last one a `finish`. Equals what a client reassembles from `stream` over the same events.
   */
  reply(turn: Turn, context: ReplyContext, events: readonly AgentEvent[]): object
  /** The error envelope of this API. */
  failure(failure: WireFailure): object
  /** HTTP status for a code in this API. */
  status(code: FailureCode): number
}

export type { Json }
