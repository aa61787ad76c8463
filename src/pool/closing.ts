// The orderly end of the pool: active runs may finish, queued ones may not; then spares, threads and what those left behind.
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../lib/clock.ts'
import type { LostChildren } from './lost-children.ts'
import type { PoolOptions } from './options.ts'
import type { Parking } from './parking.ts'
import type { PoolRun } from './run.ts'
import type { SeatTable } from './seat-table.ts'
import type { Threads } from './threads.ts'
import type { WarmPool } from './warm.ts'

export interface ClosingParts {
  readonly options: PoolOptions
  /** Everything submitted and not settled; nothing is added any more. */
  readonly runs: ReadonlySet<PoolRun>
  readonly parking: Parking
  readonly warm: WarmPool
  readonly seats: SeatTable
  readonly threads: Threads
  readonly lostChildren: LostChildren
  /** Resolves when active runs have had their time. */
  readonly hurry: Promise<void>
}

/** Resolves when no run, no child and no thread of the pool is left. */
export async function endPool(parts: ClosingParts): Promise<void> {
  const { options, runs, parking, warm, seats, threads, lostChildren } = parts
  warm.stop()
  // Queued runs end at once: nothing is to start when an active one gives its slot back. Parked ones would wait for nothing.
  for (const run of runs) {
    if (run.marks().queueMs === undefined) run.cancel('shutdown')
  }
  parking.close()
  const settled = (): Promise<unknown> => Promise.all([...runs].map((run) => run.settled))
  await Promise.race([settled(), parts.hurry])
  for (const run of runs) run.cancel('shutdown')
  await settled()
  // Children that were busy at the beginning may be idle now.
  warm.stop()
  await quiet(parts)
  const all = seats.all
  await threads.destroy()
  for (const seat of all) seats.lose(seat)
  await Promise.all(all.map((seat) => seat.lost))
  const left = await lostChildren.endAll()
  // Folders may be those of conversations that could have gone on.
  if (left.groups > 0) {
    options.logger.warn('a worker thread had left something behind', { ...left })
  }
}

/** Waits for spares to close (what is left is ended by pid after the threads) and for threads that are still loading. */
async function quiet({ options, seats, threads }: ClosingParts): Promise<void> {
  const { exitGraceMs, killGraceMs } = options.worker
  const endMs = monotonicMs() + exitGraceMs + killGraceMs + 2000
  const noChild = (): boolean => Object.values(seats.children()).every((n) => n === 0)
  // Terminating a thread while it loads its modules crashes the whole process (see workers/serve-seat.ts).
  const noneLoading = (): boolean =>
    threads.live().every((threadId) => seats.of(threadId).isAttached)
  while (!(noChild() && noneLoading()) && monotonicMs() < endMs) await delay(5)
}
