// Rules of the stream that the sample streams do not show, one by one.
import { describe, expect, test } from 'vitest'
import { createPrintParser } from '../../../src/backends/print/events.ts'
import {
  before,
  delta,
  init,
  type Line,
  last,
  play,
  result,
  retry,
  thinking,
  toolCompleted,
  toolStarted,
} from './replay.ts'

const tool = (id: string): Line[] => [
  toolStarted('readToolCall', id, { path: '/a' }),
  toolCompleted('readToolCall', id, { success: { totalLines: 1 } }),
]

const TEXTS: readonly { name: string; lines: Line[]; text: string; unknown?: string[] }[] = [
  {
    name: 'a repeat with a model call id is dropped',
    lines: [delta('Hel'), delta('lo'), before('Hello', 'm1'), result('Hello')],
    text: 'Hello',
  },
  {
    name: 'a repeat with neither time nor id is dropped',
    lines: [delta('Hel'), delta('lo'), last('Hello'), result('Hello')],
    text: 'Hello',
  },
  {
    name: 'equal fragments in a row are both kept',
    lines: [delta('ha'), delta('ha'), delta('!'), before('haha!', 'm1'), result('haha!')],
    text: 'haha!',
  },
  {
    name: 'a one-token answer comes once',
    lines: [delta('OK'), before('OK', 'm1'), result('OK')],
    text: 'OK',
  },
  {
    name: 'two repeats of one segment are both dropped',
    lines: [delta('OK'), before('OK', 'm1'), last('OK'), result('OK')],
    text: 'OK',
  },
  {
    name: 'whole segments are used when there are no fragments',
    lines: [before('One.', 'm1'), ...tool('t1'), last('Two.'), result('One.Two.')],
    text: 'One.Two.',
  },
  {
    name: 'equal whole segments of two steps are both kept',
    lines: [before('ok', 'm1'), ...tool('t1'), last('ok'), result('okok')],
    text: 'okok',
  },
  {
    name: 'a second repeat before a parallel call is dropped',
    lines: [
      before('Both.', 'm1'),
      toolStarted('readToolCall', 't1'),
      before('Both.', 'm1'),
      ...tool('t2'),
      result('Both.'),
    ],
    text: 'Both.',
  },
  {
    name: 'a repeat that a tool call overtook is dropped',
    lines: [delta('Go'), ...tool('t1'), before('Go', 'm1'), delta('!'), result('Go!')],
    text: 'Go!',
  },
  {
    name: 'the last segment repeated after a tool without new text is dropped',
    lines: [delta('Go'), before('Go', 'm1'), ...tool('t1'), last('Go'), result('Go')],
    text: 'Go',
  },
  {
    name: 'a repeat that goes beyond its fragments brings the rest',
    lines: [delta('Hel'), before('Hello', 'm1'), result('Hello')],
    text: 'Hello',
  },
  {
    name: 'a repeat that differs is dropped and counted',
    lines: [delta('Hello'), before('Howdy', 'm1'), result('Howdy')],
    text: 'Hello',
    unknown: ['recap-mismatch'],
  },
  {
    name: 'an answer that stands in the result only is shown',
    lines: [thinking('hmm'), result('42')],
    text: '42',
  },
  {
    name: 'what the result has beyond the text is shown',
    lines: [delta('Hel'), result('Hello')],
    text: 'Hello',
  },
  {
    name: 'a result that differs is not shown',
    lines: [delta('Hello'), result('Something else')],
    text: 'Hello',
  },
  {
    name: 'text sent again after a retry is swallowed, whatever its pieces',
    lines: [delta('Merge'), delta(' sort'), retry(), delta('Mer'), delta('ge so'), delta('rt!')],
    text: 'Merge sort!',
  },
  {
    name: 'a second retry starts over',
    lines: [delta('Merge'), retry(), delta('Me'), retry(), delta('Merge'), delta('!')],
    text: 'Merge!',
  },
  {
    name: 'a closed segment sent again after a retry is swallowed',
    lines: [delta('Hi'), last('Hi'), retry(), delta('Hi'), last('Hi'), result('Hi')],
    text: 'Hi',
  },
  {
    name: 'text that only looked like a replay is not lost',
    lines: [delta('ha'), retry(true), delta('h'), delta('o!'), result('haho!')],
    text: 'haho!',
    unknown: ['replay-mismatch'],
  },
  {
    name: 'new text after a retry is kept',
    lines: [delta('One.'), retry(true), delta(' Two.'), last('One. Two.'), result('One. Two.')],
    text: 'One. Two.',
    unknown: ['replay-mismatch'],
  },
  {
    name: 'several text parts of a message are joined',
    lines: [
      {
        type: 'assistant',
        message: {
          content: [{ type: 'text', text: 'a' }, { type: 'image' }, { type: 'text', text: 'b' }],
        },
      },
      result('ab'),
    ],
    text: 'ab',
  },
  {
    name: 'half a surrogate pair waits for its other half',
    lines: [delta('x\ud83d'), delta('\ude00y'), last('x😀y'), result('x😀y')],
    text: 'x😀y',
  },
]

