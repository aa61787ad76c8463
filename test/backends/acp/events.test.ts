import { describe, expect, test } from 'vitest'
import { createAcpReader } from '../../../src/backends/acp/events.ts'
import type { AgentEvent } from '../../../src/core/events.ts'
import type { JsonObject } from '../../../src/lib/json.ts'

const chunk = (text: string): JsonObject => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
})
const thought = (text: string): JsonObject => ({
  sessionUpdate: 'agent_thought_chunk',
  content: { type: 'text', text },
})
const call = (fields: JsonObject): JsonObject => ({
  sessionUpdate: 'tool_call',
  toolCallId: 'call-1\nfc_1',
  status: 'pending',
  rawInput: {},
  ...fields,
})
const done = (fields: JsonObject): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: 'call-1\nfc_1',
  status: 'completed',
  ...fields,
})

function read(updates: readonly JsonObject[], stopReason = 'end_turn', said = ''): AgentEvent[] {
  const reader = createAcpReader({ chatId: 's', modelName: 'Auto', model: 'auto', home: '/home/u' })
  return [...updates.flatMap((one) => [...reader.update(one)]), ...reader.end(stopReason, said)]
}
const textOf = (events: readonly AgentEvent[]): string =>
  events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
const toolOf = (...updates: readonly JsonObject[]): AgentEvent[] =>
  read(updates).filter(({ type }) => type.startsWith('tool'))

test('chunks are text, thinking ends when something else comes', () => {
  expect(read([thought('hm'), chunk('Hel'), chunk('lo')])).toEqual([
    { type: 'started', chatId: 's', model: 'Auto' },
    { type: 'thinking-delta', text: 'hm' },
    { type: 'thinking-end' },
    { type: 'text-delta', text: 'Hel' },
    { type: 'text-delta', text: 'lo' },
    { type: 'finish', reason: 'stop', cursorUsage: undefined },
  ])
})

test('no half of a surrogate pair goes out alone', () => {
  const [first, second] = ['😀'.slice(0, 1), '😀'.slice(1)]
  const events = read([thought(first), thought(second), chunk(first), chunk(second)])
  const texts = events.flatMap((event) => ('text' in event ? [event.text] : []))
  expect(texts).toEqual(['😀', '😀'])
})

test('updates about the session say nothing, unknown kinds are counted', () => {
  const kinds = [
    'available_commands_update',
    'session_info_update',
    'user_message_chunk',
    'new_kind',
  ]
  const events = read([...kinds.map((sessionUpdate) => ({ sessionUpdate })), chunk('x')])
  expect(events.map(({ type }) => type)).toEqual(['unknown', 'started', 'text-delta', 'finish'])
})

describe('an error inside the text', () => {
  test.each([
    ['Error: T: [resource_exhausted] Error', 'cursor-rate-limited'],
    ['Error: RetriableError: [unavailable] x', 'cursor-unreachable'],
    ['Error: T: WritableIterable is closed', 'cursor-unreachable'],
    ['Error: I: AI Model Not Found', 'model-not-found'],
  ])('%s is the failure, not text', (dump, code) => {
    const events = read([chunk('half'), chunk(`\n\n${dump.slice(0, 8)}`), chunk(dump.slice(8))])
    expect(textOf(events)).toBe('half')
    expect(events.at(-1)).toMatchObject({ type: 'failure', code })
  })

  test('that the model only talks about is text', () => {
    const text = `It said\n\nError: T: [unavailable] Error\n\n${'and went on. '.repeat(60)}`
    const events = read([chunk(text)])
    expect(textOf(events)).toBe(text)
    expect(events.at(-1)).toMatchObject({ type: 'finish' })
  })
})

