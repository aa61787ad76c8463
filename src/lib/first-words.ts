// Whether anybody waits for first words, told from the main thread to all others through shared memory. What can be put
// off waits for them: on few cores the end of one child holds up what another is just about to say.

/** How long something is put off at most, ms. */
export const PATIENCE_MS = 75
/** Until first words are on their way to the client, ms. */
export const HANDED_OVER_MS = 5

const AWAITED = 1
const NOT_AWAITED = 0

/** Written by the main thread. */
export class FirstWords {
  /** Handed to worker threads. */
  readonly cell = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  readonly #silent = new Set<string>()
  readonly #waiting: () => number

  /** `waiting`: runs without a slot; while there are any, nothing is put off, because they need what it gives back. */
  constructor(waiting: () => number) {
    this.#waiting = waiting
  }

  /** A run was granted its slot and has said nothing yet. */
  awaited(runId: string): void {
    this.#silent.add(runId)
    this.look()
  }

  /** It has, or never will. */
  settled(runId: string): void {
    if (!this.#silent.delete(runId) || this.#silent.size > 0) return
    setTimeout(() => this.look(), HANDED_OVER_MS).unref()
  }

  /** To be called when the number of those that wait for a slot may have grown. */
  look(): void {
    const awaited = this.#silent.size > 0 && this.#waiting() === 0 ? AWAITED : NOT_AWAITED
    if (Atomics.exchange(this.cell, 0, awaited) !== awaited) Atomics.notify(this.cell, 0)
  }
}

export function areAwaited(cell: Int32Array): boolean {
  return Atomics.load(cell, 0) === AWAITED
}

/** Resolves when nobody waits for first words, when `hurry` settles, and after 75 ms. For any thread. */
export async function untilSpoken(cell: Int32Array, hurry: Promise<unknown>): Promise<void> {
  await Promise.race([Atomics.waitAsync(cell, 0, AWAITED, PATIENCE_MS).value, hurry])
}
