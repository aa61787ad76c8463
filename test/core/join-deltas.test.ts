import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { joinDeltas, MANY_DELTAS } from '../../src/core/join-deltas.ts'

const text = (from: string): AgentEvent => ({ type: 'text-delta', text: from })
const thought = (from: string): AgentEvent => ({ type: 'thinking-delta', text: from })
const texts = (count: number): AgentEvent[] =>
  Array.from({ length: count }, (_, index) => text(`${index} `))

const someEvents = fc.array(
  fc.oneof(
    { weight: 12, arbitrary: fc.string({ unit: 'binary' }).map(text) },
    fc.string({ unit: 'grapheme' }).map(thought),
    fc.constant<AgentEvent>({ type: 'thinking-end' }),
  ),
  { maxLength: 60 },
)

/** What was said, kind by kind: neighbours of one kind are one entry. */
function said(events: readonly AgentEvent[]): string[] {
  const entries: { type: string; text: string }[] = []
  for (const event of events) {
    const isDelta = event.type === 'text-delta' || event.type === 'thinking-delta'
    const last = entries.at(-1)
    if (isDelta && last?.type === event.type) last.text += event.text
    else entries.push({ type: event.type, text: isDelta ? event.text : '' })
  }
  return entries.map((entry) => JSON.stringify(entry))
}

test('what is said stays the same, to the unit, in the same order', () => {
  fc.assert(
    fc.property(someEvents, (events) => {
      expect(said(joinDeltas(events))).toEqual(said(events))
    }),
  )
})

test('many deltas are one, what stands between them stays itself', () => {
  expect(joinDeltas(texts(500))).toHaveLength(1)
  expect(
    joinDeltas([...texts(500), { type: 'thinking-end' }, ...texts(500)]).map(({ type }) => type),
  ).toEqual(['text-delta', 'thinking-end', 'text-delta'])
  const thoughts = Array.from({ length: MANY_DELTAS }, () => thought('a'))
  expect(joinDeltas([...thoughts, ...texts(MANY_DELTAS)])).toEqual([
    thought('a'.repeat(MANY_DELTAS)),
    text('0 1 2 3 4 5 6 7 '),
  ])
})

test('the few of a calm stream stay the pieces they were', () => {
  const few = texts(MANY_DELTAS - 1)
  expect(joinDeltas(few)).toBe(few)
  const alternating = Array.from({ length: 20 }, (_, at) =>
    at % 2 === 0 ? text('a') : thought('b'),
  )
  expect(joinDeltas(alternating)).toEqual(alternating)
})
