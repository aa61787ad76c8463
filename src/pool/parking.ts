// Slots and seats of runs that wait for their client: a parked run gives its slot back and keeps its seat, and asks for a
// slot ahead of new work when its results are there. Never more seats are taken than there are.
import type PQueue from 'p-queue'
import { monotonicMs } from '../lib/clock.ts'
import { type Deferred, deferred } from './deferred.ts'
import { queueTimeout } from './refusals.ts'
import type { PoolRun } from './run.ts'

export interface ParkingParts {
  readonly queue: PQueue
  /** Slots. */
  readonly concurrency: number
  /** Seats beyond the slots. */
  readonly maxParked: number
  /** A slot was given back or taken. */
  readonly onChange: (active: number) => void
  /** One that was parked may have to wait for a slot. */
  readonly onWait: () => void
}

/** New work has priority 0. */
const AHEAD = 1

interface Stay {
  /** Gives the slot back; undefined when there is none. */
  freeSlot: (() => void) | undefined
  /** `waiting`: asks for a slot. */
  at: 'active' | 'parked' | 'waiting'
  /** Ends the wait for a slot. */
  readonly over: AbortController
}

export class Parking {
  readonly #parts: ParkingParts
  readonly #stays = new Map<PoolRun, Stay>()
  /** Runs that are parked or ask for a slot; each has a seat. The longest-parked first. */
  readonly #parked = new Set<PoolRun>()
  #active = 0
  #isClosing = false

  constructor(parts: ParkingParts) {
    this.#parts = parts
  }

  get active(): number {
    return this.#active
  }

  get parked(): number {
    return this.#parked.size
  }

  /** A run has got its first slot. */
  enter(run: PoolRun, freeSlot: () => void): void {
    const stay: Stay = { freeSlot, at: 'active', over: new AbortController() }
    this.#stays.set(run, stay)
    this.#count(1)
    run.parking = { park: () => this.#park(run, stay), unpark: () => this.#unpark(run, stay) }
  }

  /** Its child is gone or idle again. */
  leave(run: PoolRun): void {
    const stay = this.#stays.get(run)
    if (stay === undefined) return
    this.#stays.delete(run)
    this.#parked.delete(run)
    stay.over.abort('it left')
    this.#free(stay)
    this.#freeWhatCan()
  }

  /** No client is served any more: nothing waits, now or later. */
  close(): void {
    this.#isClosing = true
    for (const run of this.#parked) run.cancel('shutdown')
  }

  #park(run: PoolRun, stay: Stay): boolean {
    if (run.terminal !== undefined || stay.at !== 'active' || !this.#stays.has(run)) return false
    stay.at = 'parked'
    this.#parked.add(run)
    run.parked()
    if (this.#isClosing) run.cancel('shutdown')
    else this.#freeWhatCan()
    return true
  }

  /**
   * A parked run's slot is free for others as soon as there is a seat for them; until then it is kept, and the longest-parked
   * run has to go.
   */
  #freeWhatCan(): void {
    for (const run of this.#parked) {
      const stay = this.#stays.get(run)
      if (stay?.at !== 'parked' || stay.freeSlot === undefined) continue
      if (!this.#hasSeats) {
        this.#evict()
        return
      }
      this.#free(stay)
    }
  }

  /** With one more slot free, every run that could take one would find a seat. One that waits for a slot has its seat. */
  get #hasSeats(): boolean {
    const { concurrency, maxParked } = this.#parts
    const waiting = [...this.#stays.values()].filter(({ at }) => at === 'waiting').length
    const forNewWork = Math.max(0, concurrency - this.#active + 1 - waiting)
    return this.#stays.size + forNewWork <= concurrency + maxParked
  }

  /** One at a time: the next one goes when the first is gone and there are still too many. */
  #evict(): void {
    const parked = [...this.#parked].filter((run) => this.#stays.get(run)?.at === 'parked')
    if (parked.some((run) => run.terminal !== undefined)) return
    parked[0]?.cancel('evicted')
  }

  async #unpark(run: PoolRun, stay: Stay): Promise<boolean> {
    if (run.terminal !== undefined || stay.at !== 'parked' || !this.#stays.has(run)) return false
    if (stay.freeSlot !== undefined) {
      this.#resumed(run, stay)
      return true
    }
    stay.at = 'waiting'
    const granted: Deferred<void> = deferred()
    const { queueMs } = run.job.limits
    const timer = setTimeout(() => run.end(queueTimeout(queueMs), 'timeout'), queueMs).unref()
    const place = this.#parts.queue.add(
      () =>
        new Promise<void>((free) => {
          stay.freeSlot = free
          this.#count(1)
          granted.resolve()
        }),
      { priority: AHEAD, signal: stay.over.signal },
    )
    this.#parts.onWait()
    // Rejects only when the run is over before it got the slot.
    const refused = place.then(
      () => undefined,
      () => undefined,
    )
    this.#freeWhatCan()
    await Promise.race([granted.promise, refused])
    clearTimeout(timer)
    if (run.terminal !== undefined || stay.freeSlot === undefined) return false
    this.#resumed(run, stay)
    return true
  }

  #resumed(run: PoolRun, stay: Stay): void {
    stay.at = 'active'
    this.#parked.delete(run)
    run.unparked(monotonicMs())
  }

  #free(stay: Stay): void {
    if (stay.freeSlot === undefined) return
    const free = stay.freeSlot
    stay.freeSlot = undefined
    this.#count(-1)
    free()
  }

  #count(by: 1 | -1): void {
    this.#active += by
    this.#parts.onChange(this.#active)
  }
}
