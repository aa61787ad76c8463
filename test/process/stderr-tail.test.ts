import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tailOf } from '../../src/process/stderr-tail.ts'

test('the tail is the last bytes of everything, however it came', () => {
  const chunks = fc.array(
    fc.uint8Array({ maxLength: 40 }).map((raw) => Buffer.from(raw.map((b) => b & 0x7f))),
  )
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 64 }), (parts, limit) => {
      const tail = tailOf(limit)
      for (const part of parts) tail.push(part)
      expect(tail.text()).toBe(Buffer.concat(parts).subarray(-limit).toString())
    }),
  )
})

test('a character cut at the front is left out', () => {
  const tail = tailOf(4)
  tail.push(Buffer.from('x😀é'))
  expect(tail.text()).toBe('é')
})
