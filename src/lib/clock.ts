// The one clock for durations: monotonic, and the same in every thread of this process.

/** Milliseconds with fractions; only differences mean anything. */
export function monotonicMs(): number {
  const [seconds, nanos] = process.hrtime()
  return seconds * 1000 + nanos / 1e6
}
