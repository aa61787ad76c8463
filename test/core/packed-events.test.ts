import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { pack, unpack } from '../../src/core/packed-events.ts'

const text = (from: string): AgentEvent => ({ type: 'text-delta', text: from })

const someEvents = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.string({ unit: 'binary' }).map(text) },
    fc
      .string({ unit: 'grapheme' })
      .map((from): AgentEvent => ({ type: 'thinking-delta', text: from })),
    fc.constant<AgentEvent>({ type: 'thinking-end' }),
  ),
  { maxLength: 60 },
)

test('events come out of a crossing as they went in, however they are cut', () => {
  fc.assert(
    fc.property(someEvents, (events) => {
      expect(unpack(structuredClone(pack(events)))).toEqual(events)
    }),
  )
})

test('many deltas cross as one object, what stands between them as itself', () => {
  const many = Array.from({ length: 500 }, (_, index) => text(`${index}`))
  expect(pack(many)).toHaveLength(1)
  expect(pack([...many, { type: 'thinking-end' }, ...many])).toHaveLength(3)
})

test('the few events of a calm stream cross unchanged', () => {
  const few = [text('a'), text('b')]
  expect(pack(few)).toBe(few)
})
