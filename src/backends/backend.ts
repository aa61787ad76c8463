// The contract every way of running Cursor fulfils. Lives in worker threads; knows no HTTP and no pool.
import type { AgentEvent, Batch } from '../core/events.ts'
import type { Job, Kept, LaunchProfile } from '../core/job.ts'
import type { ExitCause } from '../core/telemetry.ts'
import type { ToolDefinition } from '../core/turn.ts'

/** What a worker may do for all its agents; plain data, handed over once as worker data. */
export interface WorkerSettings {
  /** Identifies this run of the service; part of scratch names, ledger entries and the children's marker variable. */
  readonly instance: string
  /** Root of scratch folders: per user, 0700. */
  readonly scratchRoot: string
  /** Folder of the ledger of live process groups. */
  readonly ledgerDir: string
  /** Folder of the records of rule files in workspaces; without it none are written there. */
  readonly rulesDir?: string
  readonly exitGraceMs: number
  readonly killGraceMs: number
  /** How far children step back where the processor is short, 0 to 19 (nice(1)); left out: not at all. */
  readonly nice?: number
  /** Longest line accepted from a child, bytes. */
  readonly maxLineBytes: number
  /** `private`: each child gets its own CURSOR_CONFIG_DIR with the login carried over. `shared`: the user's own. */
  readonly configDir: 'private' | 'shared'
  /** Extra variables for children (setting `cursor.env`). */
  readonly env: Readonly<Record<string, string>>
  /** Bytes of events that may be on their way to the main thread without having been taken (`limits.buffer_kb`). */
  readonly creditBytes: number
  /** Runs after which a reusable child is replaced. */
  readonly recycleAfter?: number
  /** Whether `ps` was found at start: tree-kill takes the process down without it. */
  readonly hasPs: boolean
  /** Shared with the main thread: 1 while what can wait should (see lib/first-words.ts). */
  readonly firstWords?: Int32Array
}

export interface ExitFacts {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Last bytes of stderr as text, bounded; for classification, never shown unredacted. */
  readonly stderrTail: string
}

/** One child process, ready for a prompt or about to be. */
export interface Agent {
  readonly pid: number
  /** True when it can take another job after the present one ended well. */
  readonly reusable: boolean
  /** Resolves when a prompt can be taken (at once for a process that waits on stdin). Rejects never: see `ended`. */
  readonly ready: Promise<void>
  /** Resolves when the child process and everything it left in its group is gone. Never rejects. */
  readonly ended: Promise<ExitFacts>
  /** Resolves with the reason when the child, still without a prompt, wrote an event or exited: it must be discarded. */
  readonly spoiled: Promise<string>
  /**
   * Writes the prompt and yields what the agent does, a batch per read of its output; the last event of the last batch
   * is terminal. Reading stops while nobody pulls (back-pressure). Never throws: trouble is the terminal event.
   * `onPrompted` is called when the prompt is being handed to the child; mode bridge: with its session's token.
   */
  run(job: Job, onPrompted: (toolToken?: string) => void): AsyncIterable<Batch>
  /** After a run that ended with `finish` and whose job asked to keep: what its next turn can go on from. */
  kept?(): Kept | undefined
  /** Reusable agents only: gives back what the session holds (its folder); the child stays. */
  forget?(chatId: string): void
  /** Reusable agents only: prepares for the next run of this profile (opens a session), in the background. */
  prepare?(profile: LaunchProfile): void
  /**
   * Reusable agents only: ends the run under way without ending the child; the run's iterator ends as cancelled at once.
   * Resolves with true when the child is idle and sound again (within 250 ms), with false when it must be closed.
   */
  cancelRun?(cause: ExitCause): Promise<boolean>
  /** Ends the child as `process/terminate.ts` does; the first cause given is the one kept. Resolves with `ended`. */
  close(cause: ExitCause): Promise<ExitFacts>
}

export interface AgentHooks {
  /** A signal was sent to the child's group. */
  readonly onKilled: (signal: 'SIGTERM' | 'SIGKILL') => void
  /** Mode bridge. Left out: the endpoint is not told of sessions. */
  readonly tools?: ToolHooks
}

/** A session of Cursor's that is offered the client's tools is about to be opened, or is gone. */
export interface ToolHooks {
  readonly opened: (token: string, tools: readonly ToolDefinition[]) => void
  readonly closed: (token: string) => void
}

export interface Backend {
  /** Starts a child for the profile. @throws AgentEvent-shaped LaunchFailure when it cannot even be spawned. */
  launch(profile: LaunchProfile, settings: WorkerSettings, hooks: AgentHooks): Promise<Agent>
}

/** Thrown by `launch` only, inside the worker only; the worker turns it into the run's terminal event. */
export class LaunchFailure extends Error {
  override readonly name = 'LaunchFailure'
  readonly event: Extract<AgentEvent, { type: 'failure' }>
  constructor(
    event: Extract<AgentEvent, { type: 'failure' }>,
    options?: { readonly cause?: unknown },
  ) {
    super(event.message, options)
    this.event = event
  }
}
