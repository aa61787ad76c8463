// Mode bridge, eight conversations at once, whatever their clients do: every call goes out once, every result reaches its call,
// nothing of one conversation is seen in another, and at the end nothing is left.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assertNever } from '../../src/core/events.ts'
import { unique, WAYS, type Way } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'
import { type Called, type Result, ToolTalk, type Turned } from '../support/tool-talk.ts'
import { until } from '../support/until.ts'

const read = (n: number) => ({ name: 'Read', arguments: { n } })
const SCRIPT = {
  runs: [
    {
      match: '=== (?:result of tool call|tool call)',
      steps: [{ init: true }, { delta: 'afresh' }, { result: true }],
    },
    {
      steps: [
        { init: true },
        { delta: 'One. ' },
        { call: read(1) },
        { calls: [read(2), read(3)] },
        { delta: 'Four. ' },
        { call: read(4) },
        { delta: '$RESULT1|$RESULT2|$RESULT3|$RESULT4' },
        { result: true },
      ],
    },
  ],
}

const MOVES = ['answer', 'answer', 'answer', 'reverse', 'twice', 'lose', 'text', 'partial'] as const
type Move = (typeof MOVES)[number]

interface Plan {
  readonly way: Way
  readonly named: boolean
  readonly moves: readonly Move[]
}

const plans = fc.array(
  fc.record({
    way: fc.constantFrom(...WAYS),
    named: fc.boolean(),
    moves: fc.array(fc.constantFrom(...MOVES), { minLength: 5, maxLength: 5 }),
  }),
  { minLength: 8, maxLength: 8 },
)

/** One client's way through its conversation; its last reply. */
class Conversation {
  readonly mark = unique('conversation')
  readonly handed: string[] = []
  readonly replies: string[] = []
  afresh = 0
  readonly #plan: Plan
  readonly #talk: ToolTalk

  constructor(service: Service, plan: Plan) {
    this.#plan = plan
    const id = plan.named ? { id: this.mark } : {}
    this.#talk = new ToolTalk(service, { way: plan.way, tools: ['Read'], ...id })
  }

  async play(): Promise<Turned> {
    let turn = this.#hear(await this.#talk.say(this.mark))
    for (const move of this.#plan.moves) {
      if (turn.calls.length === 0) break
      turn = this.#hear(await this.#move(move, turn.calls))
    }
    return turn
  }

  result(n: unknown): string {
    return `<${this.mark}:${String(n)}>`
  }

  #hear(turn: Turned): Turned {
    this.handed.push(...turn.calls.map(({ id }) => id))
    this.replies.push(turn.text)
    if (turn.text === 'afresh') this.afresh += 1
    return turn
  }

  async #move(move: Move, calls: readonly Called[]): Promise<Turned> {
    const results = calls.map(({ id, input }): Result => ({ id, text: this.result(input.n) }))
    switch (move) {
      case 'answer':
        return this.#talk.answer(results)
      case 'reverse':
        return this.#talk.answer(results.toReversed())
      case 'text':
        return this.#talk.answer(results, { beside: 'and hurry' })
      case 'partial':
        return this.#talk.answer(results.slice(1), {
          beside: results.length > 1 ? '' : 'no result',
        })
      case 'twice':
        return this.#twice(results)
      case 'lose':
        return this.#lose(results)
      default:
        return assertNever(move)
    }
  }

  /** Two equal requests at once: with a conversation id they are one. */
  async #twice(results: readonly Result[]): Promise<Turned> {
    if (!this.#plan.named) return this.#talk.answer(results)
    const messages = [...this.#talk.messages]
    const both = await Promise.all([
      this.#talk.answer(results),
      this.#twin(messages).answer(results),
    ])
    // The second may have come after the first was over and delivered; then it runs anew.
    const [first, second] = both
    if (second.text === 'afresh') this.afresh += 1
    return first
  }

  #twin(messages: ToolTalk['messages']): ToolTalk {
    const twin = new ToolTalk(this.#talk.service, {
      way: this.#plan.way,
      tools: ['Read'],
      id: this.mark,
    })
    twin.messages = messages
    return twin
  }

  /** The connection is lost somewhere on the way, and the client asks again. */
  async #lose(results: readonly Result[]): Promise<Turned> {
    const leaving = new AbortController()
    const lost = this.#talk.answer(results, { signal: leaving.signal }).then(
      (turn) => turn,
      () => undefined,
    )
    setImmediate(() => leaving.abort())
    return (await lost) ?? this.#talk.again()
  }
}

describe.each(['acp', 'print'])('on %s', (backend) => {
  let service: Service
  beforeAll(async () => {
    const settings = {
      backend,
      concurrency: 3,
      'bridge.max_parked': 5,
      'pool.warm': 0,
      'bridge.group_ms': 30,
    }
    service = await startService({ script: SCRIPT, settings })
  }, within(30_000))
  afterAll(async () => {
    await service.stop()
  })

  test(
    'nothing is lost, doubled or mixed up',
    async () => {
      let wholes = 0
      const check = fc.asyncProperty(plans, async (all) => {
        const before = promptFacts(service).length
        const conversations = all.map((plan) => new Conversation(service, plan))
        const ends = await Promise.all(conversations.map((one) => one.play()))
        for (const [index, end] of ends.entries()) {
          const one = conversations[index]
          if (one === undefined) throw new Error('as many ends as conversations')
          expect(end.error).toBeUndefined()
          const whole = [1, 2, 3, 4].map((n) => one.result(n)).join('|')
          if (end.text.endsWith(whole)) wholes += 1
          if (end.calls.length === 0)
            expect(['afresh', whole, `Four. ${whole}`]).toContain(end.text)
        }
        const handed = conversations.flatMap((one) => one.handed)
        expect(new Set(handed).size).toBe(handed.length)
        const prompts = promptFacts(service).slice(before)
        for (const { text } of prompts) {
          expect(conversations.filter(({ mark }) => text.includes(mark))).toHaveLength(1)
        }
        for (const one of conversations) {
          const foreign = conversations.filter((other) => other !== one)
          const said = one.replies.join('\n')
          expect(foreign.filter(({ mark }) => said.includes(mark))).toEqual([])
        }
        await until('no run to be active', within(10_000), async () => {
          return (await service.metric('cursor_adapter_runs_active')) === 0
        })
      })
      await fc.assert(check, { numRuns: 5, endOnFailure: true })
      expect(wholes).toBeGreaterThan(0)
    },
    within(120_000),
  )
})
