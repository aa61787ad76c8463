// One child of a seat, from launch to gone: tells the main thread every change of its state, and keeps the first cause.
import type { Agent, Backend, ExitFacts, WorkerSettings } from '../src/backends/backend.ts'
import { LaunchFailure } from '../src/backends/backend.ts'
import type { Failure } from '../src/core/events.ts'
import type { ProfileKey } from '../src/core/ids.ts'
import { childKey, type LaunchProfile } from '../src/core/job.ts'
import type { ChildState, ExitCause } from '../src/core/telemetry.ts'
import { monotonicMs } from '../src/lib/clock.ts'
import { residentBytes } from '../src/lib/resident-bytes.ts'
import type { FromWorker } from '../src/pool/messages.ts'

export interface ChildParts {
  readonly backend: Backend
  readonly settings: WorkerSettings
  readonly post: (message: FromWorker) => void
}

/** A reusable child older than this, or with more memory, is replaced. */
const OLD_MS = 3_600_000
const BIG_BYTES = 1024 ** 3

/** What `launch` threw, as the event the client sees. Messages of foreign errors may hold paths: only their label is told. */
export function launchFailure(error: unknown): Failure {
  if (error instanceof LaunchFailure) return error.event
  const label = error instanceof Error ? error.name : 'unknown error'
  return { type: 'failure', code: 'internal', message: `the agent could not be started: ${label}` }
}

export class HeldChild {
  /** What a reusable child is bound to. */
  readonly childKey: ProfileKey
  /** The agent, or the failure that kept it from starting. Never rejects. */
  readonly launched: Promise<Agent | Failure>
  /** Resolves when nothing of the child is left; at once when it never started. Never rejects. */
  readonly gone: Promise<void>
  #post: (message: FromWorker) => void
  #agent: Agent | undefined
  #cause: ExitCause | undefined
  #taken: boolean
  #key: ProfileKey
  #runs = 0
  #bornMs = monotonicMs()
  #recycleAfter: number
  #failed = false
  #killed = false
  #spoiled = ''
  #isGone = false
  /** Resolves when the run that has the child gave it back or closed it. */
  #givenBack: Promise<void>
  #giveBack: () => void = () => undefined

  constructor(parts: ChildParts, profile: LaunchProfile, key: ProfileKey, use: 'spare' | 'run') {
    this.#key = key
    this.childKey = childKey(profile)
    this.#recycleAfter = parts.settings.recycleAfter ?? Number.POSITIVE_INFINITY
    this.#post = parts.post
    this.#taken = use === 'run'
    this.#givenBack = this.#lent()
    this.launched = this.#launch(parts, profile)
    this.gone = this.#untilGone()
  }

  /** Of the profile it was started for or served last. */
  get key(): ProfileKey {
    return this.#key
  }

  /** The running agent, undefined while it is being launched. */
  get agent(): Agent | undefined {
    return this.#agent
  }

  /** Why it is of no use as a spare: it spoke, exited, or is being closed; '' while it is fine. */
  get spoiled(): string {
    return this.#spoiled || (this.#cause === undefined ? '' : 'closed')
  }

  /** From now on it belongs to a run of this profile. */
  take(key: ProfileKey): void {
    if (!this.#taken) this.#givenBack = this.#lent()
    this.#taken = true
    this.#key = key
    this.#runs += 1
    this.#tell('busy')
  }

  /** Whether another run of any profile with an equal `childKey` may use it. */
  get canServe(): boolean {
    return this.#agent?.reusable === true && this.spoiled === ''
  }

  /** It has served long enough, or has grown. */
  get isWornOut(): boolean {
    const bytes = this.#agent === undefined ? undefined : residentBytes(this.#agent.pid)
    return (
      this.#runs >= this.#recycleAfter ||
      monotonicMs() - this.#bornMs > OLD_MS ||
      (bytes ?? 0) > BIG_BYTES
    )
  }

  /** Reusable child between two runs. */
  rest(): void {
    this.#taken = false
    this.#giveBack()
    this.#tell('idle')
  }

  /**
   * Ends the child, now or as soon as it has started; the first cause is the one reported. `failed` says that the run
   * did: a child that then exited badly by itself counts as crashed. Resolves like `gone`.
   */
  close(cause: ExitCause, failed = false): Promise<void> {
    if (this.#cause === undefined) {
      this.#cause = cause
      this.#failed = failed
      this.#tell('closing')
    }
    this.#giveBack()
    void this.#agent?.close(cause)
    return this.gone
  }

  #lent(): Promise<void> {
    return new Promise((resolve) => {
      this.#giveBack = resolve
    })
  }

  async #launch(parts: ChildParts, profile: LaunchProfile): Promise<Agent | Failure> {
    const from = monotonicMs()
    try {
      const onKilled = (signal: 'SIGTERM' | 'SIGKILL'): void => {
        this.#killed = true
        this.#post({ type: 'killed', signal })
      }
      const agent = await parts.backend.launch(profile, parts.settings, { onKilled })
      this.#post({ type: 'launched', backend: profile.backend, ms: monotonicMs() - from })
      this.#begin(agent)
      return agent
    } catch (error) {
      return launchFailure(error)
    }
  }

  #begin(agent: Agent): void {
    this.#agent = agent
    if (this.#cause !== undefined) {
      this.#tell('closing')
      void agent.close(this.#cause)
      return
    }
    this.#tell(this.#taken ? 'busy' : 'starting')
    void agent.ready.then(() => {
      if (this.#isSpare) this.#tell('warm')
    })
    void agent.spoiled.then((reason) => {
      if (!this.#isSpare) return
      this.#spoiled = reason
      void this.close(this.#runs > 0 ? 'crashed' : 'discarded')
    })
  }

  get #isSpare(): boolean {
    return !this.#taken && this.#cause === undefined
  }

  async #untilGone(): Promise<void> {
    const agent = await this.launched
    if ('type' in agent) return
    const facts = await agent.ended
    // It may be gone before its run has read its last words, and only the run knows how it ended.
    if (this.#taken && this.#cause === undefined) await this.#givenBack
    if (this.#isSpare && this.#spoiled === '') this.#spoiled = 'it exited before it got a prompt'
    const cause = this.#exitCause(facts)
    // One that has served says nothing against warming.
    const spoiled = this.#runs > 0 ? '' : this.#spoiled
    this.#isGone = true
    this.#post({ type: 'child', child: { at: 'gone', pid: agent.pid, cause, spoiled } })
  }

  #exitCause(facts: ExitFacts): ExitCause {
    if (this.#cause === undefined) return 'crashed'
    const exitedBadly = !this.#killed && (facts.signal !== null || facts.code !== 0)
    return this.#cause === 'done' && this.#failed && exitedBadly ? 'crashed' : this.#cause
  }

  #tell(at: ChildState): void {
    if (this.#agent === undefined || this.#isGone) return
    this.#post({ type: 'child', child: { at, pid: this.#agent.pid, key: this.#key } })
  }
}