test.each(TEXTS)('$name', ({ lines, text, unknown = [] }) => {
  const played = play([init, ...lines])
  expect(played.text).toBe(text)
  expect(played.unknown).toEqual(unknown)
})

test('no half of a surrogate pair goes out alone', () => {
  const { events } = play([
    thinking('\ud83d'),
    thinking('\ude00'),
    delta('\ud83d'),
    delta('\ude00'),
    result('😀'),
  ])
  const texts = events.flatMap((event) => ('text' in event ? event.text : []))
  expect(texts).toEqual(['😀', '😀'])
})

test('a segment longer than the memory for replays is still recognised in its repeat', () => {
  const piece = 'x'.repeat(100_000)
  const lines = Array.from({ length: 10 }, (_, at) => delta(`${piece}${at}`))
  const whole = Array.from({ length: 10 }, (_, at) => `${piece}${at}`).join('')
  const once = play([...lines, last(whole), result(whole)])
  expect(once.text === whole).toBe(true)
  expect(once.unknown).toEqual([])
  const replayed = play([...lines, retry(), ...lines, delta('!'), result(`${whole}!`)])
  expect(replayed.text === `${whole}!`).toBe(true)
})

const DUMP = 'Error: RetriableError: [unavailable] Error'

describe('an error dump at the end of the text', () => {
  test.each([
    ['alone', [DUMP]],
    ['after text', ['Hi.\n\n', DUMP]],
    ['in pieces', ['Hi.', '\n', '\nErr', 'or: Retriable', 'Error: [unav', 'ailable] Error']],
    ['of another kind', [`Hi.\n\nError: WritableIterable is closed`]],
    ['naming a letter', [`Error: T: [deadline_exceeded] x`]],
  ])('%s is a failure and not shown', (_name, pieces) => {
    const played = play([...pieces.map(delta), last(pieces.join('')), result('')])
    expect(played.terminal).toMatchObject({ type: 'failure', code: 'cursor-unreachable' })
    expect(played.text).not.toContain('Err')
  })

  test('as a message of its own after a tool is a failure when the result does not have it', () => {
    const lines = [delta('Hi.'), before('Hi.', 'm1'), ...tool('t1'), last(DUMP)]
    expect(play([...lines, result('')])).toMatchObject({
      text: 'Hi.',
      terminal: { code: 'cursor-unreachable' },
    })
    expect(play([...lines, result(`Hi.${DUMP}`)])).toMatchObject({
      text: `Hi.${DUMP}`,
      terminal: { type: 'finish' },
    })
  })

  test.each([
    `The log says "${DUMP}".`,
    `Error: RetriableError happens when the network is down.`,
    `Error: Everything is fine`,
    `a\nError: T: b`,
    `Hi.\n\n${DUMP}\n${'and so on '.repeat(70)}`,
    'E',
    'Error: ',
    '\n\n\nErr',
  ])('is not seen in %j', (text) => {
    for (const size of [1, 3, text.length]) {
      const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      const played = play([...pieces.map(delta), last(text), result(text)])
      expect(played.text).toBe(text)
      expect(played.terminal.type).toBe('finish')
    }
  })

  test('is text when a tool call follows it', () => {
    const played = play([delta(DUMP), ...tool('t1'), delta('ok'), result(`${DUMP}ok`)])
    expect(played.text).toBe(`${DUMP}ok`)
    const kinds = played.events.map(({ type }) => type)
    expect(kinds).toEqual(['text-delta', 'tool-start', 'tool-end', 'text-delta', 'finish'])
  })

  test('does not delay ordinary text', () => {
    const parser = createPrintParser()
    for (const text of ['Errata', ' Error: no', '\n\n', 'Every', ' E', '\n\nErrors: 3', '\n']) {
      expect(parser.line(JSON.stringify(delta(text)))).toEqual([{ type: 'text-delta', text }])
    }
  })

  test('tells the cause when the process dies after it', () => {
    const played = play([delta(`Hi.\n\n${DUMP}`)], {
      exit: { code: 1, signal: null },
      stderrTail: '',
    })
    expect(played).toMatchObject({ text: 'Hi.', terminal: { code: 'cursor-unreachable' } })
  })
})

