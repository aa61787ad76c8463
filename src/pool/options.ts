// What the pool is told at start.
import type { ClientTools } from '../core/client-tools.ts'
import type { LaunchProfile } from '../core/job.ts'
import type { Logger, Telemetry } from '../core/telemetry.ts'

/** The part of the workers' settings that the main thread needs too; the whole object goes to the workers as it is. */
export interface SeatSettings {
  readonly exitGraceMs: number
  readonly killGraceMs: number
  /** Bytes of events that may be on their way to a reader who has not taken them. */
  readonly creditBytes: number
  readonly hasPs: boolean
  readonly instance: string
  readonly ledgerDir: string
  readonly scratchRoot: string
  /** The pool's own; handed to the workers with the rest. */
  readonly firstWords?: Int32Array
}

export interface PoolOptions {
  /** The compiled worker, `dist/workers/agent.js`: a worker thread cannot load TypeScript. */
  readonly workerFile: URL
  /** Handed to every worker thread as worker data. */
  readonly worker: SeatSettings
  /** Runs active at once (slots). */
  readonly concurrency: number
  /** Seats beyond the slots, for parked runs. */
  readonly maxParked: number
  /** Runs waiting for a slot; one more fails with `queue-full`. */
  readonly maxWaiting: number
  /** Spares kept at least; 0 = none ever. */
  readonly warm: number
  /** Age at which a spare is given up, and idle time after which a thread above `concurrency` ends. */
  readonly warmIdleMs: number
  /** More failed launches than `count` within `withinMs` pause warming. */
  readonly restarts: { readonly count: number; readonly withinMs: number }
  /** What to warm before the first request has come. */
  readonly firstProfile?: LaunchProfile
  /** Removes a scratch folder of ours, whatever an agent made of it. Left out: a plain recursive removal. */
  readonly removeFolder?: (path: string) => Promise<void>
  /** Mode bridge: told of Cursor's sessions. Left out: none is offered any tools. */
  readonly clientTools?: ClientTools
  /** Told when runs begin to wait for a slot, when there are none left, and again after each start of a thread. */
  readonly onLoad?: (isHigh: boolean) => void
  readonly telemetry: Telemetry
  readonly logger: Logger
}
