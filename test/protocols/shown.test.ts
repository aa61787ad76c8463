import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { parseChat } from '../../src/protocols/openai-chat/request.ts'
import { Shows } from '../../src/protocols/shown.ts'
import {
  CONTEXT,
  clientTool,
  cursorTool,
  failure,
  finish,
  started,
  text,
  thinking,
  thinkingEnd,
  toolEnd,
} from './streams.ts'

const TURN = parseChat({ messages: [{ role: 'user', content: 'hi' }] })
interface Switches {
  readonly thinking: boolean | undefined
  readonly showTools: boolean
}
const SHOWN: Switches = { thinking: undefined, showTools: true }

function kinds(
  events: readonly AgentEvent[],
  { thinking, showTools }: Switches = SHOWN,
): readonly string[] {
  const shows = new Shows({ ...TURN, thinking }, { ...CONTEXT, showTools })
  return events.flatMap((event) => shows.show(event).map(({ type }) => type))
}

test.each<[string, readonly AgentEvent[], readonly string[]]>([
  ['empty deltas', [text(''), thinking('')], []],
  ['events that are not for clients', [started, { type: 'unknown', kind: 'type' }], []],
  ['an end without a start', [toolEnd('a', 'success')], []],
  [
    'a second start of an open call',
    [cursorTool('a', 'Read', ''), cursorTool('a', 'Read', '')],
    ['cursor-call'],
  ],
  [
    'a second start of a call that ended',
    [cursorTool('a', 'Read', ''), toolEnd('a', 'success'), cursorTool('a', 'Read', '')],
    ['cursor-call', 'cursor-result'],
  ],
  [
    'a second end of a call',
    [cursorTool('a', 'Read', ''), toolEnd('a', 'success'), toolEnd('a', 'success')],
    ['cursor-call', 'cursor-result'],
  ],
  [
    'a second start of a client call',
    [clientTool('a', 'X', {}), clientTool('a', 'X', {})],
    ['client-call'],
  ],
  [
    'the end of a client call',
    [clientTool('a', 'X', {}), toolEnd('a', 'success')],
    ['client-call'],
  ],
  [
    'calls that never ended, before a finish',
    [
      cursorTool('a', 'Read', ''),
      cursorTool('b', 'Read', ''),
      toolEnd('a', 'success'),
      finish(),
      toolEnd('b', 'success'),
    ],
    ['cursor-call', 'cursor-call', 'cursor-result', 'cursor-result', 'finish'],
  ],
  [
    'calls that never ended, before a failure',
    [cursorTool('a', 'Read', ''), failure('broken')],
    ['cursor-call', 'cursor-result', 'failure'],
  ],
  ['what comes after the end', [finish(), text('late'), finish()], ['finish']],
])('%s', (_name, events, expected) => {
  expect(kinds(events)).toEqual(expected)
})

test('thinking and tools of Cursor are hidden where they are switched off', () => {
  const events = [thinking('a'), thinkingEnd, cursorTool('a', 'Read', ''), toolEnd('a', 'success')]
  expect(kinds(events)).toHaveLength(4)
  expect(kinds(events, { thinking: undefined, showTools: false })).toEqual([
    'thinking-delta',
    'thinking-end',
  ])
  expect(kinds(events, { thinking: false, showTools: true })).toEqual([
    'cursor-call',
    'cursor-result',
  ])
})

test('without counts from the service the request keeps its own, unknown output is 0', () => {
  const shows = new Shows(TURN, CONTEXT)
  const bare: AgentEvent = { type: 'finish', reason: 'stop', cursorUsage: undefined }
  expect(shows.show(bare)).toMatchObject([{ usage: { input: CONTEXT.inputTokens, output: 0 } }])
})

test('a call that never ended is closed as an error that says so', () => {
  const shows = new Shows(TURN, CONTEXT)
  shows.show(cursorTool('a', 'Read', 'x'))
  expect(shows.show(finish())[0]).toMatchObject({
    call: { callId: 'a', name: 'Read' },
    end: { callId: 'a', isError: true, outcome: 'unfinished' },
  })
})

test.each([
  ['Agent', ['Bash', 'Agent'], 'Agent'],
  ['Task', ['Bash', 'Task'], 'Task'],
  ['Task', [], 'Task'],
])("a sub-agent is called %s where the client's tools are %j", (_name, tools, expected) => {
  const turn = {
    ...TURN,
    tools: tools.map((name) => ({ name, description: '', parameters: {} })),
  }
  const shows = new Shows(turn, CONTEXT)
  const names = [cursorTool('a', 'Task', 'Review'), toolEnd('a', 'success')]
    .flatMap((event) => shows.show(event))
    .map((shown) => ('call' in shown ? shown.call.name : ''))
  expect(names).toEqual([expected, expected])
})
