// What service gives to http for one exchange: a source of events, ready for a protocol writer.
import type { Batch } from './events.ts'
import type { SessionId } from './ids.ts'
import type { BackendName, Mode } from './job.ts'
import type { RunMarks } from './run.ts'
import type { Start } from './telemetry.ts'
import type { Turn } from './turn.ts'

/** Facts of the HTTP request that the plan may read. Header names are lower case. */
export interface RequestFacts {
  readonly requestId: string
  readonly headers: Headers
  /** Digest of the credential the client sent, '' for none: equal requests of different clients are never joined. */
  readonly credential: string
  /** The parsed body, for the equality of retries. */
  readonly body: unknown
  /** `monotonicMs()` when the request's last byte was read. */
  readonly completeAtMs: number
}

export interface Answer {
  readonly mode: Mode
  readonly backend: BackendName
  /** Cursor's model id that runs. */
  readonly model: string
  readonly session: SessionId | undefined
  /** Our count of the request's own tokens (clamped below the model's window). */
  readonly inputTokens: number
  /** Known once the first event came; `cold` until then. */
  start(): Start
  marks(): RunMarks
  /** The next events, finish events with `usage` filled in; undefined after the terminal event. Never rejects. */
  next(): Promise<Batch | undefined>
  /**
   * The exchange is over. `delivered`: the last byte reached the socket's buffer and the client was still there.
   * Not delivered before the terminal event = the reader left: the run is cancelled after the retry grace.
   */
  release(delivered: boolean): void
}

export interface Answerer {
  /** @throws Refusal when the request cannot be served at all (bad workspace, unknown model, …). */
  answer(turn: Turn, facts: RequestFacts): Promise<Answer>
  /** Tokens of the request by our own count; starts nothing. */
  countTokens(turn: Turn): Promise<number>
}
