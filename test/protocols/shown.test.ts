import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import { parseChat } from '../../src/protocols/openai-chat/request.ts'
import { Shows } from '../../src/protocols/shown.ts'
import {
  CONTEXT,
  clientTool,
  cursorTool,
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
  return events.flatMap((event) => shows.show(event)?.type ?? [])
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
  expect(shows.show(bare)).toMatchObject({ usage: { input: CONTEXT.inputTokens, output: 0 } })
})
