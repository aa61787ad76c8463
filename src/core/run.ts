// Run and Pool as the service sees them. A Run may outlive its HTTP exchange; it always ends with exactly one
// terminal event, and its slot is freed only when the child is gone (or idle again).
import type { Batch } from './events.ts'
import type { RunId } from './ids.ts'
import type { BackendName, Job } from './job.ts'
import type { ChildState } from './telemetry.ts'

export type CancelCause = 'client-gone' | 'superseded' | 'shutdown' | 'slow-reader'

/** Where the time went, milliseconds; a field is undefined until that step is over. */
export interface RunMarks {
  /** Submitted → slot granted. */
  readonly queueMs: number | undefined
  /** Slot granted → child launched; 0 when it was warm. */
  readonly launchMs: number | undefined
  /** Slot granted → prompt written, launch excluded. */
  readonly dispatchMs: number | undefined
  /** Prompt written → first event of the agent. */
  readonly agentMs: number | undefined
  readonly start: 'warm' | 'cold' | undefined
}

export interface Run {
  readonly id: RunId
  readonly backend: BackendName
  /** The next events, or undefined once the terminal event has been delivered. One caller at a time. Never rejects. */
  next(): Promise<Batch | undefined>
  /** Ends the run: its next event is failure `cancelled` (or the terminal event that came first). Idempotent. */
  cancel(cause: CancelCause): void
  marks(): RunMarks
  /** Resolves when child and slot are free again. Never rejects. */
  readonly settled: Promise<void>
}

export interface PoolSnapshot {
  readonly active: number
  readonly waiting: number
  readonly parked: number
  readonly children: Readonly<Record<ChildState, number>>
  /** Why warming is off for a binary, by binary path; empty when all is well. */
  readonly warmingOff: Readonly<Record<string, string>>
}

export interface Pool {
  /** Never throws: a full queue, a closed pool, a missing binary are failures of the run it returns. */
  submit(job: Job): Run
  snapshot(): PoolSnapshot
  /** Stops taking work (`shutting-down`), lets active runs end within `graceMs`, then closes every child. Idempotent. */
  close(graceMs: number): Promise<void>
}
