// The pool: admission through one bounded queue and a slot per active run. What happens inside a slot is in conduct.ts, where
// it happens in seats.ts and attempt.ts; the spares are in warm.ts, the orderly end in closing.ts.
import PQueue from 'p-queue'
import type { Failure } from '../core/events.ts'
import type { Job, Kept, LaunchProfile } from '../core/job.ts'
import type { Continuation, Pool, PoolSnapshot, Run } from '../core/run.ts'
import { monotonicMs } from '../lib/clock.ts'
import { FirstWords } from '../lib/first-words.ts'
import { endPool } from './closing.ts'
import { type ConductParts, conduct } from './conduct.ts'
import { deferred } from './deferred.ts'
import { type LostChildren, lostChildren } from './lost-children.ts'
import type { PoolOptions } from './options.ts'
import { Parking } from './parking.ts'
import { queueFull, queueTimeout, shuttingDown } from './refusals.ts'
import { Remembered } from './remembered.ts'
import { PoolRun } from './run.ts'
import { SeatTable } from './seat-table.ts'
import { startThreads, type Threads } from './threads.ts'
import { WarmPool } from './warm.ts'

export type { PoolOptions } from './options.ts'

export interface AgentPool extends Pool {
  /** Warms a child for this profile as long as no request has asked for another. */
  prewarm(profile: LaunchProfile): void
  /** `argv` where this version of the CLI was seen not to read its stdin. */
  promptViaFor(binary: string, version: string): 'stdin' | 'argv'
}

/** Starts the worker threads at once. `close` must be called; until then nothing here keeps the process up by itself. */
export function createPool(options: PoolOptions): AgentPool {
  return new ThreadedPool(options)
}

class ThreadedPool implements AgentPool {
  #options: PoolOptions
  #queue: PQueue
  #threads: Threads
  #seats: SeatTable
  #warm: WarmPool
  #remembered = new Remembered()
  #lostChildren: LostChildren
  #firstWords = new FirstWords(() => this.#queue.size)
  #parts: ConductParts
  /** Everything submitted and not settled. */
  #runs = new Set<PoolRun>()
  #parking: Parking
  #isLoaded = false
  #hurry = deferred<void>()
  #closed: Promise<void> | undefined

