// A run's events with at most one outstanding read, which goes on from one reply to the next.
import type { Batch } from '../../core/events.ts'
import type { Run } from '../../core/run.ts'

export class Feed {
  readonly #run: Run
  readonly #onArrived: () => void
  #read: Promise<void> | undefined
  #arrived: Batch | 'over' | undefined

  constructor(run: Run, onArrived: () => void) {
    this.#run = run
    this.#onArrived = onArrived
  }

  /** Begins to read unless something is here or on its way. */
  want(): void {
    if (this.#arrived !== undefined) return
    this.#read ??= this.#run.next().then((batch) => {
      this.#read = undefined
      this.#arrived = batch ?? 'over'
      this.#onArrived()
    })
  }

  /** Waits for it; undefined when the run is over and all was taken. */
  async next(): Promise<Batch | undefined> {
    this.want()
    await this.#read
    const taken = this.take()
    return taken === 'over' ? undefined : taken
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
