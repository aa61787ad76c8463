// A run inside its slot: its clocks, its attempts, and whatever happens, its one terminal event.
import type { Failure, Terminal } from '../core/events.ts'
import type { Job } from '../core/job.ts'
import type { Continuation } from '../core/run.ts'
import { monotonicMs } from '../lib/clock.ts'
import { atMost } from '../lib/deadline.ts'
import { Attempt, type AttemptEnd, type AttemptParts } from './attempt.ts'
import { startClocks } from './clocks.ts'
import { deferred } from './deferred.ts'
import { workerDied } from './refusals.ts'
import { type Remembered, tooLongForArgv, viaArgv } from './remembered.ts'
import type { PoolRun } from './run.ts'

export interface ConductParts extends AttemptParts {
  readonly remembered: Remembered
  /** The agent itself ended the run (we did not). */
  readonly onPlayed: (job: Job, terminal: Terminal) => void
}

/** An attempt that failed and may be repeated. */
type Again = Extract<AttemptEnd, { at: 'again' }> | undefined

const MIN_PAUSE_MS = 50
const PAUSE_SPREAD_MS = 200

/** Plays a run that has just got its slot. Resolves when the slot may go to the next; the run has ended then. */
export async function conduct(run: PoolRun, parts: ConductParts): Promise<void> {
  const grantedMs = monotonicMs()
  run.granted(grantedMs)
  parts.telemetry.queueWaited((grantedMs - run.submittedMs) / 1000)
  let attempt: Attempt | undefined
  const ended = deferred<void>()
  run.onEnd = (terminal, cause) => {
    ended.resolve()
    parts.onSpoke(run.id)
    attempt?.runEnded(cause)
    if (cause === undefined) parts.onPlayed(run.job, terminal)
  }
  run.onTaken = (bytes) => attempt?.taken(bytes)
  const play = async (job: Job, mayRepeat: boolean, going?: Continuation): Promise<Again> => {
    attempt = new Attempt(run, job, { parts, mayRepeat, going })
    const end = await attempt.over
    attempt = undefined
    if (end.at === 'thread-lost') run.end(workerDied(end.reason), 'crashed')
    return end.at === 'again' && run.terminal === undefined ? end : undefined
  }
  const stopClocks = startClocks(run)
  try {
    const job = parts.remembered.suited(run.job)
    const refusal = parts.remembered.refusal(job, grantedMs)
    if (refusal !== undefined) return run.end(refusal, 'done')
    let again = await play(job, true, run.going)
    // Nothing was done: the whole transcript takes the place of a session that is gone.
    if (again?.wasResumed === true) again = await play(job, true)
    if (again === undefined) return
    const next = await repetition(job, again.failure, parts.remembered, ended.promise)
    if (run.terminal !== undefined) return
    if ('type' in next) run.end(next, 'crashed')
    else await play(next, false)
  } finally {
    stopClocks()
    // Every path above has ended it; a slot must never be given up under a run that still waits.
    run.end(workerDied('it reported no end'), 'crashed')
  }
}

/** The job of the second attempt, or the failure when there can be none. */
async function repetition(
  job: Job,
  failure: Failure,
  remembered: Remembered,
  ended: Promise<void>,
): Promise<Job | Failure> {
  if (failure.again === 'argv') {
    remembered.doesNotReadStdin(job.profile)
    const next = viaArgv(job)
    return tooLongForArgv(next) ?? next
  }
  // Whatever raced (another start, a config file being written) gets a moment; not the same moment for everyone.
  await atMost(MIN_PAUSE_MS + Math.random() * PAUSE_SPREAD_MS, ended)
  return job
}