describe('lines that are no plain event', () => {
  test('noise is skipped and counted, the answer is exact', () => {
    const ok = [
      '',
      '\u001b[33mUpdate available\u001b[0m',
      JSON.stringify(delta('a')),
      '{"type":"assistant","message":{"role',
      `${JSON.stringify(delta('b'))}\r`,
      '   ',
      '[1,2]',
      'null',
      `\u001b[2K\u001b[1G${JSON.stringify(last('ab'))}`,
      JSON.stringify(result('ab')),
    ]
    const played = play(ok)
    expect(played.text).toBe('ab')
    expect(played.unknown).toEqual(['not-json', 'not-json', 'not-json', 'not-json'])
  })

  test('two objects on one line both count', () => {
    const line = `${JSON.stringify(delta('a} {'))} ${JSON.stringify(result('a} {b'))}`
    expect(play([line])).toMatchObject({ text: 'a} {b', terminal: { type: 'finish' } })
  })

  test('unknown types, subtypes and kinds are counted and never become text', () => {
    const played = play([
      { type: 'telemetry', text: 'no' },
      { type: 'system', subtype: 'news', message: 'no' },
      { type: 'thinking', subtype: 'summary', text: 'no' },
      { type: 'tool_call', subtype: 'progress', call_id: 't1', tool_call: {} },
      { type: 'tool_call', subtype: 'started', call_id: 't2', tool_call: {} },
      { type: 'tool_call', subtype: 'started', call_id: 't3', tool_call: { toolCallId: 't3' } },
      { type: 'tool_call', subtype: 'completed' },
      toolStarted('flyToMoonToolCall', 't4', { path: 'x' }),
      { type: 'assistant', message: 'no' },
      delta('yes'),
      result('yes'),
    ])
    expect(played.text).toBe('yes')
    expect(played.terminal.type).toBe('finish')
    expect(played.unknown).toEqual([
      'type',
      'subtype',
      'subtype',
      'subtype',
      'tool-without-kind',
      'tool-without-kind',
      'tool-without-kind',
      'tool-kind',
    ])
    const start = played.events.find(({ type }) => type === 'tool-start')
    expect(start).toMatchObject({ kind: 'flyToMoon', name: 'FlyToMoon', title: 'x' })
  })

  test('lines dropped for their length are counted and named when no result comes', () => {
    const parser = createPrintParser()
    expect(parser.tooLong(2)).toEqual([
      { type: 'unknown', kind: 'line-too-long' },
      { type: 'unknown', kind: 'line-too-long' },
    ])
    const [failure] = parser.end({ exit: { code: 0, signal: null }, stderrTail: '' })
    expect(failure).toMatchObject({ message: expect.stringContaining('limits.line_mb') })
  })

  test('nothing comes after the terminal event', () => {
    const parser = createPrintParser()
    parser.line(JSON.stringify(result('x')))
    expect(parser.ended).toBe(true)
    expect(parser.line(JSON.stringify(delta('late')))).toEqual([])
    expect(parser.tooLong(1)).toEqual([])
    expect(parser.end({ exit: { code: 1, signal: null }, stderrTail: 'x' })).toEqual([])
  })
})

