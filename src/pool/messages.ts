// All that crosses between the main thread and a worker. Plain data; failures are events, because an Error loses its
// class, name and code on the way (measured with piscina 5.3.2 on Node 20).
import type { MessagePort } from 'node:worker_threads'
import type { AgentEvent, Failure } from '../core/events.ts'
import type { ProfileKey, RunId } from '../core/ids.ts'
import type { BackendName, Job, Kept, LaunchProfile } from '../core/job.ts'
import type { ChildState, ExitCause } from '../core/telemetry.ts'
import type { ToolDefinition } from '../core/turn.ts'

/** Payload of the piscina task that is one attempt of a run. The task ends when the child is gone or idle again. */
export interface RunTask {
  readonly job: Job
  readonly key: ProfileKey
  /** Only this child will do: the session `job.chatId` is open in it. Where it is gone the run fails with `again: 'fresh'`. */
  readonly pid?: number
}

/** Result of that task. */
export interface RunReport {
  /** False when the seat holds no child any more. */
  readonly childKept: boolean
  /** What the next turn can go on from; whoever gets it owns it. */
  readonly kept?: Kept
}

/** Main thread → worker, over the seat's own port. */
export type ToWorker =
  /** Launch a spare for this profile unless the seat already holds a child or a run. */
  | { readonly type: 'warm'; readonly profile: LaunchProfile; readonly key: ProfileKey }
  /** End the run: the child is closed with this cause, the run's iterator ends, the task then completes. */
  | { readonly type: 'cancel'; readonly runId: RunId; readonly cause: ExitCause }
  /** The main thread took this many bytes of events. */
  | { readonly type: 'credit'; readonly runId: RunId; readonly bytes: number }
  /** These conversations are over: the child gives back what their sessions hold. */
  | { readonly type: 'forget'; readonly pid: number; readonly chatIds: readonly string[] }
  /** Remove a scratch folder that a conversation owned; the main thread has better things to do. */
  | { readonly type: 'remove'; readonly root: string }
  /** Close a child that is not running anything (spare or idle). */
  | { readonly type: 'discard'; readonly cause: ExitCause }

/** Worker → main thread, over the seat's own port. */
export type FromWorker =
  | {
      readonly type: 'events'
      readonly runId: RunId
      readonly events: readonly AgentEvent[]
      readonly readAtMs: number
      /** Size of this batch as counted against the credit. */
      readonly bytes: number
    }
  /** The prompt has been written, at `atMs` (monotonicMs); `launchMs` is 0 when the child was warm. */
  | {
      readonly type: 'prompted'
      readonly runId: RunId
      readonly launchMs: number
      readonly warm: boolean
      readonly atMs: number
      /** Mode bridge: token of the Cursor session that got the prompt. */
      readonly toolToken?: string
    }
  /** Mode bridge: a Cursor session with these tools was opened, before Cursor hears of it, or is gone. */
  | {
      readonly type: 'tools-opened'
      readonly token: string
      readonly tools: readonly ToolDefinition[]
    }
  | { readonly type: 'tools-closed'; readonly token: string }
  /** Last message about this attempt: child gone or idle, nothing of the seat's past is left. */
  | { readonly type: 'released'; readonly runId: RunId }
  /** A child was launched (for a run or as a spare) and that took `ms`. */
  | { readonly type: 'launched'; readonly backend: BackendName; readonly ms: number }
  /** A spare could not even be launched. */
  | { readonly type: 'warm-failed'; readonly key: ProfileKey; readonly failure: Failure }
  | { readonly type: 'child'; readonly child: ChildFact }
  | { readonly type: 'killed'; readonly signal: 'SIGTERM' | 'SIGKILL' }

/** Facts about the seat's child, enough for the main thread to end it when the thread cannot. */
export type ChildFact =
  | {
      readonly at: ChildState
      readonly pid: number
      readonly key: ProfileKey
    }
  | {
      readonly at: 'gone'
      readonly pid: number
      readonly cause: ExitCause
      /** A spare that died or spoke before it got a prompt: why; '' otherwise. */
      readonly spoiled: string
    }

/** Posted once per thread through `parentPort`, with the port transferred. */
export interface SeatHello {
  readonly type: 'seat'
  readonly threadId: number
  readonly port: MessagePort
}
