// What is special in Responses streams: when they open, signs of life, calls in all their forms, what is repeated.
import { describe, expect, test } from 'vitest'
import type { AgentEvent } from '../../../src/core/events.ts'
import { callId } from '../../../src/core/ids.ts'
import { responsesProtocol } from '../../../src/protocols/openai-responses/responses.ts'
import { dataOf, joinResponses } from '../../contract/reassemble.ts'
import {
  CONTEXT,
  clientTool,
  cursorTool,
  failure,
  finish,
  framesOf,
  type Step,
  started,
  text,
  thinking,
  thinkingEnd,
  toolEnd,
} from '../streams.ts'

const body = (fields: object = {}): object => ({ stream: true, input: 'hi', ...fields })
const typesOf = (steps: readonly Step[], fields: object = {}): string[] =>
  framesOf(responsesProtocol, body(fields), steps).map((frame) => String(dataOf(frame).type))
const OPENING = ['response.created', 'response.in_progress']

test('nothing is sent for an event that shows nothing, so the headers can wait', () => {
  expect(typesOf([started, thinkingEnd, toolEnd('x', 'success'), text('')])).toEqual([])
})

test('F93: a simple answer, from response.created to response.completed', () => {
  expect(typesOf([started, text('a'), text('b'), finish()])).toEqual([
    ...OPENING,
    'response.output_item.added',
    'response.content_part.added',
    'response.output_text.delta',
    'response.output_text.delta',
    'response.output_text.done',
    'response.content_part.done',
    'response.output_item.done',
    'response.completed',
  ])
})

describe('signs of life', () => {
  test('before anything: the reply opens', () => {
    expect(typesOf(['beat', 'beat'])).toEqual([...OPENING, 'response.in_progress'])
  })

  test.each<[string, AgentEvent, string]>([
    ['text', text('a'), 'response.output_text.delta'],
    ['thinking', thinking('a'), 'response.reasoning_summary_text.delta'],
  ])('in %s: an empty delta of it', (_name, event, type) => {
    const last = framesOf(responsesProtocol, body(), [event, 'beat']).at(-1)
    expect(last && dataOf(last)).toMatchObject({ type, delta: '' })
  })

  test('while a tool of Cursor runs: in_progress with what there is', () => {
    const steps: readonly Step[] = [text('Looking.'), cursorTool('t', 'Bash', 'sleep'), 'beat']
    const last = framesOf(responsesProtocol, body(), steps).at(-1)
    expect(last && dataOf(last)).toMatchObject({
      type: 'response.in_progress',
      response: { output: [{ type: 'message', status: 'completed' }] },
    })
  })
})

test('a tool that Cursor runs opens the reply when it starts, and is one item when it ends', () => {
  const start = cursorTool('t', 'Bash', 'npm test')
  expect(typesOf([start])).toEqual(OPENING)
  const done: AgentEvent = {
    type: 'tool-end',
    callId: callId('t'),
    isError: false,
    outcome: 'success',
    summary: 'fine',
    durationMs: 1,
  }
  const ends = [
    [done, { status: 'completed', output: 'fine', error: null }],
    [toolEnd('t', 'failure'), { status: 'failed', output: null, error: 'failure' }],
  ] as const
  for (const [end, expected] of ends) {
    const response = joinResponses(framesOf(responsesProtocol, body(), [start, end, finish()]))
    expect(response.output).toMatchObject([
      {
        type: 'mcp_call',
        server_label: 'cursor',
        name: 'Bash',
        arguments: '{"path":"npm test"}',
        ...expected,
      },
      { type: 'message', content: [{ text: '' }] },
    ])
  }
})

