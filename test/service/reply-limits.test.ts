// Stop sequences and token limits over the events of a run. The run is a scripted one: Run is the border of this room.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AgentEvent, Finish } from '../../src/core/events.ts'
import { countText } from '../../src/prompt/tokens.ts'
import { limitedRun } from '../../src/service/reply-limits.ts'
import {
  clientTool,
  cursorTool,
  failure,
  finish,
  text,
  thinking,
  toolEnd,
} from '../protocols/streams.ts'
import { readRun, scriptedRun } from './scripted-run.ts'

interface Limits {
  readonly stop?: readonly string[]
  readonly maxOutputTokens?: number
}

async function limited(events: readonly AgentEvent[], { stop = [], maxOutputTokens }: Limits) {
  const run = scriptedRun(events)
  const out = await readRun(limitedRun(run, { stop, maxOutputTokens }))
  const said = out.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
  return { run, out, said, last: out.at(-1) }
}
const cutBy = (stop: string): Partial<Finish> => ({ reason: 'stop-sequence', stopSequence: stop })

test('a request without limits gets the very run', () => {
  const run = scriptedRun([finish()])
  expect(limitedRun(run, { stop: [''], maxOutputTokens: undefined })).toBe(run)
})

describe('stop', () => {
  test.each<[string, readonly string[], readonly string[], string, string | undefined]>([
    ['inside a delta', ['one END two'], ['END'], 'one ', 'END'],
    ['across three deltas', ['one E', 'N', 'D two'], ['END'], 'one ', 'END'],
    [
      'a beginning that goes on otherwise',
      ['one E', 'N', 'X two'],
      ['END'],
      'one ENX two',
      undefined,
    ],
    ['a beginning at the end', ['one EN'], ['END'], 'one EN', undefined],
    ['a beginning within a beginning', ['aa', 'ab'], ['aab'], 'a', 'aab'],
    ['the first of two', ['a\n\nb END'], ['END', '\n\n'], 'a', '\n\n'],
    ['at the very start', ['END'], ['END'], '', 'END'],
    ['nowhere', ['one two'], ['END'], 'one two', undefined],
  ])('%s', async (_name, deltas, stop, expected, by) => {
    const { said, last, run } = await limited([...deltas.map(text), finish()], { stop })
    expect(said).toBe(expected)
    expect(last).toMatchObject({
      type: 'finish',
      ...(by === undefined ? { reason: 'stop' } : cutBy(by)),
    })
    expect(run.cancelled()).toBe(by !== undefined)
  })

  test('however the text is cut into deltas, the same is said', async () => {
    const unit = fc.constantFrom('a', 'b', 'c', '😀', ' ')
    const word = fc.string({ unit, minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit, maxLength: 5 }), { maxLength: 8 }),
        fc.array(word, { minLength: 1, maxLength: 3 }),
        async (deltas, stop) => {
          const whole = deltas.join('')
          const one = await limited([text(whole), finish()], { stop })
          const many = await limited([...deltas.map(text), finish()], { stop })
          const letters = await limited(Array.from(whole, text).concat(finish()), { stop })
          expect([many.said, letters.said]).toEqual([one.said, one.said])
          expect(whole.startsWith(one.said)).toBe(true)
          for (const sequence of stop) expect(one.said).not.toContain(sequence)
        },
      ),
    )
  })

  test('held letters come before what follows them', async () => {
    const { out } = await limited(
      [text('one E'), thinking('hm'), text('ND'), cursorTool('t', 'Read', 'a'), finish()],
      { stop: ['END'] },
    )
    expect(out.map((event) => ('text' in event ? event.text : event.type))).toEqual([
      'one ',
      'E',
      'hm',
      'ND',
      'tool-start',
      'finish',
    ])
  })
})

describe('a token limit', () => {
  test.each([
    [1, 'Hello'],
    [0, ''],
    [100, 'Hello there, how are you?'],
  ])('of %i', async (maxOutputTokens, expected) => {
    const { said, last, run } = await limited([text('Hello there, how are you?'), finish()], {
      maxOutputTokens,
    })
    expect(said).toBe(expected)
    const isCut = expected.length < 20
    expect(last).toMatchObject({ type: 'finish', reason: isCut ? 'length' : 'stop' })
    expect(run.cancelled()).toBe(isCut)
  })

  test('says a beginning of the text that is as long as allowed, whole characters only', async () => {
    const words = fc.array(fc.constantFrom('the ', 'tokenizer ', '中文', '😀', '\n', 'x=1;'), {
      maxLength: 200,
    })
    await fc.assert(
      fc.asyncProperty(words, fc.nat({ max: 150 }), async (deltas, most) => {
        const whole = deltas.join('')
        const { said, last } = await limited([...deltas.map(text), finish()], {
          maxOutputTokens: most,
        })
        expect(whole.startsWith(said)).toBe(true)
        expect(said).not.toMatch(/[\uD800-\uDBFF]$/)
        // Counted piece by piece it comes out a little different.
        expect(countText(said)).toBeLessThanOrEqual(most * 1.1 + 1)
        expect(last).toMatchObject({ reason: said === whole ? 'stop' : 'length' })
      }),
    )
  })

  test('thinking does not count', async () => {
    const { said, last } = await limited([thinking('long '.repeat(50)), text('Hi'), finish()], {
      maxOutputTokens: 3,
    })
    expect(said).toBe('Hi')
    expect(last).toMatchObject({ reason: 'stop' })
  })

  test('each step between tools has the whole of it', async () => {
    const step = 'I look at the file. '
    const events = [
      text(step),
      cursorTool('t', 'Read', 'a'),
      toolEnd('t', 'success'),
      text(step),
      clientTool('c', 'X', {}),
      text(step),
      finish(),
    ]
    const { said, last } = await limited(events, { maxOutputTokens: countText(step) })
    expect(said).toBe(step.repeat(3))
    expect(last).toMatchObject({ reason: 'stop' })
  })

  test('once a tool of Cursor has run, the run goes on to its end, unheard', async () => {
    const events = [
      cursorTool('t', 'Edit', 'a'),
      toolEnd('t', 'success'),
      text('one two three four five six'),
      thinking('hm'),
      cursorTool('u', 'Edit', 'b'),
      toolEnd('u', 'success'),
      text('seven'),
      finish(),
    ]
    const { run, out, said } = await limited(events, { maxOutputTokens: 2 })
    expect(run.cancelled()).toBe(false)
    expect(said).toBe('one two')
    expect(out.map(({ type }) => type)).toEqual([
      'tool-start',
      'tool-end',
      'text-delta',
      'tool-start',
      'tool-end',
      'finish',
    ])
    expect(out.at(-1)).toMatchObject({ reason: 'length' })
  })

  test('a failure after the limit stays a failure', async () => {
    const events = [cursorTool('t', 'Edit', 'a'), text('one two three four'), failure('it broke')]
    const { last } = await limited(events, { maxOutputTokens: 2 })
    expect(last).toMatchObject({ type: 'failure', message: 'it broke' })
  })
})

test('the session of a reply that was cut is marked as one that no turn may go on in', async () => {
  const cut = await limited([text('one two three'), finish()], { maxOutputTokens: 1 })
  const whole = await limited([text('one two three'), finish()], { maxOutputTokens: 1000 })
  expect([cut.last, whole.last]).toMatchObject([{ diverged: true }, { reason: 'stop' }])
  expect(whole.last).not.toHaveProperty('diverged')
})
