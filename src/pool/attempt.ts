// One attempt of a run: one piscina task in one seat. Over when the worker has said that nothing is left, or when the thread
// is gone and its children have been ended from here.
import { type Failure, isTerminal, isVisible, isWork } from '../core/events.ts'
import type { ProfileKey, RunId } from '../core/ids.ts'
import { type Job, profileKey } from '../core/job.ts'
import type { Continuation } from '../core/run.ts'
import type { ExitCause, Logger, Telemetry } from '../core/telemetry.ts'
import { monotonicMs } from '../lib/clock.ts'
import { deferred } from './deferred.ts'
import type { FromWorker, RunTask } from './messages.ts'
import type { SeatSettings } from './options.ts'
import type { PoolRun } from './run.ts'
import type { SeatTable } from './seat-table.ts'
import type { Seat, SeatUser } from './seats.ts'
import type { Threads } from './threads.ts'

/** On top of the graces: after that a worker that has not finished counts as stuck. */
const STUCK_MS = 2_000
/** A new thread takes about 100 ms to load. */
const THREAD_MS = 15_000

export interface AttemptParts {
  readonly settings: SeatSettings
  readonly threads: Threads
  readonly seats: SeatTable
  readonly telemetry: Telemetry
  readonly logger: Logger
  /** The prompt was written; `warm`: by a spare that waited for it. */
  readonly onPrompted: (job: Job, warm: boolean) => void
  /** It has said its first words. */
  readonly onSpoke: (runId: RunId) => void
}

/** How an attempt went; the run may have ended or not. */
export type AttemptEnd =
  | { readonly at: 'played' }
  /** It failed before anything was done or seen, and the failure says how to try again; nothing was delivered. */
  | { readonly at: 'again'; readonly failure: Failure; readonly wasResumed: boolean }
  | { readonly at: 'thread-lost'; readonly reason: string }

export class Attempt implements SeatUser {
  /** Child gone or idle, seat free. Never rejects. */
  readonly over: Promise<AttemptEnd>
  #run: PoolRun
  #job: Job
  #key: ProfileKey
  #going: Continuation | undefined
  /** The conversation's own session is used. */
  #isResumed = false
  #parts: AttemptParts
  #mayRepeat: boolean
  #seat: Seat | undefined
  #cause: ExitCause | undefined
  #withheld: Failure | undefined
  #seen = false
  #owedBytes = 0
  #abort = new AbortController()
  #released = deferred<void>()
  #stuckTimer: NodeJS.Timeout | undefined
  #threadTimer: NodeJS.Timeout | undefined

  /** Starts at once. `mayRepeat`: a failure that allows another attempt is withheld. */
  constructor(
    run: PoolRun,
    job: Job,
    options: {
      readonly parts: AttemptParts
      readonly mayRepeat: boolean
      /** How the run may go on instead of playing `job` as it is. */
      readonly going: Continuation | undefined
    },
  ) {
    this.#run = run
    this.#job = job
    this.#key = profileKey(job.profile)
    this.#going = options.going
    this.#parts = options.parts
    this.#mayRepeat = options.mayRepeat
    this.over = this.#play()
  }

  get cause(): ExitCause | undefined {
    return this.#cause
  }

  get isParked(): boolean {
    return this.#run.isParked
  }

