// Any answer, printed in any of the ways Cursor prints answers, reaches the client byte for byte: every API, every form.
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, HALF_PAIR, NORMAL_END, unique, WAYS } from '../support/ask.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { bareText, readTool, type Step, textLine } from '../support/steps.ts'

const AWKWARD = [
  'ha',
  'ha',
  '\n',
  '\n\n',
  '  ',
  '\r\n',
  '\u2028',
  '\u0000',
  '\ufeff',
  '中文',
  '👩‍👩‍👧',
  '🏳️‍🌈',
  'e\u0301',
  '"',
  '\\',
  '\\u0041',
  '</s>',
  'data: ',
  'data: [DONE]\n\n',
  'event: x\n',
  '{"type":"result"}',
  'Error: ',
  '\n\nError: Retri',
  '\n\nError: no',
  '```\n',
  '$&',
  '%s',
  '\u001b[31m',
]

/** Text as models write it, and as nobody would. */
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
  { weight: 2, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  { weight: 3, arbitrary: fc.constantFrom(...AWKWARD) },
)

interface Segment {
  readonly pieces: readonly string[]
  readonly end: 'm1' | 'm2' | 'bare' | 'twice'
  readonly cut: boolean
}

interface Printed {
  readonly partial: boolean
  readonly segments: readonly Segment[]
  /** What stands between the lines: noise, thinking, unknown records. */
  readonly between: readonly number[]
  /** Bytes per write; 0 = line by line. */
  readonly chunk: number
  readonly keepsEnd: boolean
}

const segment: fc.Arbitrary<Segment> = fc.record({
  pieces: fc.array(piece, { minLength: 1, maxLength: 6 }),
  end: fc.constantFrom('m1', 'm2', 'bare', 'twice'),
  cut: fc.boolean(),
})

const printed: fc.Arbitrary<Printed> = fc
  .record({
    partial: fc.boolean(),
    segments: fc.array(segment, { minLength: 1, maxLength: 3 }),
    between: fc.array(fc.nat({ max: 7 }), { minLength: 4, maxLength: 8 }),
    chunk: fc.constantFrom(0, 0, 1, 3, 4096),
    keepsEnd: fc.boolean(),
  })
  // A success that says nothing is a failure, and has a test of its own.
  .filter(({ segments }) => segments.every(({ pieces }) => pieces.join('') !== ''))

const textOf = ({ pieces }: Segment): string => pieces.join('')
const answerOf = ({ segments }: Printed): string => segments.map(textOf).join('')

const NOISE: readonly (readonly Step[])[] = [
  [],
  [],
  [{ thinking: 'hm 😀' }],
  [{ raw: '\u001b[33mwarning\u001b[0m\r\n' }],
  [{ raw: '\n  \n{"type":"assistant","mess\n' }],
  [{ line: { type: 'brand_new', text: 'no answer' } }],
  [{ line: { type: 'connection', subtype: 'reconnected' } }],
  [{ stderr: 'no answer either\n' }],
]

/** Index in NOISE. */
const THINKING = 2

/** Splits at UTF-16 units, so also inside characters, as fragments of a token stream may. */
function fragments({ pieces, cut }: Segment): readonly string[] {
  const parts = pieces.filter((text) => text !== '')
  if (!cut) return parts
  return parts.flatMap((text) => {
    const middle = Math.ceil(text.length / 2)
    return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
  })
}

const record = (text: string, marks: object): Step => ({ ...bareText(text).line, ...marks })

function segmentRecords(one: Segment, partial: boolean, isLast: boolean): readonly Step[] {
  const text = textOf(one)
  const id = one.end === 'm2' ? 'm2' : 'm1'
  const repeat = record(text, { model_call_id: id, timestamp_ms: 1 })
  if (!partial) return isLast ? [record(text, {})] : [repeat]
  const deltas = fragments(one).map((part) => record(part, { timestamp_ms: 1 }))
  // Source: captures: a repeat before a tool call has both marks, the last one of a turn neither.
  if (!isLast) return one.end === 'twice' ? [...deltas, repeat, repeat] : [...deltas, repeat]
  if (one.end === 'twice') return [...deltas, repeat, record(text, {})]
  return [...deltas, one.end === 'bare' ? record(text, {}) : repeat]
}

/** The lines that say a segment. */
function linesOf(one: Segment, partial: boolean, isLast: boolean): readonly string[] {
  if (OVER_ACP) return fragments(one).map(textLine)
  return segmentRecords(one, partial, isLast).map((value) => JSON.stringify(value))
}

/** The steps that print this answer. */
function stepsOf(answer: Printed): readonly Step[] {
  const { segments, between, chunk, partial } = answer
  let at = 0
  const noise = (): readonly Step[] => {
    at += 1
    return NOISE[between[at % between.length] ?? 0] ?? []
  }
  const line = (text: string): Step =>
    chunk === 0 ? { raw: `${text}\n` } : { raw: `${text}\n`, chunk }
  const lines = segments.flatMap((one, index) => {
    const isLast = index === segments.length - 1
    const records = linesOf(one, partial, isLast).flatMap((text) => [...noise(), line(text)])
    return isLast ? records : [...records, ...readTool(`c${index}`)]
  })
  // The last segment may come in no other way than in the result line.
  const shown = answer.keepsEnd && segments.length === 1 && !OVER_ACP ? [] : lines
  // Over ACP nothing but the lines says the answer.
  const end = OVER_ACP ? { stop: 'end_turn' } : { result: answerOf(answer) }
  return [{ init: true }, ...shown, ...noise(), end]
}

let service: Service
beforeAll(async () => {
  // No spares, none used again: an agent reads its script when it starts.
  const settings = { 'pool.warm': 0, 'pool.recycle_after': 1 }
  service = await startService({ settings, script: { runs: [] } })
})
afterAll(() => service.stop())

test('random answers arrive byte for byte in every form', { timeout: 60_000 }, async () => {
  const property = fc.asyncProperty(
    fc.array(printed, { minLength: 4, maxLength: 4 }),
    async (answers) => {
      const names = answers.map(() => unique('answer'))
      const runs = answers.map((answer, index) => ({
        match: `^${names[index]} `,
        steps: stepsOf(answer),
      }))
      service.setScript({ runs })
      const checks = answers.map(async (answer, index) => {
        // Every form in turn: each of them sees a quarter of the answers.
        const way = WAYS[index % WAYS.length] ?? { api: 'chat', stream: true }
        const heard = await ask(service, way, `${names[index]} please`)
        expect(heard.error, JSON.stringify(way)).toBeUndefined()
        expect(heard.text).toBe(answerOf(answer))
        expect(heard.finish).toBe(NORMAL_END[way.api])
        // Thinking in the middle of a character is the one thing that tears it apart.
        if (!answer.between.includes(THINKING)) expect(heard.raw).not.toMatch(HALF_PAIR)
      })
      await Promise.all(checks)
    },
  )
  await fc.assert(property, { numRuns: 15, interruptAfterTimeLimit: 25_000 })
})

test('one answer is the same in all forms', { timeout: 60_000 }, async () => {
  const property = fc.asyncProperty(printed, async (answer) => {
    const name = unique('same')
    service.setScript({ runs: [{ match: `^${name} `, steps: stepsOf(answer) }] })
    const texts = WAYS.map(async (way) => {
      const heard = await ask(service, way, `${name} ${JSON.stringify(way)}`)
      return heard.error?.message ?? heard.text
    })
    expect(await Promise.all(texts)).toEqual(WAYS.map(() => answerOf(answer)))
  })
  await fc.assert(property, { numRuns: 4, interruptAfterTimeLimit: 25_000 })
})
