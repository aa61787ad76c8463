// A run's events with at most one outstanding read, which goes on from one reply to the next.
import type { Batch } from '../../core/events.ts'
import type { Run } from '../../core/run.ts'

export class Feed {
  readonly #run: Run
  readonly #onArrived: () => void
  #arrived: Batch | 'over' | undefined
  #reading = false

  constructor(run: Run, onArrived: () => void) {
    this.#run = run
    this.#onArrived = onArrived
  }

  /** Begins to read unless something is here or on its way. */
  want(): void {
    if (this.#reading || this.#arrived !== undefined) return
    this.#reading = true
    void this.#run.next().then((batch) => {
      this.#reading = false
      this.#arrived = batch ?? 'over'
      this.#onArrived()
    })
  }

  take(): Batch | 'over' | undefined {
    const arrived = this.#arrived
    if (arrived !== 'over') this.#arrived = undefined
    return arrived
  }

  /** For the next reply. Only what was just taken. */
  putBack(batch: Batch): void {
    this.#arrived = batch
  }
}
