// One ACP child: opens sessions ahead of need, plays one run at a time in them (active-run.ts), cancels without dying, and
// is given up on the first doubt.
import {
  type Batch,
  type Failure,
  isTerminal,
  type Terminal,
  type UnknownKind,
} from '../../core/events.ts'
import type { Job, Kept, LaunchProfile } from '../../core/job.ts'
import type { ExitCause } from '../../core/telemetry.ts'
import { type JsonObject, stringAt } from '../../lib/json.ts'
import type { Child } from '../../process/child.ts'
import type { Agent, ExitFacts } from '../backend.ts'
import { cancelled } from '../cancelled.ts'
import { hasOwnData } from '../launch.ts'
import { namesOf } from '../offer.ts'
import { ActiveRun } from './active-run.ts'
import { isHarmless } from './failures.ts'
import { INITIALIZE, INITIALIZE_MS } from './handshake.ts'
import { Lifetime, type LifetimeParts } from './lifetime.ts'
import type { AcpLink } from './link.ts'
import { Openings } from './openings.ts'
import { permissionsOf, replyTo } from './permissions.ts'
import { Sessions } from './sessions.ts'
import type { Turn } from './turn.ts'

export interface AcpAgentParts extends LifetimeParts {
  /** What it was started for; sessions may be for others. Its own folder is `scratch`, theirs are inside. */
  readonly profile: LaunchProfile
}

type OnPrompted = Parameters<Agent['run']>[1]

/** Ways to end in which nothing is under way, so that the child may end by itself. */
const CALM: ReadonlySet<ExitCause> = new Set(['done', 'recycled', 'shutdown', 'discarded'])

export class AcpAgent implements Agent {
  readonly pid: number
  readonly ready: Promise<void>
  readonly spoiled: Promise<string>
  readonly #parts: AcpAgentParts
  readonly #child: Child
  readonly #link: AcpLink
  readonly #sessions: Sessions
  readonly #openings: Openings
  readonly #lifetime: Lifetime
  #active: ActiveRun | undefined
  #turn: Turn | undefined
  #kept: Kept | undefined
  /** Why this child must not take another run; '' while it is sound. */
  #doubt = ''
  #closed = false
  #spoil: (reason: string) => void = ignore

