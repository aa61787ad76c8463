import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TextDigest } from '../../src/sessions/text-digest.ts'

const digestOf = (...pieces: readonly string[]): string => {
  const digest = new TextDigest()
  for (const piece of pieces) digest.add(piece)
  return digest.hex()
}
const plain = (text: string): string =>
  createHash('sha256').update(text.replaceAll(/\s/g, '')).digest('hex')

/** Longer than what is hashed at once, often longer than a piece. */
const someText = fc
  .array(fc.constantFrom('😀', 'a', ' ', '\n', 'é', '\u2028', 'word '), { maxLength: 200 })
  .map((parts) => parts.join('').repeat(150))

test('is that of the whole text without white space, wherever it is cut, between two halves of a pair too', () => {
  fc.assert(
    fc.property(someText, fc.array(fc.nat(), { maxLength: 20 }), (text, cuts) => {
      const ends = cuts.map((cut) => cut % (text.length + 1)).toSorted((a, b) => a - b)
      const pieces = [...ends, text.length].map((end, at) => text.slice(ends[at - 1] ?? 0, end))
      expect(digestOf(...pieces)).toBe(plain(text))
    }),
  )
})

test('a pair of which the first half ends what is hashed stays a pair', () => {
  const long = 'x'.repeat(5000)
  expect(digestOf(`${long}\uD83D`, '\uDE00')).toBe(plain(`${long}😀`))
})

test('can be read at any time, and goes on', () => {
  for (const first of ['a', 'x'.repeat(5000), `${'x'.repeat(5000)}\uD83D`]) {
    const digest = new TextDigest()
    digest.add(first)
    expect(digest.hex()).toBe(plain(first))
    expect(digest.hex()).toBe(plain(first))
    digest.add('\uDE00 more')
    expect(digest.hex()).toBe(plain(`${first}\uDE00more`))
  }
})
