// Waiting, by the clock.

/** At least `ms`; not at all for zero or less. */
export function pause(ms: number): Promise<void> | undefined {
  if (ms <= 0) return undefined
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}

/**
 * Calls `one` `events` times, the n-th not before n / perSecond after the start: lateness never adds up. Without
 * `perSecond` as fast as `one` lets it.
 */
export async function paced(
  events: number,
  perSecond: number | undefined,
  one: (index: number) => Promise<void> | undefined,
): Promise<void> {
  const startMs = performance.now()
  for (let index = 0; index < events; index += 1) {
    if (perSecond !== undefined)
      await pause(startMs + (index * 1000) / perSecond - performance.now())
    await one(index)
  }
}