  /** `link` must be open, its handlers calling heard, asked, odd, took and outputOver; reading starts after this. */
  constructor(parts: AcpAgentParts, link: AcpLink) {
    this.#parts = parts
    this.#child = parts.child
    this.#link = link
    this.pid = parts.child.pid
    this.#lifetime = new Lifetime(parts)
    this.spoiled = new Promise((resolve) => {
      this.#spoil = resolve
    })
    const { model } = parts.profile
    const initialized = link.step('initialize', INITIALIZE, INITIALIZE_MS, model)
    // Whoever needs it sees the failure.
    initialized.catch(ignore)
    this.#sessions = new Sessions({
      folder: parts.scratch.work,
      data: hasOwnData(parts.profile, parts.settings) ? parts.scratch.data : undefined,
      hooks: parts.hooks,
      call: async (method, params, ms) => {
        await initialized
        return link.step(method, params, ms, model)
      },
    })
    void this.#lifetime.ended.then(() => this.#sessions.over())
    const onFailure = (failure: Failure): Failure => this.#stepFailed(failure)
    this.#openings = new Openings(this.#sessions, initialized, onFailure)
    this.#openings.prepare(parts.profile)
    this.ready = this.#untilOpen()
    void this.#watchExit()
  }

  get ended(): Promise<ExitFacts> {
    return this.#lifetime.ended
  }

  get reusable(): boolean {
    return this.#doubt === '' && !this.#closed && !this.#link.isOver
  }

  async *run(job: Job, onPrompted: OnPrompted): AsyncGenerator<Batch> {
    const active = this.#begin(job)
    let isOver = false
    try {
      for await (const batch of active.play(onPrompted)) {
        active.saw(batch)
        const last = batch.events.at(-1)
        if (last !== undefined && isTerminal(last)) {
          isOver = true
          this.#concluded(active, job, last)
        }
        yield batch
      }
    } finally {
      if (this.#active === active) this.#active = undefined
      // The reader left before the end, and nobody cancelled.
      if (!isOver && !active.isStopped) void this.close('cancelled')
    }
  }

  kept(): Kept | undefined {
    return this.#kept
  }

  forget(chatId: string): void {
    this.#sessions.forget(chatId)
  }

  prepare(profile: LaunchProfile): void {
    if (this.reusable) this.#openings.prepare(profile)
  }

  async cancelRun(_cause: ExitCause): Promise<boolean> {
    const active = this.#active
    if (active === undefined) return this.reusable
    this.#stop(active)
    const { session } = active
    if (session === undefined || active.answered === undefined) return this.reusable
    this.#link.notify('session/cancel', { sessionId: session.id })
    const isSound = await active.isAnsweredSoon()
    if (!isSound) this.#doubt ||= 'it did not answer a cancel'
    // A cancelled turn is never gone on from.
    this.#sessions.forget(session.id)
    return this.reusable
  }

  close(cause: ExitCause): Promise<ExitFacts> {
    const { exitGraceMs } = this.#parts.settings
    const isCalm = this.#active === undefined && this.#doubt === '' && CALM.has(cause)
    this.#closed = true
    if (this.#active !== undefined) this.#stop(this.#active)
    // Source: reports of hosts: it ends by itself when its stdin does.
    if (isCalm) this.#child.endStdin()
    this.#lifetime.end(cause, isCalm ? exitGraceMs : 0)
    return this.ended
  }

  // What the link hears.

  heard(sessionId: string, update: JsonObject): void {
    const kind = update.sessionUpdate
    if (kind === 'current_mode_update') this.#sessions.modeChanged(sessionId, update)
    const turn = this.#turn
    if (turn === undefined) return
    if (turn.sessionId === sessionId) turn.heard(update)
    else if (typeof kind === 'string' && /chunk|tool_call/.test(kind)) turn.note('late-event')
  }

  asked(method: string, params: JsonObject): JsonObject | undefined {
    const active = this.#active
    const isOurs = stringAt(params, 'sessionId') === active?.session?.id && !active?.isStopped
    // It may ask about a tool that it shows nowhere else.
    if (isOurs && active?.session !== undefined) active.session.isTouched = true
    const { mode, ...profile } = active?.profile ?? this.#parts.profile
    return replyTo(method, params, {
      permissions: permissionsOf({ ...profile, mode }),
      cwd: isOurs ? active?.session?.cwd : undefined,
      ...(mode === 'bridge' ? { clientTools: namesOf(active?.session?.offer) } : {}),
    })
  }

  odd(kind: UnknownKind): void {
    this.#turn?.note(kind)
    if (kind === 'late-event') return
    this.#doubt ||= 'it wrote something that is no message'
    if (this.#active === undefined) this.#spoil('it wrote to its output before it got a prompt')
  }

  took(readAtMs: number): Promise<void> | undefined {
    this.#turn?.flush(readAtMs)
    return this.#turn?.room()
  }

  outputOver(): void {
    this.#turn?.settle({ at: 'over' })
  }

  #begin(job: Job): ActiveRun {
    const isClosed = (): boolean => this.#closed
    const onTurn = (turn: Turn): void => {
      this.#turn = turn
    }
    const parts = { link: this.#link, openings: this.#openings, isClosed, onTurn }
    this.#active = new ActiveRun(parts, job)
    this.#kept = undefined
    return this.#active
  }

  #stop(active: ActiveRun): void {
    active.stop()
    this.#turn?.settle({ at: 'stopped' })
    this.#turn = undefined
  }

  /** A step before the prompt that fails leaves the child in doubt. */
  #stepFailed(failure: Failure): Failure {
    if (!isHarmless(failure)) {
      this.#doubt ||= failure.message
      // What exited is spoiled by its exit, with its last words.
      if (this.#active === undefined && !this.#link.isOver) {
        this.#spoil(`it was not ready for a prompt: ${failure.message}`)
      }
    }
    return this.#closed ? cancelled : failure
  }

  #concluded(active: ActiveRun, job: Job, terminal: Terminal): void {
    this.#turn = undefined
    const { session } = active
    const isGood = terminal.type === 'finish'
    if (isGood && job.keep === true && session !== undefined) {
      this.#kept = { backend: 'acp', pid: this.pid, chatId: session.id }
    } else if (session !== undefined && !active.isStopped) {
      this.#sessions.forget(session.id)
    }
    if (!isGood && !active.isStopped && !isHarmless(terminal)) this.#doubt ||= terminal.message
  }

  async #untilOpen(): Promise<void> {
    await this.#openings.next
  }

  async #watchExit(): Promise<void> {
    await this.#child.exited
    const exit = await this.#link.exit()
    if (this.#active !== undefined || this.#closed) return
    const { message } = this.#link.lastWords(exit, '', this.#parts.profile.model)
    this.#doubt ||= `it exited (${exit.code ?? exit.signal})`
    this.#spoil(`it exited before it got a prompt: ${message}`)
  }
}

function ignore(): void {
  // Deliberately empty: nobody waits.
}