test('calls go back in the form the client offered them in', () => {
  const tools = [
    { type: 'custom', name: 'patch' },
    { type: 'namespace', name: 'agents', tools: [{ type: 'function', name: 'spawn' }] },
    { type: 'function', name: 'read' },
  ]
  const steps = [
    clientTool('c1', 'patch', { input: '*** Begin' }),
    clientTool('c2', 'agents__spawn', { task: 'x' }),
    clientTool('c3', 'read', null),
    finish(),
  ]
  const response = joinResponses(framesOf(responsesProtocol, body({ tools }), steps))
  expect(response.output).toMatchObject([
    { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin' },
    {
      type: 'function_call',
      call_id: 'c2',
      name: 'spawn',
      namespace: 'agents',
      arguments: '{"task":"x"}',
    },
    { type: 'function_call', call_id: 'c3', name: 'read', arguments: '{}' },
  ])
  expect(response).toMatchObject({ status: 'completed', tools })
})

test.each([
  ['{"input":7}', { input: 7 }],
  ['plain', 'plain'],
  ['[1]', [1]],
])('a model that breaks the form of a free-form tool loses nothing: %s', (expected, input) => {
  const tools = [{ type: 'custom', name: 'patch' }]
  const steps = [clientTool('c1', 'patch', input), finish()]
  const { output } = joinResponses(framesOf(responsesProtocol, body({ tools }), steps))
  expect(output).toMatchObject([{ input: expected }])
})

test('reasoning is opaque where the client asks for it, and nowhere else', () => {
  const steps = [thinking('hm'), thinkingEnd, text('a'), finish()]
  const items = (fields: object) =>
    joinResponses(framesOf(responsesProtocol, body(fields), steps)).output
  expect(items({ include: ['reasoning.encrypted_content'] })).toMatchObject([
    { type: 'reasoning', encrypted_content: expect.stringMatching(/^\w+=*$/) },
    {},
  ])
  expect(JSON.stringify(items({}))).not.toContain('encrypted_content')
})

test('a reply cut by its length is incomplete, and so is its last item', () => {
  const frames = framesOf(responsesProtocol, body(), [text('a'), finish(undefined, 'length')])
  expect(joinResponses(frames)).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  })
})

test('a failure says its code and keeps what there was', () => {
  const frames = framesOf(responsesProtocol, body(), [text('half'), failure('it broke')])
  expect(frames.at(-1)?.event).toBe('response.failed')
  expect(dataOf(frames.at(-1) ?? { event: '', data: '' })).toMatchObject({
    response: {
      status: 'failed',
      error: { code: 'agent_failed', message: 'it broke' },
      output: [{ status: 'incomplete', content: [{ text: 'half' }] }],
      usage: null,
    },
  })
})

test('long fields are repeated at the end only', () => {
  const instructions = 'Be terse.'
  const frames = framesOf(responsesProtocol, body({ instructions }), [text('a'), finish()])
  expect(frames.filter(({ data }) => data.includes(instructions))).toHaveLength(1)
  expect(frames.at(-1)?.data).toContain(instructions)
})

test('usage has its details, cached tokens counted once', () => {
  const usage = { input: 15, output: 7, cacheRead: 80, cacheWrite: 5 }
  const frames = framesOf(responsesProtocol, body(), [text('a'), finish(usage)])
  expect(joinResponses(frames).usage).toEqual({
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 80, cache_write_tokens: 5 },
    output_tokens: 7,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 107,
  })
})

describe('what is kept', () => {
  const reply = { id: 'resp_2', output: [{ id: 'msg_2', type: 'message' }] }
  test('own items and the output, references replaced; nothing with store false', () => {
    const kept = {
      upTo: () => undefined,
      conversation: () => [],
      item: (id: string) =>
        id === 'msg_1' ? { id, role: 'assistant', content: 'one' } : undefined,
    }
    const input = [
      { type: 'item_reference', id: 'msg_1' },
      { role: 'user', content: 'two' },
    ]
    const asked = { input, previous_response_id: 'resp_1', instructions: 'x' }
    expect(responsesProtocol.toKeep?.(asked, reply, kept)).toEqual({
      replyId: 'resp_2',
      previous: 'resp_1',
      conversation: undefined,
      items: [{ id: 'msg_1', role: 'assistant', content: 'one' }, input[1], reply.output[0]],
    })
    expect(responsesProtocol.toKeep?.({ ...asked, store: false }, reply, kept)).toBeUndefined()
  })

  test('the writer tells the whole reply exactly when it ends well', () => {
    const told = (end: AgentEvent): object[] => {
      const replies: object[] = []
      const context = { ...CONTEXT, onReply: (whole: object) => replies.push(whole) }
      framesOf(responsesProtocol, body(), [text('a'), end], context)
      return replies
    }
    expect(told(finish())).toMatchObject([{ status: 'completed', output: [{ role: 'assistant' }] }])
    expect(told(finish(undefined, 'length'))).toMatchObject([{ status: 'incomplete' }])
    expect(told(failure('no'))).toEqual([])
  })
})
