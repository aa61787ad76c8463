// Random event streams for the protocol suite: every kind of event in any order, odd ones included.
import fc from 'fast-check'
import type { AgentEvent, FinishReason } from '../../src/core/events.ts'
import {
  clientTool,
  cursorTool,
  finish,
  type Step,
  started,
  text,
  thinking,
  thinkingEnd,
  toolEnd,
} from '../protocols/streams.ts'

/** Any text, halves of surrogate pairs included: a delta may end in the middle of a character. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc
    .array(fc.integer({ min: 0, max: 0xff_ff }), { maxLength: 6 })
    .map((units) => String.fromCharCode(...units)),
  fc.constantFrom('', '\n', '\r\n', 'data: x\n\n', '[DONE]', '中文 😀 é', '\u2028', '"}]}'),
)

export const deltas = fc.array(anyText, { maxLength: 12 })

/** A small pool, so that ends meet starts, and double starts and ends without a start occur. */
const id = fc.constantFrom('a', 'b', 'c')
const outcome = fc.constantFrom('success', 'failure', 'rejected', 'unfinished')
const duration = fc.option(fc.nat({ max: 100_000 }), { nil: undefined })
const name = fc.constantFrom('Read', 'Bash', 'mcp__x__y')

const anyEvent: fc.Arbitrary<AgentEvent> = fc.oneof(
  { weight: 4, arbitrary: anyText.map(text) },
  { weight: 3, arbitrary: anyText.map(thinking) },
  fc.constant(thinkingEnd),
  fc.constant(started),
  fc.constant<AgentEvent>({ type: 'activity', kind: 'retry' }),
  fc.constant<AgentEvent>({ type: 'unknown', kind: 'type' }),
  fc.tuple(id, name, anyText).map((args) => cursorTool(...args)),
  fc.tuple(id, name, fc.dictionary(fc.string(), fc.jsonValue())).map(([call, tool, input]) =>
    // Through JSON, as arguments come: -0 and undefined do not survive it.
    clientTool(`client_${call}`, tool, JSON.parse(JSON.stringify(input))),
  ),
  fc.tuple(id, outcome, duration).map((args) => toolEnd(...args)),
)

/** Events before the terminal one, with keep-alives between them. */
export const anySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof({ weight: 9, arbitrary: anyEvent }, fc.constant<Step>('beat')),
  { maxLength: 20 },
)

const reasons: readonly FinishReason[] = ['stop', 'tool-calls', 'length', 'stop-sequence']
const count = fc.nat({ max: 1000 })

export const anyFinish: fc.Arbitrary<AgentEvent> = fc
  .record({
    reason: fc.constantFrom(...reasons),
    usage: fc.record({ input: count, output: count, cacheRead: count, cacheWrite: count }),
  })
  .map(({ reason, usage }) => ({
    ...finish(usage, reason),
    ...(reason === 'stop-sequence' && { stopSequence: 'END' }),
  }))
