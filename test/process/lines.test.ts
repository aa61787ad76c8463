import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lineSplitter } from '../../src/process/lines.ts'

const NO_LIMIT = 1 << 30

function split(chunks: readonly Buffer[], max = NO_LIMIT): { lines: string[]; tooLong: number } {
  const splitter = lineSplitter(max)
  const lines = chunks.flatMap((chunk) => splitter.push(chunk))
  return { lines: [...lines, ...splitter.end()], tooLong: splitter.tooLong }
}

/** The same by the simplest means: all bytes at once, line by line. */
function reference(bytes: Buffer, max = NO_LIMIT): { lines: string[]; tooLong: number } {
  const lines: string[] = []
  let tooLong = 0
  for (let from = 0; from < bytes.length; ) {
    const newline = bytes.indexOf(0x0a, from)
    let line = bytes.subarray(from, newline === -1 ? bytes.length : newline)
    if (newline !== -1 && line.at(-1) === 0x0d) line = line.subarray(0, -1)
    if (line.length > max) tooLong += 1
    else lines.push(line.toString('utf8'))
    from = newline === -1 ? bytes.length : newline + 1
  }
  return { lines, tooLong }
}

function cut(bytes: Buffer, at: readonly number[]): Buffer[] {
  const edges = [...new Set(at.map((edge) => edge % (bytes.length + 1)))].sort((a, b) => a - b)
  return [...edges, bytes.length].map((edge, i) => bytes.subarray(edges[i - 1] ?? 0, edge))
}

/** Bytes in which newlines, carriage returns and pieces of characters are frequent. */
const bytes = fc
  .array(
    fc.oneof(
      fc
        .constantFrom('\n', '\r\n', '\r', '', 'é', '中文', '😀', '\u2028', '{"a":1}')
        .map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 6 }).map((raw) => Buffer.from(raw)),
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => Buffer.from(text)),
    ),
    { maxLength: 60 },
  )
  .map((parts) => Buffer.concat(parts))
const edges = fc.array(fc.nat(500), { maxLength: 40 })

test('any bytes cut anywhere give the lines of the whole', () => {
  fc.assert(
    fc.property(bytes, edges, (whole, at) => {
      expect(split(cut(whole, at))).toEqual(reference(whole))
    }),
    { numRuns: 500 },
  )
})

test('any limit drops exactly the lines that are longer, wherever the bytes are cut', () => {
  fc.assert(
    fc.property(bytes, edges, fc.integer({ min: 1, max: 30 }), (whole, at, max) => {
      expect(split(cut(whole, at), max)).toEqual(reference(whole, max))
    }),
    { numRuns: 500 },
  )
})

test('a line that comes one byte at a time is byte-identical', () => {
  const text = '{"text":"中文 😀 é"}'
  const chunks = [...Buffer.from(`${text}\n`)].map((byte) => Buffer.of(byte))
  expect(split(chunks).lines).toEqual([text])
})

describe('edges', () => {
  test.each([
    ['nothing', '', []],
    ['an empty line', '\n', ['']],
    ['both line ends', 'a\nb\r\nc', ['a', 'b', 'c']],
    ['a lone carriage return', 'a\rb\n', ['a\rb']],
    ['a last line that ends in a carriage return', 'a\r', ['a\r']],
    ['a separator that only looks like a line end', 'a\u2028b\n', ['a\u2028b']],
  ])('%s', (_name, text, lines) => {
    expect(split([Buffer.from(text)]).lines).toEqual(lines)
  })

  test('a line of exactly the limit is kept, its line end not counted', () => {
    expect(split([Buffer.from('1234\r'), Buffer.from('\n12345\n')], 4)).toEqual({
      lines: ['1234'],
      tooLong: 1,
    })
  })

  test('what follows a dropped line is kept', () => {
    const chunks = ['x'.repeat(50), 'y'.repeat(50), '\nok\n'].map((text) => Buffer.from(text))
    expect(split(chunks, 10)).toEqual({ lines: ['ok'], tooLong: 1 })
  })
})

test('a long line in small pieces costs in proportion to its length', () => {
  const piece = Buffer.alloc(64, 'x')
  const work = (pieces: number): number => {
    const splitter = lineSplitter(NO_LIMIT)
    const from = process.cpuUsage().user
    for (let i = 0; i < pieces; i += 1) splitter.push(piece)
    expect(splitter.push(Buffer.from('\n'))[0]?.length).toBe(pieces * 64)
    return process.cpuUsage().user - from
  }
  work(10_000)
  // Quadratic work would be a thousand times as much.
  expect(work(320_000)).toBeLessThan(Math.max(work(10_000), 5_000) * 320)
})
