// Calls of the client's tools on their way out: when is the next group complete? A call has two signs: the MCP request, and
// its mark in the agent's stream, which says where it stands among the words. Pure but for what it is told; clock passed in.
import { isDeepStrictEqual } from 'node:util'
import type { ClientToolCall } from '../../core/client-tools.ts'
import type { ToolStart } from '../../core/events.ts'
import type { CallId } from '../../core/ids.ts'
import type { Json } from '../../core/turn.ts'

export interface DeskLimits {
  /** Calls that arrive within this time of the first one go out together, ms. */
  readonly groupMs: number
  /** A call whose mark has not come after this time goes out without it, ms. */
  readonly orderMs: number
}

interface Waiting {
  readonly call: ClientToolCall
  dueMs: number
}

interface Mark {
  readonly id: CallId
  readonly name: string
  /** Arguments, as far as the agent shows them. */
  readonly input: Json
}

/** A mark, as the agent's stream holds it. */
export type Marked = Pick<ToolStart, 'callId' | 'name' | 'input'>

export class CallDesk {
  readonly #limits: DeskLimits
  #waiting: Waiting[] = []
  /** Marks whose calls have not gone out, in their order. */
  #marks: Mark[] = []
  readonly #known = new Set<CallId>()
  /** Names of calls that went out before their marks had come. */
  #ahead: string[] = []

  constructor(limits: DeskLimits) {
    this.#limits = limits
  }

  arrived(call: ClientToolCall, nowMs: number): void {
    const hasMark = this.#marks.some(({ name }) => name === call.name)
    const dueMs = hasMark ? nowMs : call.arrivedAtMs + this.#limits.orderMs
    this.#waiting.push({ call, dueMs })
  }

  /** Cursor does not want it any more. False when it is not here (any more). */
  withdrawn(call: ClientToolCall): boolean {
    const before = this.#waiting.length
    this.#waiting = this.#waiting.filter((waiting) => waiting.call !== call)
    return this.#waiting.length < before
  }

  /** The stream says that a call of this tool begins. */
  marked({ callId: id, name, input }: Marked, nowMs: number): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    const ahead = this.#ahead.indexOf(name)
    if (ahead >= 0) {
      this.#ahead.splice(ahead, 1)
      return
    }
    this.#marks.push({ id, name, input })
    for (const waiting of this.#waiting) {
      if (waiting.call.name === name) waiting.dueMs = Math.min(waiting.dueMs, nowMs)
    }
  }

  /** The stream says that a call is over. True when it was one of ours. */
  ended(id: CallId): boolean {
    this.#marks = this.#marks.filter((mark) => mark.id !== id)
    return this.#known.has(id)
  }

  /** A call that may go out is here. */
  hasDue(nowMs: number): boolean {
    return this.#waiting.some(({ dueMs }) => dueMs <= nowMs)
  }

  /** When the group is complete: then or later `take` it. Undefined while there is none. */
  closesAtMs(oneAtATime: boolean): number | undefined {
    if (this.#waiting.length === 0) return undefined
    const firstMs = Math.min(...this.#waiting.map(({ dueMs }) => dueMs))
    if (oneAtATime) return firstMs
    const { groupMs, orderMs } = this.#limits
    // What the stream has announced is worth a little more patience.
    const isComing = this.#order().size < this.#marks.length
    return firstMs + groupMs + (isComing ? orderMs : 0)
  }

  /** Calls in the order of their marks, then of their arrival. `oneAtATime`: the others stay for the next reply. */
  take(oneAtATime: boolean): ClientToolCall[] {
    const order = this.#order()
    const place = (waiting: Waiting): number => order.get(waiting) ?? this.#marks.length
    const sorted = this.#waiting.toSorted((a, b) => place(a) - place(b))
    const taken = oneAtATime ? sorted.slice(0, 1) : sorted
    this.#waiting = this.#waiting.filter((waiting) => !taken.includes(waiting))
    const used = new Set(taken.map((waiting) => order.get(waiting)))
    for (const waiting of taken) if (!order.has(waiting)) this.#ahead.push(waiting.call.name)
    this.#marks = this.#marks.filter((_mark, index) => !used.has(index))
    return taken.map(({ call }) => call)
  }

  /** Which mark each call has: the one with its arguments, else the first one left of its name. */
  #order(): ReadonlyMap<Waiting, number> {
    const order = new Map<Waiting, number>()
    const taken = new Set<number>()
    for (const fits of [isSame, () => true]) {
      for (const waiting of this.#waiting) {
        if (order.has(waiting)) continue
        const { call } = waiting
        const at = this.#marks.findIndex(
          (mark, index) =>
            !taken.has(index) && mark.name === call.name && fits(mark.input, call.arguments),
        )
        if (at < 0) continue
        order.set(waiting, at)
        taken.add(at)
      }
    }
    return order
  }

  /** The results are there: what was to be said about the calls before has been said. */
  answered(): void {
    this.#ahead = []
  }
}

/** Two calls of one tool at once are told apart by their arguments, where the stream shows them. */
const isSame = (a: Json, b: Json): boolean => isDeepStrictEqual(a, b)
