// A seat: one worker thread with at most one child in use. It launches, keeps a spare, plays runs (active-run.ts posts their
// events), and obeys the main thread. Decides nothing about which child is wanted.
import type { Agent, Backend, WorkerSettings } from '../src/backends/backend.ts'
import { secretsOf } from '../src/backends/redact.ts'
import type { Failure } from '../src/core/events.ts'
import type { ProfileKey, RunId } from '../src/core/ids.ts'
import { childKey, type Kept, type LaunchProfile } from '../src/core/job.ts'
import type { ExitCause } from '../src/core/telemetry.ts'
import { monotonicMs } from '../src/lib/clock.ts'
import type { FromWorker, RunReport, RunTask, ToWorker } from '../src/pool/messages.ts'
import { ActiveRun, type ActiveRunParts } from './active-run.ts'
import { HeldChild, launchFailure } from './held-child.ts'

export interface SeatParts {
  readonly settings: WorkerSettings
  readonly backendFor: (profile: LaunchProfile) => Backend
  readonly post: (message: FromWorker) => void
  /** Removes a scratch folder; what cannot be removed is left to the sweep. */
  readonly remove: (root: string) => void
}

type Obtained = {
  readonly child: HeldChild
  readonly agent: Agent
  readonly launchMs: number
  readonly warm: boolean
}

const SESSION_GONE: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message: 'The process that held the Cursor session of this conversation is gone. Try again.',
  again: 'fresh',
}

export class SeatWorker {
  #parts: SeatParts
  #runParts: ActiveRunParts
  #held: HeldChild | undefined
  #run: ActiveRun | undefined
  #closing = new Set<Promise<void>>()
  /** A cancel that overtook its task: they come through different ports. */
  #early: { readonly runId: RunId; readonly cause: ExitCause } | undefined

  constructor(parts: SeatParts) {
    this.#parts = parts
    const { CURSOR_API_KEY, CURSOR_AUTH_TOKEN } = process.env
    const { settings, post } = parts
    const secrets = secretsOf({ CURSOR_API_KEY, CURSOR_AUTH_TOKEN, ...settings.env })
    this.#runParts = { settings, post, secrets }
  }

