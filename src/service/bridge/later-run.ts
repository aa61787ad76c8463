// A run whose real run is only known after a wait: results of a parked run need a slot first, and where that run is over by
// then another takes its place. Its reader notices nothing.
import type { Batch, Failure } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import type { BackendName, Kept } from '../../core/job.ts'
import type { CancelCause, Run, RunMarks } from '../../core/run.ts'
import { monotonicMs } from '../../lib/clock.ts'

export interface LaterParts {
  readonly id: RunId
  readonly backend: BackendName
  /** Undefined when there is none, because `isCancelled` said so. May reject: a fault of ours, told as such. */
  readonly decide: (isCancelled: () => boolean) => Promise<Run | undefined>
  readonly onFault: (error: unknown) => void
  /** Ends the wait. */
  readonly cancel: (cause: CancelCause) => void
}

const NO_MARKS: RunMarks = {
  queueMs: undefined,
  launchMs: undefined,
  dispatchMs: undefined,
  agentMs: undefined,
  start: undefined,
}

export class LaterRun implements Run {
  readonly id: RunId
  readonly backend: BackendName
  readonly settled: Promise<void>
  readonly #parts: LaterParts
  readonly #decided: Promise<Run | undefined>
  #run: Run | undefined
  #cancelled: CancelCause | undefined
  #failure: Failure = {
    type: 'failure',
    code: 'cancelled',
    message: 'The request was cancelled while it waited for its turn.',
  }
  #isOver = false

  constructor(parts: LaterParts) {
    this.#parts = parts
    this.id = parts.id
    this.backend = parts.backend
    this.#decided = this.#decide()
    this.settled = this.#decided.then((run) => run?.settled)
  }

  async next(): Promise<Batch | undefined> {
    if (this.#isOver) return undefined
    const run = await this.#decided
    if (run !== undefined) return run.next()
    this.#isOver = true
    return { events: [this.#failure], readAtMs: monotonicMs() }
  }

  cancel(cause: CancelCause): void {
    this.#cancelled ??= cause
    if (this.#run === undefined) this.#parts.cancel(cause)
    else this.#run.cancel(cause)
  }

  marks(): RunMarks {
    return this.#run?.marks() ?? NO_MARKS
  }

  kept(): Kept | undefined {
    return this.#run?.kept?.()
  }

  async #decide(): Promise<Run | undefined> {
    try {
      this.#run = await this.#parts.decide(() => this.#cancelled !== undefined)
    } catch (error) {
      this.#parts.onFault(error)
      const message = 'The request could not go on; this is a fault of cursor-adapter.'
      this.#failure = { type: 'failure', code: 'internal', message }
    }
    // It came while the run was being made.
    if (this.#cancelled !== undefined) this.#run?.cancel(this.#cancelled)
    return this.#run
  }
}
