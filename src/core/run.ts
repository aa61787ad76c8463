// Run and Pool as the service sees them. A Run may outlive its HTTP exchange; it always ends with exactly one
// terminal event, and its slot is freed only when the child is gone (or idle again).
import type { Batch } from './events.ts'
import type { RunId } from './ids.ts'
import type { BackendName, Job, Kept, Prompt } from './job.ts'
import type { ChildState } from './telemetry.ts'

export type CancelCause =
  | 'client-gone'
  | 'superseded'
  | 'shutdown'
  | 'slow-reader'
  /** Parked, and its seat was needed. */
  | 'evicted'
  /** Parked, and the client's results did not come in time. */
  | 'forgotten'
  /** Parked, and Cursor gave up a call whose result it waited for. */
  | 'given-up'

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
  /** `resumed`: in the conversation's own session. `moved`: that one was busy or gone, so afresh with the whole transcript. */
  readonly start: 'warm' | 'cold' | 'resumed' | 'moved' | undefined
}

export interface Run {
  readonly id: RunId
  readonly backend: BackendName
  /** The next events, or undefined once the terminal event has been delivered. One caller at a time. Never rejects. */
  next(): Promise<Batch | undefined>
  /** Ends the run: its next event is failure `cancelled` (or the terminal event that came first). Idempotent. */
  cancel(cause: CancelCause): void
  marks(): RunMarks
  /** Mode bridge, once the prompt has been handed over: the token of the Cursor session that runs. */
  toolToken?(): string | undefined
  /** Told of that token as soon as it is known, and of another one when a second attempt takes its place. */
  watchToolToken?(told: (token: string) => void): void
  /**
   * Mode bridge: the run waits for the client. It gives its slot back and keeps its seat; its clocks stand still.
   * False when it has ended.
   */
  park?(): boolean
  /** Takes a slot again, ahead of new work, before the parked calls are answered. False when the run has ended. */
  unpark?(): Promise<boolean>
  /** Known once the run has settled after a `finish` and its job asked to keep; undefined otherwise. */
  kept?(): Kept | undefined
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
  /** How long the first in the queue has been waiting; 0 when nobody waits. */
  readonly longestWaitMs: number
}

/** How a run may go on from the conversation's last one instead of taking the whole transcript. */
export interface Continuation {
  readonly kept: Kept
  /** Only what is new; used when the kept session can be used the moment the slot is granted. */
  readonly prompt: Prompt
}

export interface Pool {
  /**
   * Never throws: a full queue, a closed pool, a missing binary are failures of the run it returns. With `going` the
   * run continues where that is possible at the moment its slot is granted (`start` is `resumed`), else it plays `job`
   * as it is (`moved`). A session that turns out to be stale before any work is replaced once, the same way.
   */
  submit(job: Job, going?: Continuation): Run
  /** The conversation is over: its session or folders are given back. Never rejects, never waits for other runs. */
  forget?(kept: Kept): Promise<void>
  snapshot(): PoolSnapshot
  /** Stops taking work (`shutting-down`), lets active runs end within `graceMs`, then closes every child. Idempotent. */
  close(graceMs: number): Promise<void>
}
