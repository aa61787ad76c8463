// One reply's part of a run that spans several: a Run to whoever reads it. It ends with the run, or with calls for the client.
import { type Batch, isTerminal } from '../../core/events.ts'
import type { RunId } from '../../core/ids.ts'
import type { BackendName, Kept } from '../../core/job.ts'
import type { CancelCause, Run, RunMarks } from '../../core/run.ts'
import type { ToolChoice } from '../../core/turn.ts'

export interface LegWish {
  /** `parallel_tool_calls: false`. */
  readonly oneAtATime: boolean
  readonly toolChoice: ToolChoice
}

/** What a leg needs of the run it is a part of. */
export interface Whole {
  readonly id: RunId
  readonly backend: BackendName
  step(leg: Leg): Promise<Batch | undefined>
  cancelLeg(leg: Leg, cause: CancelCause): void
  marks(): RunMarks
  readonly settled: Promise<void>
}

export interface LegStart {
  /** How long it waited for its slot, ms. */
  readonly queueMs: number
  /** Slot granted → results handed to Cursor, ms. */
  readonly dispatchMs: number
  /** `monotonicMs()` when they had been. */
  readonly answeredAtMs: number
}

export class Leg implements Run {
  readonly id: RunId
  readonly backend: BackendName
  readonly wish: LegWish
  readonly settled: Promise<void>
  /** Calls of the tool that the client insists on went out. */
  obeyed = false
  /** Cursor was asked for that call a second time. */
  askedAgain = false
  readonly #whole: Whole
  /** Undefined for the first reply of a run. */
  readonly #start: LegStart | undefined
  #agentMs: number | undefined
  #isOver = false
  #handedOut: () => void = () => undefined

  constructor(whole: Whole, wish: LegWish, start?: LegStart) {
    this.#whole = whole
    this.id = whole.id
    this.backend = whole.backend
    this.wish = wish
    this.#start = start
    const handedOut = new Promise<void>((resolve) => {
      this.#handedOut = resolve
    })
    this.settled = Promise.race([handedOut, whole.settled])
  }

  /** What the run reports of itself at its end is not this reply's alone. */
  get isPart(): boolean {
    return this.#start !== undefined || this.askedAgain
  }

  async next(): Promise<Batch | undefined> {
    if (this.#isOver) return undefined
    const batch = await this.#whole.step(this)
    const last = batch?.events.at(-1)
    if (batch === undefined || last === undefined) return batch
    if (this.#start !== undefined) {
      this.#agentMs ??= Math.max(0, batch.readAtMs - this.#start.answeredAtMs)
    }
    if (isTerminal(last)) {
      this.#isOver = true
      if (last.type === 'finish' && last.reason === 'tool-calls') this.#handedOut()
    }
    return batch
  }

  /** Also ends a run that waits for the results of the calls this leg ended with. */
  cancel(cause: CancelCause): void {
    this.#whole.cancelLeg(this, cause)
  }

  marks(): RunMarks {
    if (this.#start === undefined) return this.#whole.marks()
    const { queueMs, dispatchMs } = this.#start
    return { queueMs, dispatchMs, launchMs: 0, agentMs: this.#agentMs, start: 'resumed' }
  }

  /** What the whole run leaves behind is the whole run's. */
  kept(): Kept | undefined {
    return undefined
  }
}
