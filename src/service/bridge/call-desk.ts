// Calls of the client's tools on their way out: when is the next group complete? A call has two signs: the MCP request, and
// its mark in the agent's stream, which says where it stands among the words. Pure but for what it is told; clock passed in.
import type { ClientToolCall } from '../../core/client-tools.ts'
import type { CallId } from '../../core/ids.ts'

export interface DeskLimits {
  /** Calls that arrive within this time of the first one go out together, ms. */
  readonly groupMs: number
  /** A call whose mark has not come after this time goes out without it, ms. */
  readonly orderMs: number
}

interface Waiting {
  readonly call: ClientToolCall
  /** Position of its mark; undefined while it has none. */
  order: number | undefined
  dueMs: number
}

interface Mark {
  readonly id: CallId
  readonly name: string
  readonly order: number
}

export class CallDesk {
  readonly #limits: DeskLimits
  #waiting: Waiting[] = []
  /** Marks whose calls have not arrived. */
  #marks: Mark[] = []
  readonly #known = new Set<CallId>()
  /** Names of calls that went out before their marks had come. */
  #ahead: string[] = []
  #order = 0

  constructor(limits: DeskLimits) {
    this.#limits = limits
  }

  arrived(call: ClientToolCall, nowMs: number): void {
    const at = this.#marks.findIndex(({ name }) => name === call.name)
    const [mark] = at < 0 ? [] : this.#marks.splice(at, 1)
    const dueMs = mark === undefined ? call.arrivedAtMs + this.#limits.orderMs : nowMs
    this.#waiting.push({ call, order: mark?.order, dueMs })
  }

  /** Cursor does not want it any more. False when it is not here (any more). */
  withdrawn(call: ClientToolCall): boolean {
    const before = this.#waiting.length
    this.#waiting = this.#waiting.filter((waiting) => waiting.call !== call)
    return this.#waiting.length < before
  }

  /** The stream says that a call of this tool begins. */
  marked(id: CallId, name: string, nowMs: number): void {
    if (this.#known.has(id)) return
    this.#known.add(id)
    const ahead = this.#ahead.indexOf(name)
    if (ahead >= 0) {
      this.#ahead.splice(ahead, 1)
      return
    }
    this.#order += 1
    const waiting = this.#waiting.find(
      ({ call, order }) => order === undefined && call.name === name,
    )
    if (waiting === undefined) this.#marks.push({ id, name, order: this.#order })
    else {
      waiting.order = this.#order
      waiting.dueMs = Math.min(waiting.dueMs, nowMs)
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
    return oneAtATime ? firstMs : firstMs + this.#limits.groupMs
  }

  /** Calls in the order of their marks, then of their arrival. `oneAtATime`: the others stay for the next reply. */
  take(oneAtATime: boolean): ClientToolCall[] {
    const sorted = this.#waiting.toSorted((a, b) => (a.order ?? Infinity) - (b.order ?? Infinity))
    const taken = oneAtATime ? sorted.slice(0, 1) : sorted
    this.#waiting = this.#waiting.filter((waiting) => !taken.includes(waiting))
    for (const { call, order } of taken) if (order === undefined) this.#ahead.push(call.name)
    return taken.map(({ call }) => call)
  }

  /** The results are there: what was to be said about the calls before has been said. */
  answered(): void {
    this.#ahead = []
  }
}
