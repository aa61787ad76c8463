// PoolRun: what the reader of a run sees. Holds the events nobody has taken yet and makes sure that exactly one terminal
// event is delivered, whoever ends the run first. Knows no seat: the conductor is told through `onEnd` and `onTaken`.
import {
  type AgentEvent,
  type Batch,
  type Failure,
  isTerminal,
  type Terminal,
} from '../core/events.ts'
import type { CallId, RunId } from '../core/ids.ts'
import type { BackendName, Job, Kept } from '../core/job.ts'
import type { CancelCause, Continuation, Run, RunMarks } from '../core/run.ts'
import type { ExitCause } from '../core/telemetry.ts'
import { monotonicMs } from '../lib/clock.ts'
import { deferred } from './deferred.ts'
import { cancelled } from './refusals.ts'

interface Held {
  readonly batch: Batch
  readonly bytes: number
}

type Marks = { -readonly [Name in keyof RunMarks]: RunMarks[Name] }

export class PoolRun implements Run {
  readonly id: RunId
  readonly backend: BackendName
  readonly job: Job
  readonly going: Continuation | undefined
  readonly submittedMs = monotonicMs()
  /** Told once, when the terminal event is known; `cause` is set when the pool ended the run and not the agent. */
  onEnd: (terminal: Terminal, cause: ExitCause | undefined) => void = () => undefined
  /** Told when the reader took a batch. */
  onTaken: (bytes: number) => void = () => undefined
  #held: Held[] = []
  #waiter: ((batch: Batch | undefined) => void) | undefined
  #terminal: Terminal | undefined
  #openCalls = new Set<CallId>()
  #marks: Marks = {
    queueMs: undefined,
    launchMs: undefined,
    dispatchMs: undefined,
    agentMs: undefined,
    start: undefined,
  }
  /** How it parks; set while it is in its slot. */
  parking: { readonly park: () => boolean; readonly unpark: () => Promise<boolean> } | undefined
  #grantedMs: number | undefined
  /** Since when the exchange's clock runs; undefined while it stands still. */
  #clockFromMs: number | undefined
  #promptedMs: number | undefined
  #lastSignMs = 0
  #settled = deferred<void>()
  #kept: Kept | undefined
  #toolToken: string | undefined
  #onToolToken: (token: string) => void = () => undefined

  constructor(job: Job, going?: Continuation) {
    this.going = going
    this.id = job.runId
    this.backend = job.profile.backend
    this.job = job
  }

  next(): Promise<Batch | undefined> {
    const first = this.#held.shift()
    if (first !== undefined) {
      if (this.#held.length === 0) this.#lastSignMs = monotonicMs()
      this.onTaken(first.bytes)
      return Promise.resolve(first.batch)
    }
    if (this.#terminal !== undefined) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiter = resolve
    })
  }

  cancel(cause: CancelCause): void {
    this.end(...cancelled(cause))
  }

  marks(): RunMarks {
    return { ...this.#marks }
  }

  /** What an attempt left behind. */
  left(kept: Kept): void {
    this.#kept = kept
  }

  kept(): Kept | undefined {
    return this.#terminal?.type === 'finish' && this.job.keep === true ? this.#kept : undefined
  }

  /** What an attempt left behind that nobody will go on from. */
  get leftForNothing(): Kept | undefined {
    return this.kept() === undefined ? this.#kept : undefined
  }

  toolToken(): string | undefined {
    return this.#toolToken
  }

  watchToolToken(told: (token: string) => void): void {
    this.#onToolToken = told
    if (this.#toolToken !== undefined) told(this.#toolToken)
  }

  park(): boolean {
    return this.parking?.park() ?? false
  }

  async unpark(): Promise<boolean> {
    return (await this.parking?.unpark()) ?? false
  }

  /** It waits for its client from now on. */
  parked(): void {
    this.#clockFromMs = undefined
  }

  /** It goes on: another exchange, another time limit. */
  unparked(nowMs: number): void {
    this.#clockFromMs = nowMs
    this.#lastSignMs = nowMs
  }

  /** When the running exchange began; undefined while nothing runs. */
  get clockFromMs(): number | undefined {
    return this.#clockFromMs
  }

  get isParked(): boolean {
    return this.#grantedMs !== undefined && this.#clockFromMs === undefined
  }

  get settled(): Promise<void> {
    return this.#settled.promise
  }

  /** Child and slot are free. */
  settle(): void {
    this.#settled.resolve()
  }

  /** The terminal event, known as soon as it was decided, delivered or not. */
  get terminal(): Terminal | undefined {
    return this.#terminal
  }

  /** Since when the agent owes a sign of life; undefined while a tool runs, it is parked, or events wait for the reader. */
  get quietSinceMs(): number | undefined {
    const isStill = this.#openCalls.size > 0 || this.#held.length > 0 || this.isParked
    return isStill ? undefined : this.#lastSignMs
  }

  /** In the queue: neither granted a slot nor ended. */
  get isWaiting(): boolean {
    return this.#grantedMs === undefined && this.#terminal === undefined
  }

  granted(nowMs: number): void {
    this.#grantedMs = nowMs
    this.#clockFromMs = nowMs
    this.#lastSignMs = nowMs
    this.#marks.queueMs = nowMs - this.submittedMs
  }

  /** The prompt was handed to the child at `atMs`. Returns the dispatch time (slot granted → prompt written, launch excluded). */
  prompted(facts: {
    readonly atMs: number
    readonly launchMs: number
    readonly warm: boolean
    readonly isResumed: boolean
    readonly toolToken?: string
  }): number {
    this.#toolToken = facts.toolToken
    if (facts.toolToken !== undefined) this.#onToolToken(facts.toolToken)
    const dispatchMs = Math.max(0, facts.atMs - (this.#grantedMs ?? facts.atMs) - facts.launchMs)
    this.#promptedMs = facts.atMs
    this.#marks.launchMs = facts.launchMs
    this.#marks.dispatchMs = dispatchMs
    const fresh = this.going === undefined ? (facts.warm ? 'warm' : 'cold') : 'moved'
    this.#marks.start = facts.isResumed ? 'resumed' : fresh
    return dispatchMs
  }

  /** Events of the agent. True when they were its first sign of life (`marks().agentMs` is then new). */
  push(batch: Batch, bytes: number): boolean {
    if (this.#terminal !== undefined) return false
    this.#lastSignMs = monotonicMs()
    const isFirst = this.#promptedMs !== undefined && this.#marks.agentMs === undefined
    if (isFirst) this.#marks.agentMs = Math.max(0, batch.readAtMs - (this.#promptedMs ?? 0))
    this.#deliver({ events: this.#follow(batch.events), readAtMs: batch.readAtMs }, bytes)
    // Set by #follow; the compiler only remembers the check above.
    const terminal = this.terminal
    if (terminal !== undefined) this.onEnd(terminal, undefined)
    return isFirst
  }

  /** Ends the run from our side, unless it has ended: open calls are closed as unfinished, then the failure. */
  end(failure: Failure, cause: ExitCause): void {
    if (this.#terminal !== undefined) return
    this.#terminal = failure
    const unfinished = [...this.#openCalls].map(
      (callId): AgentEvent => ({
        type: 'tool-end',
        callId,
        isError: true,
        outcome: 'unfinished',
        summary: '',
        durationMs: undefined,
      }),
    )
    this.#openCalls.clear()
    this.#deliver({ events: [...unfinished, failure], readAtMs: monotonicMs() }, 0)
    this.onEnd(failure, cause)
  }

  /** Keeps track of open calls and the end; events after a terminal one are cut off. */
  #follow(events: readonly AgentEvent[]): readonly AgentEvent[] {
    for (const [index, event] of events.entries()) {
      if (event.type === 'tool-start') this.#openCalls.add(event.callId)
      else if (event.type === 'tool-end') this.#openCalls.delete(event.callId)
      else if (isTerminal(event)) {
        this.#terminal = event
        this.#openCalls.clear()
        return index === events.length - 1 ? events : events.slice(0, index + 1)
      }
    }
    return events
  }

  #deliver(batch: Batch, bytes: number): void {
    const waiter = this.#waiter
    if (waiter === undefined) {
      this.#held.push({ batch, bytes })
      return
    }
    this.#waiter = undefined
    this.onTaken(bytes)
    waiter(batch)
  }
}
