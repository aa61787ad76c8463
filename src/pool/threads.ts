// The worker threads: piscina with one task per thread, placed where the caller says. Knows no runs and no children.
// Traps this file avoids are in docs and comments: a task must never wait in piscina's queue, and a signal that is aborted
// terminates the thread.
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import type { Logger } from '../core/telemetry.ts'
import { YOUNG_HEAP_MB } from '../lib/heap.ts'
import type { RunReport, RunTask, SeatHello } from './messages.ts'

export interface ThreadOptions {
  readonly workerFile: URL
  readonly workerData: unknown
  readonly minThreads: number
  readonly maxThreads: number
  readonly idleMs: number
  readonly logger: Logger
  readonly onHello: (hello: SeatHello) => void
}

export interface Placement {
  /** The thread wanted; any free one when undefined or gone. */
  readonly threadId: number | undefined
  /** Told which thread got the task, before it runs there. */
  readonly onAssigned: (threadId: number) => void
  /** Aborting it takes the task out of piscina's queue, or terminates the thread it runs on. */
  readonly signal: AbortSignal
}

export interface Threads {
  /** Rejects when the thread died or the signal was aborted. */
  run(task: RunTask, placement: Placement): Promise<RunReport>
  /** The threads that live now, those still loading included. */
  live(): readonly number[]
  /** Ends one thread; piscina replaces it. */
  terminate(threadId: number): void
  destroy(): Promise<void>
}

function isHello(message: unknown): message is SeatHello {
  return (
    typeof message === 'object' && message !== null && 'type' in message && message.type === 'seat'
  )
}

function isPlacement(value: unknown): value is Placement {
  return typeof value === 'object' && value !== null && 'onAssigned' in value
}

export function startThreads(options: ThreadOptions): Threads {
  const pool = new Piscina<RunTask, RunReport>({
    filename: fileURLToPath(options.workerFile),
    workerData: options.workerData,
    minThreads: options.minThreads,
    maxThreads: options.maxThreads,
    idleTimeout: options.idleMs,
    concurrentTasksPerWorker: 1,
    // With 'sync' a thread is frozen between tasks: a warm child's output and exit would go unseen (measured, 5.3.2).
    atomics: 'disabled',
    recordTiming: false,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_HEAP_MB },
    loadBalancer(task, workers) {
      const placement: unknown = Reflect.get(task, Piscina.queueOptionsSymbol)
      const free = workers.filter((worker) => worker.currentUsage === 0 && !worker.destroyed)
      const wanted = isPlacement(placement) ? placement.threadId : undefined
      const worker = free.find(({ id }) => id === wanted) ?? free[0]
      if (worker === undefined) return null
      if (isPlacement(placement)) placement.onAssigned(worker.id)
      return worker
    },
  })
  pool.on('message', (message: unknown) => {
    if (isHello(message)) options.onHello(message)
  })
  // A thread that failed while it had no task; its port closes, which is what the seats act on.
  pool.on('error', (error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error)
    options.logger.error('a worker thread failed', { reason })
  })
  return {
    run: (task, placement) =>
      pool.run(Object.assign({ ...task }, { [Piscina.queueOptionsSymbol]: placement }), {
        signal: placement.signal,
      }),
    live: () => pool.threads.map(({ threadId }) => threadId),
    terminate(threadId) {
      void pool.threads.find((thread) => thread.threadId === threadId)?.terminate()
    },
    destroy: () => pool.destroy(),
  }
}