  constructor(options: PoolOptions) {
    const { worker: settings, telemetry, logger, concurrency } = options
    this.#options = options
    this.#queue = new PQueue({ concurrency })
    this.#parking = new Parking({
      queue: this.#queue,
      concurrency,
      maxParked: options.maxParked,
      onChange: (active) => {
        this.#warm.active(active)
        this.#loaded()
      },
      onWait: () => this.#firstWords.look(),
    })
    this.#lostChildren = lostChildren(settings, {
      onKilled: (signal) => telemetry.killed(signal),
      removeFolder: options.removeFolder,
    })
    this.#warm = new WarmPool({
      options,
      seats: () => this.#seats,
      remembered: this.#remembered,
      waiting: () => this.#queue.size,
    })
    this.#seats = new SeatTable({
      telemetry,
      logger,
      lostChildren: this.#lostChildren,
      usefulness: (key) => this.#warm.usefulness(key),
      ...(options.clientTools === undefined ? {} : { clientTools: options.clientTools }),
    })
    this.#seats.watch = this.#warm
    this.#threads = startThreads({
      workerFile: options.workerFile,
      workerData: { ...settings, firstWords: this.#firstWords.cell },
      minThreads: concurrency,
      maxThreads: concurrency + options.maxParked,
      idleMs: options.warmIdleMs,
      logger,
      onHello: (hello) => {
        this.#seats.hello(hello)
        options.onLoad?.(this.#isLoaded)
      },
    })
    // They are of use before they have said hello.
    for (const threadId of this.#threads.live()) this.#seats.of(threadId)
    this.#parts = {
      settings,
      threads: this.#threads,
      seats: this.#seats,
      telemetry,
      logger,
      remembered: this.#remembered,
      onPrompted: (job, warm) => this.#warm.prompted(job, warm),
      onSpoke: (runId) => {
        this.#warm.spoke(runId)
        this.#firstWords.settled(runId)
      },
      onPlayed: (job, terminal) => {
        if (terminal.type === 'failure') {
          this.#remembered.failed(job.profile.binary, terminal, monotonicMs())
        }
        this.#warm.played(job, terminal)
      },
    }
    if (options.firstProfile !== undefined) this.#warm.prewarm(options.firstProfile)
  }

  submit(submitted: Job, going?: Continuation): Run {
    const job = this.#remembered.suited(submitted)
    const run = new PoolRun(job, going)
    const refusal = this.#refusal(job)
    if (refusal === undefined) {
      this.#warm.wanted(job.profile)
      void this.#enqueue(run)
    } else {
      run.end(refusal, 'done')
      run.settle()
    }
    return run
  }

  async forget(kept: Kept): Promise<void> {
    if (kept.backend === 'acp') {
      const { pid, chatId } = kept
      this.#seats.withChild(pid)?.forget(pid, chatId)
      return
    }
    if (kept.folders === undefined) return
    const { root } = kept.folders
    const seat = this.#closed === undefined ? this.#seats.anyThread() : undefined
    if (seat === undefined) await this.#lostChildren.remove(root)
    else seat.send({ type: 'remove', root })
  }

  prewarm(profile: LaunchProfile): void {
    this.#warm.prewarm(profile)
  }

  promptViaFor(binary: string, version: string): 'stdin' | 'argv' {
    return this.#remembered.promptVia(binary, version)
  }

  snapshot(): PoolSnapshot {
    return {
      active: this.#parking.active,
      waiting: this.#queue.size,
      parked: this.#parking.parked,
      children: this.#seats.children(),
      warmingOff: this.#warm.off(),
      longestWaitMs: this.#longestWaitMs(),
    }
  }

  close(graceMs: number): Promise<void> {
    if (graceMs <= 0) this.#hurry.resolve()
    else setTimeout(() => this.#hurry.resolve(), graceMs).unref()
    this.#closed ??= endPool({
      options: this.#options,
      runs: this.#runs,
      parking: this.#parking,
      warm: this.#warm,
      seats: this.#seats,
      threads: this.#threads,
      lostChildren: this.#lostChildren,
      hurry: this.#hurry.promise,
    })
    return this.#closed
  }

  #longestWaitMs(): number {
    // In order of submission: the first that waits has waited longest.
    for (const run of this.#runs) {
      if (run.isWaiting) return Math.round(monotonicMs() - run.submittedMs)
    }
    return 0
  }

  #refusal(job: Job): Failure | undefined {
    if (this.#closed !== undefined) return shuttingDown()
    const refusal = this.#remembered.refusal(job, monotonicMs())
    if (refusal !== undefined) return refusal
    const { concurrency, maxWaiting } = this.#options
    const { pending, size } = this.#queue
    return pending + size < concurrency + maxWaiting ? undefined : queueFull(pending, size)
  }

  async #enqueue(run: PoolRun): Promise<void> {
    const { queueMs } = run.job.limits
    const waiting = new AbortController()
    const timer = setTimeout(() => run.end(queueTimeout(queueMs), 'timeout'), queueMs).unref()
    this.#runs.add(run)
    // Only while queued: an abort later would free the slot under a living child. conduct() takes onEnd over.
    run.onEnd = () => waiting.abort('the run ended')
    let played: Promise<void> | undefined
    try {
      const added = this.#queue.add(
        () =>
          new Promise<void>((freeSlot) => {
            clearTimeout(timer)
            played = this.#play(run, freeSlot)
          }),
        { signal: waiting.signal },
      )
      this.#firstWords.look()
      this.#loaded()
      await added
      // The slot may be given back, for a while or for good, long before the run is over.
      await played
    } catch (error) {
      if (!waiting.signal.aborted) throw error
    } finally {
      clearTimeout(timer)
      this.#runs.delete(run)
      run.settle()
      if (run.leftForNothing !== undefined) void this.forget(run.leftForNothing)
    }
  }

  async #play(run: PoolRun, freeSlot: () => void): Promise<void> {
    this.#parking.enter(run, freeSlot)
    this.#firstWords.awaited(run.id)
    try {
      await conduct(run, this.#parts)
    } finally {
      this.#parking.leave(run)
      this.#warm.changed()
    }
  }

  /** High from the first run that waits until nothing runs any more. */
  #loaded(): void {
    const isHigh = this.#queue.size > 0 || (this.#isLoaded && this.#parking.active > 0)
    if (isHigh === this.#isLoaded) return
    this.#isLoaded = isHigh
    this.#options.onLoad?.(isHigh)
  }
}