  /** The run ended: by the agent (no cause), or by us, and then the worker ends the child. */
  runEnded(cause: ExitCause | undefined): void {
    this.#expectEnd()
    if (cause === undefined || this.#cause !== undefined) return
    this.#cause = cause
    // Without a seat the task still waits for a thread, and nothing was started.
    if (this.#seat === undefined) this.#abort.abort()
    else this.#seat.send({ type: 'cancel', runId: this.#run.id, cause })
  }

  /** Grants the worker as much as the reader took; half a credit at a time, not a message per batch. */
  taken(bytes: number): void {
    this.#owedBytes += bytes
    if (this.#owedBytes * 2 < this.#parts.settings.creditBytes) return
    this.#seat?.send({ type: 'credit', runId: this.#run.id, bytes: this.#owedBytes })
    this.#owedBytes = 0
  }

  heard(message: FromWorker): void {
    if (message.type === 'released') this.#released.resolve()
    else if (message.type === 'prompted') this.#prompted(message)
    else if (message.type === 'events') this.#happened(message)
  }

  async #play(): Promise<AttemptEnd> {
    try {
      const { task, threadId } = this.#place()
      const report = this.#parts.threads.run(task, {
        threadId,
        onAssigned: (id) => this.#assigned(id),
        signal: this.#abort.signal,
      })
      if (this.#seat === undefined) this.#expectThread()
      const { childKept, kept } = await report
      // The report and the seat's messages come through different ports: wait for the last message.
      await Promise.race([this.#released.promise, this.#seat?.lost])
      this.#leave(childKept)
      if (kept !== undefined) {
        if (kept.backend === 'acp') this.#seat?.chats.add(kept.chatId)
        this.#run.left(kept)
      }
      return this.#withheld === undefined
        ? { at: 'played' }
        : { at: 'again', failure: this.#withheld, wasResumed: this.#isResumed }
    } catch (error) {
      await this.#threadLost()
      return { at: 'thread-lost', reason: reasonOf(error) }
    } finally {
      clearTimeout(this.#stuckTimer)
      clearTimeout(this.#threadTimer)
    }
  }

  /** What is to be done where; goes on in the conversation's session when that can be had now. */
  #place(): { readonly task: RunTask; readonly threadId: number | undefined } {
    const { seats } = this.#parts
    const going = this.#going
    if (going?.kept.backend === 'acp') {
      const { pid, chatId } = going.kept
      const seat = seats.withIdle(pid)
      if (seat !== undefined) {
        this.#isResumed = true
        this.#job = { ...this.#job, chatId, prompt: going.prompt }
        return { task: { job: this.#job, key: this.#key, pid }, threadId: seat.threadId }
      }
    } else if (going !== undefined) {
      this.#isResumed = true
      const profile = { ...this.#job.profile, resume: going.kept }
      this.#job = { ...this.#job, profile, prompt: going.prompt }
      this.#key = profileKey(profile)
    }
    const seat = seats.choose({ profile: this.#job.profile, key: this.#key })
    return { task: { job: this.#job, key: this.#key }, threadId: seat?.threadId }
  }

  /** Every thread is being replaced; should none come (a damaged installation), the run must not wait for its deadline. */
  #expectThread(): void {
    this.#threadTimer = setTimeout(() => {
      this.#abort.abort('no worker thread could be started')
    }, THREAD_MS).unref()
  }

  #assigned(threadId: number): void {
    clearTimeout(this.#threadTimer)
    const seat = this.#parts.seats.of(threadId)
    this.#seat = seat
    // A session of mode bridge never shares its process with another live conversation.
    if (this.#job.profile.mode === 'bridge') seat.forgetChats(this.#job.chatId)
    seat.enter(this.#run.id, this)
  }

  async #threadLost(): Promise<void> {
    const seat = this.#seat
    if (seat === undefined) return
    this.#parts.threads.terminate(seat.threadId)
    if (!seat.isAttached) this.#parts.seats.lose(seat)
    await seat.lost
    this.#leave(false)
  }

  #leave(childKept: boolean): void {
    const kept = childKept ? { profile: this.#job.profile, key: this.#key } : undefined
    this.#seat?.leave(this.#run.id, kept, monotonicMs())
  }

  #prompted(message: Extract<FromWorker, { type: 'prompted' }>): void {
    const dispatchMs = this.#run.prompted({ ...message, isResumed: this.#isResumed })
    this.#parts.telemetry.overhead('dispatch', dispatchMs / 1000)
    this.#parts.telemetry.warmStart(message.warm ? 'hit' : 'miss')
    this.#parts.onPrompted(this.#job, message.warm)
  }

  #happened(message: Extract<FromWorker, { type: 'events' }>): void {
    const { events, readAtMs, bytes } = message
    const last = events.at(-1)
    const hadSeen = this.#seen
    this.#seen ||= events.some((event) => isVisible(event) || isWork(event))
    if (this.#mayRepeat && !this.#seen && last?.type === 'failure' && last.again !== undefined) {
      this.#withheld = last
      this.#expectEnd()
      return
    }
    if (this.#run.push({ events, readAtMs }, bytes)) this.#firstSign()
    if (this.#seen && !hadSeen) this.#parts.onSpoke(this.#run.id)
    // Also when the run had ended before: the worker is done all the same.
    if (last !== undefined && isTerminal(last)) this.#expectEnd()
  }

  #firstSign(): void {
    const { agentMs, start } = this.#run.marks()
    if (agentMs === undefined || start === undefined) return
    this.#parts.telemetry.agentFirstEvent({ backend: this.#run.backend, start }, agentMs / 1000)
  }

  /** From now on the worker has its graces to finish; then its thread is terminated, as the last resort. */
  #expectEnd(): void {
    const { exitGraceMs, killGraceMs } = this.#parts.settings
    this.#stuckTimer ??= setTimeout(
      () => {
        this.#parts.logger.error('a worker thread is stuck and gets terminated', {
          run: this.#run.id,
        })
        this.#abort.abort()
      },
      exitGraceMs + killGraceMs + STUCK_MS,
    ).unref()
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason was given'
  return typeof error.cause === 'string' ? error.cause : error.message
}
