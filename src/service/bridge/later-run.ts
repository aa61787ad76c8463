// A run whose real run is only known after a wait: results of a parked run need a slot first, and where that run is over by
// then another takes its place. Its reader notices nothing.
import type { Batch } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import type { BackendName, Kept } from '../../core/job.ts'
import type { CancelCause, Run, RunMarks } from '../../core/run.ts'
import { monotonicMs } from '../../lib/clock.ts'

export interface LaterParts {
  readonly id: RunId
  readonly backend: BackendName
  /** Undefined when there is none, because `isCancelled` said so. */
  readonly decide: (isCancelled: () => boolean) => Promise<Run | undefined>
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
    const message = 'The request was cancelled while it waited for its turn.'
    return { events: [{ type: 'failure', code: 'cancelled', message }], readAtMs: monotonicMs() }
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
    const run = await this.#parts.decide(() => this.#cancelled !== undefined)
    this.#run = run
    // It came while the run was being made.
    if (this.#cancelled !== undefined) run?.cancel(this.#cancelled)
    return run
  }
}
