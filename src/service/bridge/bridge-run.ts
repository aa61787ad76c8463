// A run whose tools the client hosts. It spans several replies: a reply ends with a group of calls, the run then waits
// (parked), and goes on with their results in the next one. One outstanding read, one listener for the calls.
import type { ClientToolCall, ClientToolResult } from '../../core/client-tools.ts'
import {
  type AgentEvent,
  type Batch,
  type Failure,
  type Finish,
  isTerminal,
  isVisible,
  type ToolStart,
} from '../../core/events.ts'
import type { CallId, RunId } from '../../core/ids.ts'
import type { BackendName, Kept } from '../../core/job.ts'
import type { CancelCause, Run, RunMarks } from '../../core/run.ts'
import type { Json } from '../../core/turn.ts'
import { monotonicMs } from '../../lib/clock.ts'
import { Alarm } from './alarm.ts'
import { type BridgeParts, startOf } from './bridge-parts.ts'
import { CallDesk } from './call-desk.ts'
import { Feed } from './feed.ts'
import { Leg, type LegWish, type Whole } from './leg.ts'

export class BridgeRun implements Whole {
  readonly id: RunId
  readonly backend: BackendName
  /** Resolves when nothing will follow and the child is gone or idle. */
  readonly settled: Promise<void>
  readonly #parts: BridgeParts
  readonly #desk: CallDesk
  readonly #awaited = new Map<CallId, ClientToolCall>()
  #run: Run
  #feed: Feed
  #token: string | undefined
  #leg: Leg | undefined
  #at: 'running' | 'parked' | 'over' = 'running'
  #isAskingAgain = false
  readonly #alarm = new Alarm()
  #settle: () => void = () => undefined

  constructor(run: Run, parts: BridgeParts) {
    this.#parts = parts
    this.id = run.id
    this.backend = run.backend
    this.#desk = new CallDesk(parts)
    this.settled = new Promise((resolve) => {
      this.#settle = resolve
    })
    this.#run = run
    this.#feed = this.#follow(run)
  }

  /** Its first reply. */
  begin(wish: LegWish): Leg {
    this.#leg = new Leg(this, wish)
    return this.#leg
  }

