// Seats as the main thread knows them: one per worker thread, with what its port told about children, and the choice of a
// seat for a run. A seat whose thread is gone is cleaned up from here, by pid.
import type { MessagePort } from 'node:worker_threads'
import type { ProfileKey, RunId } from '../core/ids.ts'
import { childKey, type LaunchProfile } from '../core/job.ts'
import type { ExitCause } from '../core/telemetry.ts'
import { type Deferred, deferred } from './deferred.ts'
import type { ChildFact, FromWorker, ToWorker } from './messages.ts'

export type LiveFact = Exclude<ChildFact, { readonly at: 'gone' }>
export type GoneFact = Extract<ChildFact, { readonly at: 'gone' }>

/** Each message wakes the thread: sessions are given back together, this much later at most. */
const FORGET_MS = 100

/** What was ordered as a spare. */
export interface Order {
  readonly profile: LaunchProfile
  readonly key: ProfileKey
}

/** A child without a run: ordered and not reported yet, or live. */
export interface Spare extends Order {
  readonly sinceMs: number
  readonly pid: number | undefined
  /** True once it can take a prompt. */
  readonly isReady: boolean
}

/** An attempt of a run that has this seat. */
export interface SeatUser {
  /** Why its child ends, where that was decided on this side. */
  readonly cause: ExitCause | undefined
  /** Its child waits for the client. */
  readonly isParked: boolean
  heard(message: FromWorker): void
}

export class Seat {
  readonly threadId: number
  readonly children = new Map<number, LiveFact>()
  /** One at a time; two for the moment in which the old one's last messages are still on their way. */
  readonly users = new Map<RunId, SeatUser>()
  /** Conversations whose sessions are open in this seat's idle child. */
  readonly chats = new Set<string>()
  /** Mode bridge: tokens of the sessions its children have open. */
  readonly toolTokens = new Set<string>()
  spare: Spare | undefined
  #order: Order | undefined
  #lost: Deferred<void> = deferred()
  #port: MessagePort | undefined
  #outbox: ToWorker[] = []
  #forgotten: { readonly pid: number; readonly chatId: string }[] = []
  #forgetTimer: NodeJS.Timeout | undefined

  constructor(threadId: number) {
    this.threadId = threadId
  }