describe('ends', () => {
  test.each([
    ['max_tokens', { type: 'finish', reason: 'length' }],
    ['max_turn_requests', { type: 'finish', reason: 'length' }],
    ['refusal', { type: 'finish', reason: 'stop' }],
    ['cancelled', { type: 'failure', code: 'agent-failed' }],
  ])('%s', (stopReason, terminal) => {
    expect(read([chunk('x')], stopReason).at(-1)).toMatchObject(terminal)
  })

  test('a turn without words and tools is no success', () => {
    expect(read([]).at(-1)).toMatchObject({ type: 'failure', code: 'agent-failed' })
    const limited = read([], 'end_turn', "Error: You've hit your usage limit")
    expect(limited.at(-1)).toMatchObject({ code: 'cursor-quota' })
  })

  test('a call that is open then is unfinished', () => {
    const events = toolOf(call({ title: 'Read /a', kind: 'read' }))
    expect(events[1]).toMatchObject({ type: 'tool-end', outcome: 'unfinished', isError: true })
  })
})

describe('tools', () => {
  test.each<[string, JsonObject, JsonObject, object, object]>([
    [
      'a shell command',
      { title: '`ls -l`', kind: 'execute', rawInput: { command: 'ls -l' } },
      { rawOutput: { exitCode: 0, stdout: 'a\n', stderr: '' } },
      { name: 'Bash', title: 'ls -l', input: { command: 'ls -l' } },
      { isError: false, outcome: 'success', summary: 'a' },
    ],
    [
      'a shell command that fails',
      { title: '`false`', kind: 'execute', rawInput: { command: 'false' } },
      { rawOutput: { exitCode: 3, stdout: '', stderr: 'no' } },
      { name: 'Bash' },
      { isError: true, outcome: 'failure', summary: 'Exit code 3\nno' },
    ],
    [
      'a read',
      { title: 'Read `/a b`', kind: 'read' },
      { rawOutput: { content: '1\n2\n3\n' } },
      { name: 'Read', title: '/a b' },
      { isError: false, summary: 'Read 3 lines' },
    ],
    [
      'a read that fails and is called completed',
      { title: 'Read File', kind: 'read', locations: [{ path: '/x' }] },
      { rawOutput: { error: 'File not found' } },
      { name: 'Read', title: '/x' },
      { isError: true, outcome: 'error', summary: 'Error: File not found' },
    ],
    [
      'a rejected call',
      { title: '`rm x`', kind: 'execute' },
      { rawOutput: { error: 'Rejected: no' } },
      { title: 'rm x' },
      { isError: true, outcome: 'rejected' },
    ],
    [
      'an edit, whose texts come with its end',
      { title: 'Edit /a', kind: 'edit' },
      { content: [{ type: 'diff', path: '/a', oldText: 'x\n', newText: 'y\nz\n' }] },
      { name: 'Edit', title: '/a' },
      {
        isError: false,
        summary: 'Edited /a (+2 -1 lines)',
        input: { file_path: '/a', old_string: 'x\n', new_string: 'y\nz\n' },
      },
    ],
    [
      'a search',
      { title: 'grep foo', kind: 'search' },
      { rawOutput: { totalMatches: 2, truncated: false } },
      { name: 'Grep', title: 'foo' },
      { isError: false },
    ],
    [
      'an MCP call',
      { title: 'MCP: click', kind: 'other', rawInput: { x: 1 } },
      { rawOutput: {} },
      { name: 'mcp__unknown__click', kind: 'mcp', input: { x: 1 } },
      { isError: false },
    ],
    [
      'something else',
      { title: 'Thinking about it', kind: 'other' },
      { status: 'failed', content: [{ type: 'content', content: { type: 'text', text: 'bad' } }] },
      { name: 'Tool', title: 'Thinking about it' },
      { isError: true, summary: 'Error: bad' },
    ],
  ])('%s', (_what, start, end, shownStart, shownEnd) => {
    const events = toolOf(call(start), done({ status: 'in_progress' }), done(end), done(end))
    expect(events).toHaveLength(2)
    expect(events[0]).toMatchObject({ type: 'tool-start', host: 'cursor', ...shownStart })
    expect(events[1]).toMatchObject({ type: 'tool-end', ...shownEnd })
  })

  test('an end without a start makes both', () => {
    const events = toolOf(done({ title: 'Read /a', kind: 'read', rawOutput: { content: 'x' } }))
    expect(events.map(({ type }) => type)).toEqual(['tool-start', 'tool-end'])
  })
})
