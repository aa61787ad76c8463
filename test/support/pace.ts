// Time limits on a machine that others use too: exact on a quiet one, longer by as much as starting a bare process is.
import { spawnSync } from 'node:child_process'

/** Start and end of an empty Node process on a quiet machine with two cores, ms. */
const QUIET_MS = 45
let measured: number | undefined

/** At least 1: how many times slower than a quiet one this machine is, found when first asked for. */
export function slowness(): number {
  measured ??= Math.max(1, median([bareStart(), bareStart(), bareStart()]) / QUIET_MS)
  return measured
}

/** A limit in milliseconds, stretched by the slowness. */
export function within(quietMs: number): number {
  return Math.ceil(quietMs * slowness())
}

/** For settings in whole seconds that a test waits for: stretched too, but never beyond its patience. */
export function wholeSeconds(quietSeconds: number): number {
  return Math.ceil(quietSeconds * Math.min(5, slowness()))
}

function bareStart(): number {
  const startedMs = performance.now()
  spawnSync(process.execPath, ['-e', '0'])
  return performance.now() - startedMs
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
