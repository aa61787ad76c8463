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
