import fc from 'fast-check'
import { expect, test } from 'vitest'
import { slotted } from '../../src/protocols/slotted.ts'

test('the text is that of JSON.stringify, whatever the constant part and the text are', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (model, text) => {
      const make = (text: string): object => ({ model, choices: [{ delta: { text } }], end: null })
      expect(slotted(make)(text)).toBe(JSON.stringify(make(text)))
    }),
  )
})

test('a client cannot move the slot by naming it in another field', () => {
  const make = (text: string): object => ({ model: '\u0000slot\u0000', delta: { text } })
  expect(slotted(make)('a')).toBe(JSON.stringify(make('a')))
})