describe('tool calls', () => {
  test('a call is made by whichever record comes first, and never twice', () => {
    const started = toolStarted('readToolCall', 't1', { path: '/a' })
    const completed = toolCompleted('readToolCall', 't1', { success: {} })
    const { events } = play([completed, started, started, completed, result('x')])
    const kinds = events.map(({ type }) => type)
    expect(kinds).toEqual(['tool-start', 'tool-end', 'text-delta', 'finish'])
  })

  test('a completed record without a kind ends the call that is open under its id', () => {
    const kindless = { type: 'tool_call', subtype: 'completed', call_id: 't1', tool_call: {} }
    const { events } = play([toolStarted('shellToolCall', 't1'), kindless, result('x')])
    expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ outcome: 'unknown' })
  })

  test('the documented function form is understood', () => {
    const { events } = play([
      {
        type: 'tool_call',
        subtype: 'started',
        call_id: 't1',
        tool_call: { function: { name: 'look_up', arguments: '{"query":"x"}' } },
      },
      result('x'),
    ])
    expect(events[0]).toMatchObject({
      name: 'LookUp',
      kind: 'function',
      input: { query: 'x' },
      title: 'x',
    })
  })

  test('siblings of the kind do not confuse it, whatever their order', () => {
    const record = {
      type: 'tool_call',
      subtype: 'started',
      call_id: 't1',
      tool_call: {
        hookAdditionalContexts: [],
        toolCallId: 't1',
        description: 'x',
        globToolCall: { args: { globPattern: '*.ts' } },
      },
    }
    expect(play([record, result('x')]).events[0]).toMatchObject({ name: 'Glob', title: '*.ts' })
  })

  test('calls without an id are told apart', () => {
    const started = { type: 'tool_call', subtype: 'started', tool_call: { lsToolCall: {} } }
    const completed = { ...started, subtype: 'completed' }
    const { events } = play([started, completed, started, completed, result('x')])
    const ids = events.flatMap((event) => ('callId' in event ? event.callId : []))
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).toBe(ids[3])
    expect(ids[0]).not.toBe(ids[2])
  })

  test('a call still open at a good end is marked unfinished', () => {
    const { events } = play([toolStarted('shellToolCall', 't1'), delta('ok'), result('ok')])
    expect(events.slice(-2)).toMatchObject([
      { type: 'tool-end', outcome: 'unfinished', isError: true },
      { type: 'finish' },
    ])
  })
})

describe('endings', () => {
  test('usage counts once, from the result, strings as numbers', () => {
    const usage = { inputTokens: '10', outputTokens: 5 }
    const { terminal } = play([{ ...delta('x'), usage }, result('x', { usage })])
    expect(terminal).toMatchObject({
      cursorUsage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
    })
  })

  test.each([
    [{ is_error: true, result: 'You have hit your usage limit' }, 'cursor-quota'],
    [{ subtype: 'error', error: { message: 'context length exceeded' } }, 'context-too-long'],
    [{ subtype: 'error_during_execution', result: '' }, 'agent-failed'],
  ])('a result %j is a failure whose text is not shown', (more, code) => {
    const played = play([delta('half'), result('', more)])
    expect(played.text).toBe('half')
    expect(played.terminal).toMatchObject({ type: 'failure', code })
  })

  test('an error event gives the reason when no good result follows, and does not end a run that recovers', () => {
    const error = { type: 'error', message: 'Authentication required' }
    expect(play([error]).terminal).toMatchObject({ code: 'cursor-not-logged-in' })
    expect(play([error, result('')]).terminal).toMatchObject({ code: 'cursor-not-logged-in' })
    expect(play([error, delta('ok'), result('ok')]).terminal.type).toBe('finish')
  })

  test('a success without text and tools is a failure', () => {
    expect(play([init, thinking('hm'), result('')]).terminal).toMatchObject({
      code: 'agent-failed',
    })
    expect(play([init, ...tool('t1'), result('')]).terminal.type).toBe('finish')
  })

  test.each([
    ['nothing', []],
    ['only init', [init]],
    ['text', [init, delta('x')]],
  ])('exit 0 after %s and no result is a failure', (_name, lines) => {
    expect(play(lines).terminal).toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('without a result'),
    })
  })

  test('a plain-text refusal on stdout is the reason', () => {
    const played = play(['Workspace Trust Required', 'Pass --trust, --yolo or -f'])
    expect(played.terminal).toMatchObject({
      code: 'agent-failed',
      message: expect.stringContaining('trust'),
    })
  })
})