  /** The thread has said hello; what was sent before goes out now. The port never keeps the process up. */
  attach(port: MessagePort, onMessage: (message: FromWorker) => void, onClose: () => void): void {
    this.#port = port
    port.on('message', (message: FromWorker) => onMessage(message))
    port.on('close', onClose)
    port.unref()
    for (const message of this.#outbox.splice(0)) port.postMessage(message)
  }

  get isAttached(): boolean {
    return this.#port !== undefined
  }

  get isFree(): boolean {
    return this.users.size === 0
  }

  /** Its idle child holds a conversation of mode bridge, which shares its process with no other. */
  get isReserved(): boolean {
    return this.spare?.profile.mode === 'bridge' && this.chats.size > 0
  }

  /** To a thread that has died the message is lost, as it may be. */
  send(message: ToWorker): void {
    if (this.#port === undefined) this.#outbox.push(message)
    else this.#port.postMessage(message)
  }

  order(order: Order, nowMs: number): void {
    this.#order = order
    this.spare = { ...order, sinceMs: nowMs, pid: undefined, isReady: false }
    this.send({ type: 'warm', ...order })
  }

  /** A run takes the seat; its worker uses the spare or ends it. */
  enter(runId: RunId, user: SeatUser): void {
    this.users.set(runId, user)
    this.spare = undefined
  }

  /** `kept`: the profile of the child that the run left behind idle. */
  leave(runId: RunId, kept: Order | undefined, nowMs: number): void {
    this.users.delete(runId)
    if (kept === undefined || !this.isFree) return
    const idle = [...this.children.values()].find(({ at }) => at === 'idle')
    if (idle !== undefined) {
      this.spare = { ...kept, sinceMs: nowMs, pid: idle.pid, isReady: true }
    }
  }

  /** A conversation is over; its child hears of it soon, together with others. */
  forget(pid: number, chatId: string): void {
    this.chats.delete(chatId)
    this.#forgotten.push({ pid, chatId })
    this.#forgetTimer ??= setTimeout(() => this.#sendForgotten(), FORGET_MS).unref()
  }

  /** The idle child gives its sessions back, all but one. */
  forgetChats(but: string | undefined): void {
    const pid = this.spare?.pid
    for (const chatId of this.chats) {
      if (pid === undefined || chatId === but) continue
      this.chats.delete(chatId)
      this.#forgotten.push({ pid, chatId })
    }
    this.#sendForgotten()
  }

  #sendForgotten(): void {
    clearTimeout(this.#forgetTimer)
    this.#forgetTimer = undefined
    const forgotten = this.#forgotten.splice(0)
    for (const pid of new Set(forgotten.map((session) => session.pid))) {
      const chatIds = forgotten.flatMap((session) => (session.pid === pid ? [session.chatId] : []))
      this.send({ type: 'forget', pid, chatIds })
    }
  }

  discard(cause: ExitCause): void {
    if (this.spare === undefined) return
    this.spare = undefined
    this.send({ type: 'discard', cause })
  }

  /** Keeps `children` and `spare` true to what the worker reports. Returns the spare that ended, when one did. */
  note(child: ChildFact, nowMs: number): Spare | undefined {
    if (child.at === 'gone') {
      this.children.delete(child.pid)
      this.chats.clear()
      const { spare } = this
      if (spare?.pid !== child.pid) return undefined
      this.spare = undefined
      return spare
    }
    this.children.set(child.pid, child)
    const order = this.#order
    const isSpare = child.at === 'starting' || child.at === 'warm'
    if (isSpare && this.isFree && order?.key === child.key) {
      const sinceMs = this.spare?.sinceMs ?? nowMs
      this.spare = { ...order, sinceMs, pid: child.pid, isReady: child.at === 'warm' }
    }
    return undefined
  }

  /** Resolves when the thread and all its children are gone. */
  get lost(): Promise<void> {
    return this.#lost.promise
  }

  markLost(): void {
    this.#lost.resolve()
  }

  detach(): void {
    clearTimeout(this.#forgetTimer)
    this.#port?.close()
  }
}

/** What spares have in common that can stand in for one another. */
export function groupOf(profile: LaunchProfile, key: ProfileKey): ProfileKey {
  return profile.backend === 'acp' ? childKey(profile) : key
}

/**
 * The seat for a run: one with a child of this profile (with the fewest conversations in it, then the longest warm), else
 * one whose reusable child can serve it, else an empty one, else the one whose spare is least useful. Undefined when
 * every seat has a user or no thread is known yet.
 */
export function chooseSeat(
  seats: Iterable<Seat>,
  { profile, key }: Order,
  usefulness: (key: ProfileKey) => number,
): Seat | undefined {
  const group = groupOf(profile, key)
  const free = [...seats].filter((seat) => seat.isFree)
  const rank = ({ spare, isAttached, isReserved, chats }: Seat): number => {
    if (spare === undefined) return isAttached ? -2 : -1
    if (!isReserved) {
      if (spare.key === key) return Number.NEGATIVE_INFINITY
      if (groupOf(spare.profile, spare.key) === group) return -Number.MAX_VALUE
    }
    return (
      usefulness(spare.key) / free.filter((seat) => seat.spare?.key === spare.key).length +
      chats.size
    )
  }
  const age = ({ spare }: Seat): number => spare?.sinceMs ?? 0
  return free.sort(
    (a, b) => compare(rank(a), rank(b)) || a.chats.size - b.chats.size || age(a) - age(b),
  )[0]
}

function compare(a: number, b: number): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
