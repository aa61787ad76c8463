// The two deadlines of an active run, in monotonic time: one exchange, and silence of the agent. Both stand still while the
// run is parked. First cause wins (run.ts).
import type { JobLimits } from '../core/job.ts'
import { monotonicMs } from '../lib/clock.ts'
import { runStalled, runTimeout } from './refusals.ts'
import type { PoolRun } from './run.ts'

/** When to look again, and what has expired by `nowMs`. Pure. */
export function checkClocks(
  limits: Pick<JobLimits, 'timeoutMs' | 'stallMs'>,
  fromMs: number | undefined,
  quietSinceMs: number | undefined,
  nowMs: number,
): { readonly expired: 'timeout' | 'stall' | undefined; readonly againMs: number } {
  // As below: a clock that starts anew does so later than now.
  const timeoutIn = (fromMs ?? nowMs) + limits.timeoutMs - nowMs
  if (timeoutIn <= 0) return { expired: 'timeout', againMs: 0 }
  // Stopped now, the clock starts anew later than now: a whole stall time from now is early enough to look again.
  const stallIn = (quietSinceMs ?? nowMs) + limits.stallMs - nowMs
  if (stallIn <= 0) return { expired: 'stall', againMs: 0 }
  return { expired: undefined, againMs: Math.min(timeoutIn, stallIn) }
}

/** Ends the run with `run-timeout` or `run-stalled` when due. Returns the way to stop the clocks. */
export function startClocks(run: PoolRun): () => void {
  const { limits } = run.job
  let timer: NodeJS.Timeout | undefined
  const look = (): void => {
    const { expired, againMs } = checkClocks(
      limits,
      run.clockFromMs,
      run.quietSinceMs,
      monotonicMs(),
    )
    if (expired === 'timeout') run.end(runTimeout(limits.timeoutMs), 'timeout')
    else if (expired === 'stall') run.end(runStalled(limits.stallMs), 'stalled')
    else timer = setTimeout(look, Math.min(Math.ceil(againMs), 2 ** 31 - 1)).unref()
  }
  look()
  return () => clearTimeout(timer)
}
