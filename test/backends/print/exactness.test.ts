// Property: whatever the answer and however the stream is cut, the client's text is the answer, byte for byte.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPrintParser } from '../../../src/backends/print/events.ts'
import {
  before,
  delta,
  init,
  type Line,
  last,
  type Played,
  play,
  playAtOnce,
  result,
  retry,
} from './replay.ts'

/** Texts that look like the things the parser looks for, besides any Unicode. */
const piece = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 6 }),
  fc.constantFrom('ha', 'E', 'Error: ', '\n', '\n\n', 'Error: Retriable', '} {', '\r\n', '\u2028'),
)
const segment = fc
  .array(piece, { minLength: 1, maxLength: 8 })
  .map((pieces) => pieces.filter((text) => text !== ''))
  .filter((pieces) => pieces.length > 0)

const noise: fc.Arbitrary<Line[]> = fc.array(
  fc.constantFrom<Line>(
    '',
    '\u001b[2mhint\u001b[0m',
    '{"type":"assist',
    { type: 'news' },
    { type: 'connection', subtype: 'reconnecting' },
  ),
  { maxLength: 2 },
)

const toolLines = (at: number): Line[] =>
  ['started', 'completed'].map((subtype) => ({
    type: 'tool_call',
    subtype,
    call_id: `t${at}`,
    tool_call: { readToolCall: { args: { path: '/a' }, result: { success: {} } } },
  }))

/** An end-anchored error dump is a failure by design, so answers that end like one are left out. */
const DUMP =
  /(?:^|\n\n)Error: (?:(?:[A-Z]|RetriableError|ConnectError|ActionRequiredError): |WritableIterable)[\s\S]{0,600}$/

const stream = fc.record({
  segments: fc
    .array(segment, { minLength: 1, maxLength: 4 })
    .filter((segments) => !DUMP.test(segments.flat().join(''))),
  noise,
  recap: fc.boolean(),
})

function withPartial(segments: string[][], noise: Line[], recap: boolean): Line[] {
  return segments.flatMap((pieces, at) => {
    const text = pieces.join('')
    const isLast = at === segments.length - 1
    const repeat = isLast ? last(text) : before(text, `m${at}`)
    return [
      ...pieces.flatMap((one) => [delta(one), ...noise]),
      ...(recap ? [repeat] : []),
      ...(isLast ? [] : toolLines(at)),
    ]
  })
}

function withoutPartial(segments: string[][], noise: Line[]): Line[] {
  return segments.flatMap((pieces, at) => {
    const text = pieces.join('')
    const isLast = at === segments.length - 1
    return [
      ...noise,
      isLast ? last(text) : before(text, `m${at}`),
      ...(isLast ? [] : toolLines(at)),
    ]
  })
}

const whole = (segments: string[][]): string => segments.flat().join('')

test('with partial output, repeats or none, noise between', () => {
  fc.assert(
    fc.property(stream, ({ segments, noise, recap }) => {
      const text = whole(segments)
      const played = play([init, ...withPartial(segments, noise, recap), result(text)])
      expect(played.text).toBe(text)
      expect(played.terminal.type).toBe('finish')
    }),
    { numRuns: 400 },
  )
})

test('without partial output', () => {
  fc.assert(
    fc.property(stream, ({ segments, noise }) => {
      const text = whole(segments)
      const played = play([init, ...withoutPartial(segments, noise), result(text)])
      expect(played.text).toBe(text)
      expect(played.unknown).not.toContain('recap-mismatch')
    }),
    { numRuns: 300 },
  )
})

test('with the open segment sent again after a lost connection', () => {
  const cuts = fc.record({ stream, cut: fc.nat(), size: fc.integer({ min: 1, max: 5 }) })
  fc.assert(
    fc.property(cuts, ({ stream: { segments, noise, recap }, cut, size }) => {
      const lines: Line[] = [init]
      const at = cut % segments.length
      for (const [index, pieces] of segments.entries()) {
        const text = pieces.join('')
        if (index === at) {
          const sent = pieces.slice(0, 1 + (cut % pieces.length))
          lines.push(...sent.map(delta), ...noise, retry(true))
          // Sent again from its beginning, cut into other pieces.
          const again = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
          lines.push(...again.map(delta))
        } else lines.push(...pieces.map(delta))
        if (recap) lines.push(before(text, `m${index}`))
        if (index < segments.length - 1) lines.push(...toolLines(index))
      }
      const text = whole(segments)
      const played = play([...lines, result(text)])
      expect(played.text).toBe(text)
      expect(played.unknown).not.toContain('replay-mismatch')
    }),
    { numRuns: 300 },
  )
})

/** What may be held back: the beginning of an error dump, or half a surrogate pair. */
function mayBeHeld(text: string): boolean {
  const line = text.replace(/^\n{1,2}/, '')
  const isHalf = /^[\uD800-\uDBFF]$/.test(text)
  return isHalf || 'Error: '.startsWith(line) || (line.startsWith('Error: ') && line.length < 640)
}

test('nothing is held back but what could still become an error dump', () => {
  fc.assert(
    fc.property(stream, ({ segments }) => {
      const parser = createPrintParser()
      let sent = ''
      let shown = ''
      for (const piece of segments.flat()) {
        sent += piece
        for (const event of parser.line(JSON.stringify(delta(piece)))) {
          if (event.type === 'text-delta') shown += event.text
        }
        expect(sent.startsWith(shown)).toBe(true)
        expect(shown === sent || mayBeHeld(sent.slice(shown.length))).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

/** Mostly plain texts, in runs long enough to be taken together. */
const longRun = fc
  .array(fc.oneof({ weight: 12, arbitrary: fc.stringMatching(/^[a-zE: ]{1,6}$/) }, piece), {
    minLength: 1,
    maxLength: 40,
  })
  .map((pieces) => pieces.filter((text) => text !== ''))
  .filter((pieces) => pieces.length > 0 && !DUMP.test(pieces.join('')))

/** Everything but where deltas were cut. */
const outline = ({ events }: Played): string[] =>
  events.flatMap(({ type }, at) => {
    const isDelta = type === 'text-delta' || type === 'thinking-delta'
    return isDelta && events[at - 1]?.type === type ? [] : [type]
  })

test('lines that are read at once say the same as one by one', () => {
  const runs = fc.record({
    segments: fc
      .array(longRun, { minLength: 1, maxLength: 4 })
      .filter((segments) => !DUMP.test(whole(segments))),
    recap: fc.boolean(),
    isReplayed: fc.boolean(),
  })
  fc.assert(
    fc.property(runs, ({ segments, recap, isReplayed }) => {
      const again = (segments[0] ?? []).map(delta)
      const replay = isReplayed ? [...again, retry(true)] : []
      const text = whole(segments)
      const lines = [init, ...replay, ...withPartial(segments, [], recap), result(text)]
      const [atOnce, oneByOne] = [playAtOnce(lines), play(lines)]
      expect(atOnce.text).toBe(text)
      expect(outline(atOnce)).toEqual(outline(oneByOne))
      expect(atOnce.unknown).toEqual(oneByOne.unknown)
    }),
    { numRuns: 400 },
  )
})

test('many deltas that are read at once are one', () => {
  const lines = Array.from({ length: 500 }, (_, at) => delta(`${at} `))
  const { events, text } = playAtOnce([init, ...lines, result('')])
  expect(events.map(({ type }) => type)).toEqual(['started', 'text-delta', 'finish'])
  expect(text).toBe(Array.from({ length: 500 }, (_, at) => `${at} `).join(''))
})
