// One attempt of a run while its seat plays it: posts what the agent does, no more of it than the reader has room for.
// Decides nothing about children.
import type { Agent, WorkerSettings } from '../src/backends/backend.ts'
import { hideIn } from '../src/backends/redact.ts'
import { type AgentEvent, type Batch, isTerminal, type Terminal } from '../src/core/events.ts'
import type { RunId } from '../src/core/ids.ts'
import type { LaunchProfile } from '../src/core/job.ts'
import { joinDeltas } from '../src/core/join-deltas.ts'
import type { ExitCause } from '../src/core/telemetry.ts'
import { monotonicMs } from '../src/lib/clock.ts'
import type { FromWorker } from '../src/pool/messages.ts'
import { sizeOfBatch } from './batch-size.ts'
import type { HeldChild } from './held-child.ts'

export interface ActiveRunParts {
  readonly settings: WorkerSettings
  readonly post: (message: FromWorker) => void
  /** Kept out of failures. */
  readonly secrets: readonly string[]
}

export class ActiveRun {
  readonly runId: RunId
  readonly profile: LaunchProfile
  cancelled: ExitCause | undefined
  child: HeldChild | undefined
  /** The agent that answered to the end. */
  finished: Agent | undefined
  readonly #parts: ActiveRunParts
  /** Bytes posted and not yet taken by the reader. */
  #outstanding = 0
  #wake: (() => void) | undefined

  constructor(
    parts: ActiveRunParts,
    { runId, profile }: { readonly runId: RunId; readonly profile: LaunchProfile },
    cancelled: ExitCause | undefined,
  ) {
    this.#parts = parts
    this.runId = runId
    this.profile = profile
    this.cancelled = cancelled
  }

  /** Posts what the agent does, as long as the main thread grants credit, until the terminal event. */
  async pump(batches: AsyncIterable<Batch>): Promise<Terminal | undefined> {
    for await (const { events, readAtMs } of batches) {
      if (this.cancelled !== undefined) return undefined
      this.post(events, readAtMs)
      const last = events.at(-1)
      if (last !== undefined && isTerminal(last)) return last
      if (this.#outstanding > this.#parts.settings.creditBytes) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve
        })
      }
    }
    if (this.cancelled !== undefined) return undefined
    const message = 'the agent ended without saying how'
    const failure: Terminal = { type: 'failure', code: 'agent-failed', message }
    this.post([failure], monotonicMs())
    return failure
  }

  post(all: readonly AgentEvent[], readAtMs: number): void {
    if (all.length === 0) return
    const { post, secrets } = this.#parts
    const events = joinDeltas(all)
    const bytes = sizeOfBatch(events)
    this.#outstanding += bytes
    const last = events.at(-1)
    const shown =
      last?.type === 'failure' ? [...events.slice(0, -1), hideIn(last, secrets)] : events
    post({ type: 'events', runId: this.runId, events: shown, readAtMs, bytes })
  }

  /** The reader has taken so much. */
  credit(bytes: number): void {
    this.#outstanding -= bytes
    if (this.#outstanding <= this.#parts.settings.creditBytes) this.wake()
  }

  /** Ends a wait for credit. */
  wake(): void {
    this.#wake?.()
  }
}
