// Waiting for something to happen, or for a moment to come. One who waits at a time.
export class Alarm {
  #ring: () => void = () => undefined

  /** Wakes whoever waits now. */
  ring(): void {
    this.#ring()
  }

  /** Resolves at the next ring, or after `withinMs`; undefined = only then. */
  async rings(withinMs: number | undefined): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      this.#ring = resolve
      if (withinMs === undefined) return
      // Timers are late by up to a millisecond: the last one is waited out turn by turn.
      if (withinMs < 1) setImmediate(resolve)
      else timer = setTimeout(resolve, Math.floor(withinMs))
    })
    clearTimeout(timer)
  }
}