  /**
   * The client's results are there: takes a slot and answers. Undefined when the run cannot go on any more (it is ended then).
   * Only after a leg that ended with calls; `results` must be for exactly those.
   */
  async goOn(
    results: ReadonlyMap<string, ClientToolResult>,
    wish: LegWish,
  ): Promise<Leg | undefined> {
    if (this.#at !== 'parked') return undefined
    // Whoever reads the old reply late has no say any more.
    this.#leg = undefined
    const fromMs = monotonicMs()
    if (!(await this.#run.unpark?.())) return this.#refused(wish, fromMs)
    const grantedMs = monotonicMs()
    this.#at = 'running'
    const isAnswered = [...this.#awaited].every(([id, call]) => {
      const result = results.get(id)
      return result !== undefined && call.answer(result)
    })
    this.#awaited.clear()
    if (!isAnswered) {
      this.cancel('given-up')
      return undefined
    }
    this.#desk.answered()
    const answeredAtMs = monotonicMs()
    const dispatchMs = answeredAtMs - grantedMs
    this.#leg = new Leg(this, wish, { queueMs: grantedMs - fromMs, dispatchMs, answeredAtMs })
    return this.#leg
  }

  /** There was no slot for it in time: that is the reply. Any other end begins afresh. */
  async #refused(wish: LegWish, fromMs: number): Promise<Leg | undefined> {
    await this.settled
    const batch = await this.#feed.next()
    const last = batch?.events.at(-1)
    if (batch === undefined || last?.type !== 'failure' || last.code !== 'queue-timeout') {
      return undefined
    }
    this.#feed.putBack(batch)
    const nowMs = monotonicMs()
    this.#leg = new Leg(this, wish, { queueMs: nowMs - fromMs, dispatchMs: 0, answeredAtMs: nowMs })
    return this.#leg
  }

  /** Arguments of the calls it waits for, by the ids the client was given. */
  get awaited(): ReadonlyMap<CallId, Json> {
    return new Map([...this.#awaited].map(([id, call]) => [id, call.arguments]))
  }

  /** Of the Cursor session it runs in. */
  get token(): string | undefined {
    return this.#token
  }

  marks = (): RunMarks => this.#run.marks()

  kept = (): Kept | undefined => this.#run.kept?.()

  cancel = (cause: CancelCause): void => this.#run.cancel(cause)

  cancelLeg(leg: Leg, cause: CancelCause): void {
    if (leg === this.#leg) this.cancel(cause)
  }

  async step(leg: Leg): Promise<Batch | undefined> {
    for (;;) {
      const nowMs = monotonicMs()
      const closesMs = this.#desk.closesAtMs(leg.wish.oneAtATime)
      if (closesMs !== undefined && closesMs <= nowMs) {
        const events = this.#handOut(leg)
        if (events.length > 0) return { events, readAtMs: nowMs }
        continue
      }
      const taken = this.#feed.take()
      if (taken === 'over') return undefined
      if (taken === undefined) {
        this.#feed.want()
        await this.#alarm.rings(closesMs === undefined ? undefined : closesMs - nowMs)
        continue
      }
      const events = await this.#passOn(taken, leg)
      if (events.length > 0) return { events, readAtMs: taken.readAtMs }
    }
  }

  /** What of a batch belongs to this reply; what comes after calls that are due stays for the next one. */
  async #passOn(batch: Batch, leg: Leg): Promise<AgentEvent[]> {
    const passed: AgentEvent[] = []
    for (const [index, event] of batch.events.entries()) {
      if (isTerminal(event)) {
        const last = await this.#lastOf(event, leg)
        return last === undefined ? passed : [...passed, last]
      }
      if (this.#isMark(event)) continue
      if (isVisible(event) && this.#desk.hasDue(monotonicMs())) {
        this.#feed.putBack({ ...batch, events: batch.events.slice(index) })
        const calls = this.#handOut(leg)
        if (calls.length > 0) return [...passed, ...calls]
        // All were answered here: what was put back is taken again at once.
        return passed
      }
      passed.push(event)
    }
    return passed
  }

  /** Marks of the client's tools say where the calls stand; they are not shown. */
  #isMark(event: AgentEvent): boolean {
    if (event.type === 'tool-start' && event.host === 'client') {
      this.#desk.marked(event, monotonicMs())
      return true
    }
    return event.type === 'tool-end' && this.#desk.ended(event.callId)
  }

  /** The group goes to the client and the run waits. Empty where nothing is left to go out. */
  #handOut(leg: Leg): AgentEvent[] {
    const calls: ToolStart[] = []
    for (const call of this.#desk.take(leg.wish.oneAtATime)) {
      const correction = this.#parts.correct(call, leg, this.#token ?? '')
      if (correction !== undefined) {
        call.answer(correction)
        continue
      }
      const callId = this.#parts.newCallId()
      this.#awaited.set(callId, call)
      calls.push(startOf(callId, call))
    }
    if (calls.length === 0) return []
    if (this.#run.park?.() !== true) {
      // It has just ended: its last event is on its way.
      this.#awaited.clear()
      return []
    }
    this.#at = 'parked'
    leg.obeyed = true
    return [...calls, { type: 'finish', reason: 'tool-calls', cursorUsage: undefined }]
  }

  async #lastOf(event: Finish | Failure, leg: Leg): Promise<AgentEvent | undefined> {
    if (event.type === 'failure') return event
    const verdict = this.#parts.judge(event, leg, this.#token)
    if (verdict !== 'again') return verdict ?? event
    this.#isAskingAgain = true
    leg.askedAgain = true
    await this.#run.settled
    const kept = this.#run.kept?.()
    const run = this.#parts.again(kept)
    void run.settled.then(() => {
      if (kept !== undefined && run.kept?.()?.chatId !== kept.chatId) this.#parts.forget(kept)
    })
    this.#feed = this.#follow(run)
    this.#isAskingAgain = false
    return undefined
  }

  #follow(run: Run): Feed {
    this.#run = run
    void run.settled.then(() => {
      if (run === this.#run) this.#listen(undefined)
      if (run === this.#run && !this.#isAskingAgain) {
        this.#at = 'over'
        this.#settle()
      }
    })
    run.watchToolToken?.((token) => {
      if (run === this.#run) this.#listen(token)
    })
    return new Feed(run, () => this.#alarm.ring())
  }

  #listen(token: string | undefined): void {
    const { tools } = this.#parts
    if (this.#token !== undefined && this.#token !== token) tools.listen(this.#token, undefined)
    if (token === undefined) return
    this.#token = token
    tools.listen(token, (call) => this.#called(call))
  }

  #called(call: ClientToolCall): void {
    this.#desk.arrived(call, monotonicMs())
    call.signal.addEventListener('abort', () => this.#givenUp(call), { once: true })
    this.#alarm.ring()
  }

  /** A parked run whose call nobody waits for any more would go on without the client. */
  #givenUp(call: ClientToolCall): void {
    if (this.#desk.withdrawn(call)) this.#alarm.ring()
    else if ([...this.#awaited.values()].includes(call)) this.cancel('given-up')
  }
}