  obey(message: ToWorker): void {
    switch (message.type) {
      case 'warm':
        if (this.#held === undefined && this.#run === undefined) this.#keepSpare(message)
        return
      case 'cancel':
        if (this.#run?.runId === message.runId) this.#cancel(this.#run, message.cause)
        else this.#early = message
        return
      case 'credit':
        if (this.#run?.runId === message.runId) this.#run.credit(message.bytes)
        return
      case 'forget':
        this.#forget(message.pid, message.chatIds)
        return
      case 'remove':
        this.#parts.remove(message.root)
        return
      case 'discard':
        if (this.#held !== undefined) this.#retire(this.#held, message.cause)
        this.#held = undefined
        return
    }
  }

  /** One attempt of a run. Resolves when its child is gone or idle and no other child of this seat is left closing. */
  async run(task: RunTask): Promise<RunReport> {
    const { runId } = task.job
    const cancelled = this.#early?.runId === runId ? this.#early.cause : undefined
    const run = new ActiveRun(this.#runParts, task.job, cancelled)
    this.#early = undefined
    this.#run = run
    try {
      if (cancelled === undefined) await this.#play(task, run)
    } catch (error) {
      // A bug in a backend: the run fails, the child must not stay.
      run.post([launchFailure(error)], monotonicMs())
      if (run.child !== undefined) this.#retire(run.child, 'crashed')
    }
    while (this.#closing.size > 0) await Promise.all(this.#closing)
    this.#run = undefined
    this.#parts.post({ type: 'released', runId })
    const kept = this.#keptBy(run)
    return { childKept: this.#held !== undefined, ...(kept === undefined ? {} : { kept }) }
  }

  #keptBy({ finished, child }: ActiveRun): Kept | undefined {
    const kept = finished?.kept?.()
    // A session goes with its child.
    return kept?.backend === 'acp' && this.#held !== child ? undefined : kept
  }

  async #play(task: RunTask, run: ActiveRun): Promise<void> {
    const obtained = await this.#obtain(task, run)
    if (obtained === undefined) return
    const { child, agent, launchMs, warm } = obtained
    const onPrompted = (toolToken?: string): void => {
      const atMs = monotonicMs()
      const token = toolToken === undefined ? {} : { toolToken }
      this.#parts.post({ type: 'prompted', runId: run.runId, launchMs, warm, atMs, ...token })
    }
    const terminal = await run.pump(agent.run(task.job, onPrompted))
    if (run.cancelled !== undefined) return
    if (terminal?.type === 'finish') run.finished = agent
    if (terminal?.type === 'finish' && agent.reusable) this.#rest(child, task.job.profile)
    else this.#retire(child, 'done', terminal?.type !== 'finish')
  }

  /** A reusable child after its run: waits for the next one, or is replaced. */
  #rest(child: HeldChild, profile: LaunchProfile): void {
    if (child.isWornOut) {
      this.#retire(child, 'recycled')
      return
    }
    this.#hold(child)
    child.rest()
    child.agent?.prepare?.(profile)
  }

  /** The child that will play the run, or undefined when it could not be started or the run was cancelled meanwhile. */
  async #obtain(task: RunTask, run: ActiveRun): Promise<Obtained | undefined> {
    const spare = this.#takeSpare(task)
    if (spare !== undefined) {
      const obtained = await this.#ready(run, spare, task.key)
      if (run.cancelled !== undefined) return undefined
      if (obtained !== undefined && spare.spoiled === '') return { ...obtained, warm: true }
      this.#retire(spare, 'discarded')
    }
    if (task.pid !== undefined) {
      run.post([SESSION_GONE], monotonicMs())
      return undefined
    }
    const child = this.#start(task.job.profile, task.key, 'run')
    const obtained = await this.#ready(run, child, task.key)
    if (obtained !== undefined || run.cancelled !== undefined) return obtained
    const failure = await child.launched
    if ('type' in failure) run.post([failure], monotonicMs())
    return undefined
  }

  async #ready(run: ActiveRun, child: HeldChild, key: ProfileKey): Promise<Obtained | undefined> {
    run.child = child
    const from = child.agent === undefined ? monotonicMs() : undefined
    const agent = await child.launched
    if (run.cancelled !== undefined || 'type' in agent) return undefined
    if (child.spoiled !== '') return undefined
    child.take(key)
    await Promise.race([agent.ready, agent.ended])
    if (run.cancelled !== undefined) return undefined
    return { child, agent, warm: false, launchMs: from === undefined ? 0 : monotonicMs() - from }
  }

  #cancel(run: ActiveRun, cause: ExitCause): void {
    run.cancelled ??= cause
    if (run.child !== undefined) {
      const { agent } = run.child
      if (cause === 'cancelled' && agent?.cancelRun !== undefined) {
        this.#untilClosed(this.#spare(run.child, run.profile, agent.cancelRun(cause)))
      } else this.#retire(run.child, run.cancelled)
    }
    run.wake()
  }

  /** A child whose run is being cancelled: stays when it is sound, else it goes. */
  async #spare(
    child: HeldChild,
    profile: LaunchProfile,
    cancelled: Promise<boolean>,
  ): Promise<void> {
    const isSound = await cancelled
    // It had ended well before the cancel came.
    if (this.#held === child) return
    if (isSound && this.#held === undefined) this.#rest(child, profile)
    else await child.close('cancelled')
  }

  #forget(pid: number, chatIds: readonly string[]): void {
    const { agent } =
      [this.#held, this.#run?.child].find((child) => child?.agent?.pid === pid) ?? {}
    for (const chatId of chatIds) agent?.forget?.(chatId)
  }

  #keepSpare(order: { readonly profile: LaunchProfile; readonly key: ProfileKey }): void {
    const spare = this.#start(order.profile, order.key, 'spare')
    this.#hold(spare)
    void spare.launched.then((agent) => {
      if (!('type' in agent)) return
      this.#parts.post({ type: 'warm-failed', key: order.key, failure: agent })
      if (this.#held === spare) this.#held = undefined
    })
  }

  #hold(child: HeldChild): void {
    this.#held = child
    void child.gone.then(() => {
      if (this.#held === child) this.#held = undefined
    })
  }

  /**
   * The spare when it fits; one that does not is closed beside the new child. For a run that goes on in a session, only
   * that session's child fits, and another one stays.
   */
  #takeSpare({ job, key, pid }: RunTask): HeldChild | undefined {
    const held = this.#held
    if (held === undefined || (pid !== undefined && held.agent?.pid !== pid)) return undefined
    this.#held = undefined
    const isForAll = held.canServe && held.childKey === childKey(job.profile)
    if ((held.key === key || isForAll) && held.spoiled === '') return held
    this.#retire(held, 'discarded')
    return undefined
  }

  #start(profile: LaunchProfile, key: ProfileKey, use: 'spare' | 'run'): HeldChild {
    const { settings, backendFor, post } = this.#parts
    return new HeldChild({ backend: backendFor(profile), settings, post }, profile, key, use)
  }

  #retire(child: HeldChild, cause: ExitCause, failed = false): void {
    this.#untilClosed(child.close(cause, failed))
  }

  /** The seat is not free before. */
  #untilClosed(gone: Promise<void>): void {
    this.#closing.add(gone)
    void gone.then(() => this.#closing.delete(gone))
  }
}
