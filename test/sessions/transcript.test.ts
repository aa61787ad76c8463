import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message, Part } from '../../src/core/turn.ts'
import { digestReply, readTranscript } from '../../src/sessions/transcript.ts'

const text = (value: string): Part => ({ type: 'text', text: value })
const said = (role: Message['role'], ...parts: readonly (Part | string)[]): Message => ({
  role,
  parts: parts.map((part) => (typeof part === 'string' ? text(part) : part)),
})
const call = (id: string, name = 'Read', path = 'a'): Part => ({
  type: 'tool-call',
  id,
  name,
  arguments: { path, limit: 1 },
})
const result = (callId: string, value: string, isError = false): Part => ({
  type: 'tool-result',
  callId,
  isError,
  content: [{ type: 'text', text: value }],
})
const whole = (...messages: readonly Message[]) => readTranscript(messages).whole

const QUESTION = said('user', 'what is in a?')

const SAME: readonly (readonly [string, readonly Message[], readonly Message[]])[] = [
  ['blocks joined into one string', [said('user', 'a\n', 'b')], [said('user', 'a\n\nb')]],
  ['two messages of one role', [said('user', 'a'), said('user', 'b')], [said('user', 'a', 'b')]],
  [
    'thinking that comes back',
    [QUESTION, said('assistant', { type: 'thinking', text: 'hm' }, 'x')],
    [QUESTION, said('assistant', 'x')],
  ],
  [
    'activity of Cursor that comes back',
    [QUESTION, said('assistant', { type: 'past-activity', text: 'Read a' }, 'x')],
    [QUESTION, said('assistant', 'x')],
  ],
  [
    'system texts, wherever they stand',
    [said('system', 's'), QUESTION],
    [QUESTION, said('system', 't')],
  ],
  [
    'other call ids',
    [QUESTION, said('assistant', call('1')), said('user', result('1', 'r'))],
    [QUESTION, said('assistant', call('x')), said('user', result('x', 'r'))],
  ],
  [
    'keys in another order',
    [
      QUESTION,
      said('assistant', {
        type: 'tool-call',
        id: '1',
        name: 'R',
        arguments: { a: 1, b: { c: 2, d: 3 } },
      }),
    ],
    [
      QUESTION,
      said('assistant', {
        type: 'tool-call',
        id: '1',
        name: 'R',
        arguments: { b: { d: 3, c: 2 }, a: 1 },
      }),
    ],
  ],
  [
    'parallel results in another order',
    [
      QUESTION,
      said('assistant', call('1'), call('2')),
      said('user', result('1', 'r'), result('2', 's')),
    ],
    [
      QUESTION,
      said('assistant', call('1'), call('2')),
      said('user', result('2', 's')),
      said('user', result('1', 'r')),
    ],
  ],
  [
    'text that stands between calls and results',
    [QUESTION, said('assistant', call('1'), 'so'), said('user', result('1', 'r'))],
    [
      QUESTION,
      said('assistant', call('1')),
      said('assistant', 'so'),
      said('user', result('1', 'r')),
    ],
  ],
]
test.each(SAME)('a transcript stays itself with %s', (_what, one, other) => {
  expect(whole(...one)).toBe(whole(...other))
})

const OTHER: readonly (readonly [string, readonly Message[], readonly Message[]])[] = [
  ['other words', [said('user', 'a')], [said('user', 'b')]],
  ['the other role', [said('user', 'a')], [said('assistant', 'a')]],
  ['one turn more', [QUESTION], [QUESTION, said('assistant', 'x')]],
  [
    'another tool',
    [QUESTION, said('assistant', call('1', 'Read'))],
    [QUESTION, said('assistant', call('1', 'Write'))],
  ],
  [
    'other arguments',
    [QUESTION, said('assistant', call('1', 'Read', 'a'))],
    [QUESTION, said('assistant', call('1', 'Read', 'b'))],
  ],
  [
    'swapped results',
    [
      QUESTION,
      said('assistant', call('1'), call('2')),
      said('user', result('1', 'r'), result('2', 's')),
    ],
    [
      QUESTION,
      said('assistant', call('1'), call('2')),
      said('user', result('1', 's'), result('2', 'r')),
    ],
  ],
  [
    'a result that failed',
    [QUESTION, said('assistant', call('1')), said('user', result('1', 'r'))],
    [QUESTION, said('assistant', call('1')), said('user', result('1', 'r', true))],
  ],
  [
    'another picture',
    [
      said('user', {
        type: 'image',
        source: { kind: 'base64', mediaType: 'image/png', data: 'AA' },
      }),
    ],
    [
      said('user', {
        type: 'image',
        source: { kind: 'base64', mediaType: 'image/png', data: 'AB' },
      }),
    ],
  ],
]
test.each(OTHER)('%s make another transcript', (_what, one, other) => {
  expect(whole(...one)).not.toBe(whole(...other))
})

test('the reply as it was sent proves the next request', () => {
  const before = readTranscript([said('system', 's'), QUESTION])
  const reply = digestReply(before.whole)
  for (const delta of ['It hol', 'ds \n', 'b.']) reply.text(delta)
  reply.call('Read', { limit: 1, path: 'a' })
  const next = readTranscript([
    said('system', 's'),
    QUESTION,
    said('assistant', 'It holds', 'b.', call('toolu_1')),
    said('user', result('toolu_1', 'r')),
  ])
  expect(next.answered).toBe(reply.chain())
})

test('the chain can be asked for again, and goes on growing with the reply', () => {
  const reply = digestReply(readTranscript([QUESTION]).whole)
  reply.text('It')
  const early = reply.chain()
  expect(reply.chain()).toBe(early)
  reply.text(' holds.')
  const next = readTranscript([QUESTION, said('assistant', 'It holds.'), said('user', 'go on')])
  expect(reply.chain()).toBe(next.answered)
})

test('only what follows the last answer is new', () => {
  const reminder = said('system', 'reminder')
  const next = said('user', 'and b?')
  const read = readTranscript([QUESTION, said('assistant', 'x'), reminder, next])
  expect(read.fresh).toEqual([reminder, next])
})

test('nothing is answered in an opening, nor where the assistant speaks last', () => {
  expect(readTranscript([QUESTION]).answered).toBeUndefined()
  expect(readTranscript([QUESTION, said('assistant', 'x')]).answered).toBeUndefined()
})

test('however a reply is cut into deltas, its chain is the one of the whole text', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 8 }), (pieces) => {
      const before = readTranscript([QUESTION])
      const reply = digestReply(before.whole)
      for (const piece of pieces) reply.text(piece)
      const answer = pieces.join('')
      fc.pre(answer.trim() !== '')
      const next = readTranscript([QUESTION, said('assistant', answer), said('user', 'go on')])
      return next.answered === reply.chain()
    }),
  )
})

test('a long text is the same however it is cut, also inside a pair of surrogates', () => {
  // 65,536 units is where it is read in pieces: the pair lies across that border for one of the offsets.
  for (const offset of [65_533, 65_534, 65_535, 65_536, 131_071]) {
    const long = `${'x'.repeat(offset)}😀 ${'y '.repeat(40_000)}`
    const half = Math.floor(offset / 2)
    expect(whole(said('user', long))).toBe(
      whole(said('user', long.slice(0, half), long.slice(half))),
    )
    const reply = digestReply(whole(QUESTION))
    reply.text(long.slice(0, 10))
    reply.text(long.slice(10))
    expect(whole(QUESTION, said('assistant', long))).toBe(reply.chain())
    const results = said('user', result('1', long))
    expect(whole(results)).not.toBe(whole(said('user', result('1', `${long}z`))))
  }
})
