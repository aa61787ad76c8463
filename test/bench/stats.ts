// Small statistics on samples. Pure.

/** The p-th percentile (0 to 1) by nearest rank; NaN without samples. */
export function percentile(samples: readonly number[], p: number): number {
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN
}

export function median(samples: readonly number[]): number {
  return percentile(samples, 0.5)
}

export function sum(samples: readonly number[]): number {
  return samples.reduce((total, sample) => total + sample, 0)
}

/** The largest sample, NaN without samples. */
export function largest(samples: readonly number[]): number {
  return percentile(samples, 1)
}

/** One request: when it was sent and when its answer began, by the same clock. */
export interface Span {
  readonly sentAtMs: number
  readonly firstAtMs: number
}

/** For each request, how many that were sent later were answered before it. */
export function overtaken(spans: readonly Span[]): readonly number[] {
  return spans.map(
    (own) =>
      spans.filter(
        ({ sentAtMs, firstAtMs }) => sentAtMs > own.sentAtMs && firstAtMs < own.firstAtMs,
      ).length,
  )
}
