// All seats: hands messages of the worker threads to whom they concern, counts children, and cleans up after a lost thread.
import type { ClientTools } from '../core/client-tools.ts'
import type { ProfileKey } from '../core/ids.ts'
import type { ChildState, Logger, Telemetry } from '../core/telemetry.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { LostChildren } from './lost-children.ts'
import type { ChildFact, FromWorker, SeatHello } from './messages.ts'
import { chooseSeat, type Order, Seat, type Spare } from './seats.ts'

export interface SeatTableParts {
  readonly clientTools?: ClientTools
  readonly telemetry: Telemetry
  readonly logger: Logger
  readonly lostChildren: LostChildren
  readonly usefulness: (key: ProfileKey) => number
}

/** What whoever keeps spares wants to know. */
export interface SpareWatch {
  /** A seat became usable, a spare ready, or a child went: another spare may be due. */
  changed(): void
  /** A spare could not be launched, or died or spoke before its prompt. */
  spoiled(spare: Spare, reason: string): void
}

export class SeatTable {
  watch: SpareWatch = {
    changed: () => undefined,
    spoiled: () => undefined,
  }
  #parts: SeatTableParts
  #seats = new Map<number, Seat>()
  /** Threads that are gone while their children are still being ended. */
  #lost = new Set<Seat>()
  /** Threads that died before their hello was handled. */
  #closed = new WeakSet<Seat>()

  constructor(parts: SeatTableParts) {
    this.#parts = parts
  }

  /** Live seats in the order in which their threads started. */
  get all(): readonly Seat[] {
    return [...this.#seats.values()]
  }

  of(threadId: number): Seat {
    const known = this.#seats.get(threadId)
    if (known !== undefined) return known
    const seat = new Seat(threadId)
    this.#seats.set(threadId, seat)
    return seat
  }

  hello({ threadId, port }: SeatHello): void {
    const seat = this.of(threadId)
    const onMessage = (message: FromWorker): void => this.#heard(seat, message)
    seat.attach(port, onMessage, () => this.lose(seat))
    this.watch.changed()
  }

  choose(order: Order): Seat | undefined {
    return chooseSeat(this.#seats.values(), order, this.#parts.usefulness)
  }

  /** The free seat whose idle child has this process id. */
  withIdle(pid: number): Seat | undefined {
    return this.all.find((seat) => seat.isFree && seat.spare?.pid === pid && seat.spare.isReady)
  }

  /** A thread that can do a small thing on the side: one without a run, if there is one. */
  anyThread(): Seat | undefined {
    const live = this.all.filter((seat) => seat.isAttached)
    return live.find((seat) => seat.isFree) ?? live[0]
  }

  /** The seat with this child, busy or not. */
  withChild(pid: number): Seat | undefined {
    return this.all.find((seat) => seat.children.has(pid))
  }

  /** The thread is gone: its children are ended by pid, then `seat.lost` resolves. */
  lose(seat: Seat): void {
    if (this.#closed.has(seat)) return
    this.#closed.add(seat)
    this.#seats.delete(seat.threadId)
    this.#lost.add(seat)
    seat.detach()
    void this.#cleanUp(seat)
  }

  children(): Record<ChildState, number> {
    const counts = { starting: 0, warm: 0, busy: 0, parked: 0, idle: 0, closing: 0 }
    for (const seat of this.#seats.values()) {
      const isParked = [...seat.users.values()].some((user) => user.isParked)
      for (const { at } of seat.children.values()) {
        counts[at === 'busy' && isParked ? 'parked' : at] += 1
      }
    }
    for (const seat of this.#lost) counts.closing += seat.children.size
    return counts
  }

  async #cleanUp(seat: Seat): Promise<void> {
    const { telemetry, logger, lostChildren } = this.#parts
    const pids = [...seat.children.keys()]
    if (pids.length > 0) logger.warn('a worker thread ended with a child', { pids: pids.join(' ') })
    for (const token of seat.toolTokens) this.#parts.clientTools?.close(token)
    const cause = [...seat.users.values()].find((user) => user.cause !== undefined)?.cause
    await Promise.all(
      pids.map(async (pid) => {
        await lostChildren.end(pid)
        seat.children.delete(pid)
        telemetry.childExited(cause ?? 'crashed')
      }),
    )
    this.#lost.delete(seat)
    seat.markLost()
    this.watch.changed()
  }

  #heard(seat: Seat, message: FromWorker): void {
    switch (message.type) {
      case 'events':
      case 'prompted':
      case 'released':
        seat.users.get(message.runId)?.heard(message)
        return
      case 'child':
        this.#childChanged(seat, message.child)
        return
      case 'launched':
        this.#parts.telemetry.launched(message.backend, message.ms / 1000)
        return
      case 'killed':
        this.#parts.telemetry.killed(message.signal)
        return
      case 'tools-opened':
        seat.toolTokens.add(message.token)
        this.#parts.clientTools?.open(message.token, message.tools)
        return
      case 'tools-closed':
        seat.toolTokens.delete(message.token)
        this.#parts.clientTools?.close(message.token)
        return
      case 'warm-failed':
        if (seat.spare?.key !== message.key) return
        this.watch.spoiled(seat.spare, message.failure.message)
        seat.spare = undefined
        this.watch.changed()
        return
    }
  }

  #childChanged(seat: Seat, child: ChildFact): void {
    const ended = seat.note(child, monotonicMs())
    if (child.at === 'gone') {
      this.#parts.telemetry.childExited(child.cause)
      if (ended !== undefined && child.spoiled !== '') this.watch.spoiled(ended, child.spoiled)
    }
    if (child.at === 'gone' || child.at === 'warm') this.watch.changed()
  }
}
