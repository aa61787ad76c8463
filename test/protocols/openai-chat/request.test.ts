import { describe, expect, test } from 'vitest'
import type { Message, Turn } from '../../../src/core/turn.ts'
import { parseChat } from '../../../src/protocols/openai-chat/request.ts'

const HI = { role: 'user', content: 'hi' }
const parse = (fields: object): Turn => parseChat({ model: 'auto', messages: [HI], ...fields })
const messagesOf = (...messages: readonly unknown[]): readonly Message[] =>
  parse({ messages }).messages

describe('messages', () => {
  test.each([
    ['a string', 'hi', [{ type: 'text', text: 'hi' }]],
    ['null', null, []],
    ['no content', undefined, []],
    ['an empty string', '', []],
    ['an empty list', [], []],
    [
      'text parts',
      [
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: '' },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    [
      'an image as data URI',
      [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'high' } }],
      [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } }],
    ],
    [
      'an image as data URI with parameters',
      [{ type: 'image_url', image_url: { url: 'data:image/svg+xml;charset=utf-8;base64,AA' } }],
      [{ type: 'image', source: { kind: 'base64', mediaType: 'image/svg+xml', data: 'AA' } }],
    ],
    [
      'an image as URL',
      [{ type: 'image_url', image_url: { url: 'https://example.com/a.png' } }],
      [{ type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }],
    ],
    [
      'an image URL without its object',
      [{ type: 'image_url', image_url: 'https://example.com/a.png' }],
      [{ type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } }],
    ],
    [
      'audio and files',
      [
        { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
        { type: 'file', file: { file_id: 'f' } },
      ],
      [
        { type: 'unsupported', kind: 'input_audio' },
        { type: 'unsupported', kind: 'file' },
      ],
    ],
    [
      'a part of tomorrow',
      [{ type: 'hologram', x: 1 }],
      [{ type: 'unsupported', kind: 'hologram' }],
    ],
  ])('content: %s', (_name, content, parts) => {
    expect(messagesOf({ role: 'user', content })).toEqual([{ role: 'user', parts }])
  })

  test('system and developer texts keep their places', () => {
    const roles = ['system', 'user', 'developer', 'assistant', 'system', 'user']
    const messages = messagesOf(...roles.map((role) => ({ role, content: role })))
    expect(messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'system',
      'assistant',
      'system',
      'user',
    ])
  })

  test('a call, its arguments and its result are tied by id', () => {
    const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"p":"a"}' } }
    expect(
      messagesOf(
        { role: 'assistant', content: null, tool_calls: [call], reasoning_content: 'hm' },
        { role: 'tool', tool_call_id: 'c1', content: 'text' },
      ),
    ).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'thinking', text: 'hm' },
          { type: 'tool-call', id: 'c1', name: 'read', arguments: { p: 'a' } },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            type: 'tool-result',
            callId: 'c1',
            isError: false,
            content: [{ type: 'text', text: 'text' }],
          },
        ],
      },
    ])
  })

  test.each([
    ['{"a":1}', { a: 1 }],
    ['', {}],
    [null, {}],
    ['{"a":', '{"a":'],
    ['[1]', [1]],
    [{ a: 1 }, { a: 1 }],
  ])('arguments %j become %j', (given, expected) => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: given } }
    const [message] = messagesOf({ role: 'assistant', tool_calls: [call] })
    expect(message?.parts).toMatchObject([{ type: 'tool-call', arguments: expected }])
  })

  test('a call of a custom tool keeps its input as text', () => {
    const call = { id: 'c', type: 'custom', custom: { name: 'patch', input: '*** Begin' } }
    const [message] = messagesOf({ role: 'assistant', tool_calls: [call] })
    expect(message?.parts).toEqual([
      { type: 'tool-call', id: 'c', name: 'patch', arguments: '*** Begin' },
    ])
  })

  test('a refusal in the history is text', () => {
    const [message] = messagesOf({ role: 'assistant', content: null, refusal: 'no' })
    expect(message?.parts).toEqual([{ type: 'text', text: 'no' }])
  })

  test('function calls of the old kind are tied to their results by name', () => {
    const messages = messagesOf(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'one' },
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'two' },
    )
    const ids = messages.flatMap(({ parts }) =>
      parts.map((part) => ('callId' in part ? part.callId : 'id' in part ? part.id : '')),
    )
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).toBe(ids[3])
    expect(ids[0]).not.toBe(ids[2])
  })

  test('an image in a tool result stays, what is unknown there is named', () => {
    const [message] = messagesOf({
      role: 'tool',
      tool_call_id: 'c',
      content: [{ type: 'image_url', image_url: { url: 'https://x/y' } }, { type: 'hologram' }],
    })
    expect(message?.parts).toMatchObject([
      { content: [{ type: 'image' }, { type: 'text', text: '[hologram left out]' }] },
    ])
  })

  test('the billing block is dropped from system texts only', () => {
    const billing = { type: 'text', text: 'x-anthropic-billing-header: cc_version=1; x' }
    const [system, user] = messagesOf(
      { role: 'system', content: [billing, { type: 'text', text: 'be brief' }] },
      { role: 'user', content: [billing] },
    )
    expect(system?.parts).toEqual([{ type: 'text', text: 'be brief' }])
    expect(user?.parts).toHaveLength(1)
  })
})

describe('fields', () => {
  test.each([
    ['max_tokens', { max_tokens: 5 }, { maxOutputTokens: 5 }],
    ['max_completion_tokens', { max_completion_tokens: 6, max_tokens: 5 }, { maxOutputTokens: 6 }],
    ['stop as string', { stop: 'x' }, { stop: ['x'] }],
    ['stop as list', { stop: ['x', 'y'] }, { stop: ['x', 'y'] }],
    ['stop null', { stop: null }, { stop: [] }],
    ['reasoning_effort', { reasoning_effort: 'high' }, { effort: 'high', thinking: undefined }],
    ['no reasoning', { reasoning_effort: 'none' }, { effort: undefined, thinking: false }],
    ['an effort of tomorrow', { reasoning_effort: 'ludicrous' }, { effort: undefined }],
    ['reasoning.effort', { reasoning: { effort: 'low', enabled: false } }, { effort: 'low' }],
    ['parallel_tool_calls', { parallel_tool_calls: false }, { parallelToolCalls: false }],
    ['user', { user: 'u' }, { bodyIds: { userId: 'u' } }],
    ['prompt_cache_key', { prompt_cache_key: 'k' }, { bodyIds: { promptCacheKey: 'k' } }],
    [
      'sampling fields and nulls',
      { temperature: 1, top_p: null, seed: 1, metadata: { a: 'b' }, n: 1, tools: null, user: null },
      { tools: [], bodyIds: { userId: undefined } },
    ],
    [
      'include_usage',
      { stream: true, stream_options: { include_usage: true } },
      { reply: { stream: true, usageChunk: true } },
    ],
    [
      'include_usage without a stream',
      { stream_options: { include_usage: true } },
      { reply: { stream: false, usageChunk: false } },
    ],
  ])('%s', (_name, fields, expected) => {
    expect(parse(fields)).toMatchObject(expected)
  })

  test('function tools are taken, other kinds are not', () => {
    const { tools } = parse({
      tools: [
        {
          type: 'function',
          function: { name: 'a', description: 'd', parameters: { type: 'object' } },
        },
        { type: 'function', function: { name: 'b', strict: true } },
        { type: 'custom', custom: { name: 'c' } },
        { type: 'web_search' },
      ],
      functions: [{ name: 'old' }],
    })
    const none = { type: 'object', properties: {} }
    expect(tools).toEqual([
      { name: 'a', description: 'd', parameters: { type: 'object' } },
      { name: 'b', description: '', parameters: none },
      { name: 'old', description: '', parameters: none },
    ])
  })

  test.each([
    ['auto', { kind: 'auto' }],
    ['none', { kind: 'none' }],
    ['required', { kind: 'required' }],
    [null, { kind: 'auto' }],
    [
      { type: 'function', function: { name: 'f' } },
      { kind: 'named', name: 'f' },
    ],
    [
      { type: 'custom', custom: { name: 'f' } },
      { kind: 'named', name: 'f' },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } },
      { kind: 'required' },
    ],
  ])('tool_choice %j', (choice, expected) => {
    expect(parse({ tool_choice: choice }).toolChoice).toEqual(expected)
  })

  test('function_call of the old kind is a tool choice', () => {
    expect(parse({ function_call: { name: 'f' } }).toolChoice).toEqual({ kind: 'named', name: 'f' })
    expect(parse({ function_call: 'none' }).toolChoice).toEqual({ kind: 'none' })
  })
})

test.each([
  [{ messages: [1] }, 'messages.0: expected an object, received 1'],
  [
    { messages: [{ role: 'user', content: 5 }] },
    'messages.0.content: expected a string or an array or null, received 5',
  ],
  [
    { messages: [HI, { role: 'user', content: [{ type: 'text', text: 5 }] }] },
    'messages.1.content.0.text: expected a string, received 5',
  ],
  [
    { messages: [{ role: 'user', content: ['x'] }] },
    'messages.0.content.0: expected an object, received a string',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image_url' }] }] },
    'messages.0.content.0.image_url: expected a string or an object, received nothing',
  ],
  [
    { messages: [{ role: 'tool', content: 'x' }] },
    'messages.0.tool_call_id: expected a string, received nothing',
  ],
  [
    { messages: [{ role: 'wizard' }] },
    'messages.0.role: expected "system" or "developer" or "user" or "assistant" or "tool" or "function", received "wizard"',
  ],
  [
    { messages: [{ role: 'assistant', tool_calls: 'x' }] },
    'messages.0.tool_calls: expected an array, received a string',
  ],
  [{ n: 2 }, 'n: expected 1 (one choice per request), received 2'],
  [{ n: 'two' }, 'n: expected a number, received a string'],
  [{ stream: 'yes' }, 'stream: expected a boolean, received a string'],
  [{ model: 5 }, 'model: expected a string, received 5'],
  [{ max_tokens: 1.5 }, 'max_tokens: expected a whole number, received 1.5'],
  [{ max_tokens: -1 }, 'max_tokens: expected at least 0, received -1'],
  [{ stop: [1] }, 'stop.0: expected a string, received 1'],
  [{ tools: {} }, 'tools: expected an array, received an object'],
  [{ tools: [{ type: 'function' }] }, 'tools.0.function: expected an object, received nothing'],
  [
    { tools: [{ type: 'function', function: { name: 'f', parameters: 'x' } }] },
    'tools.0.function.parameters: expected an object, received a string',
  ],
  [
    { tool_choice: 'maybe' },
    'tool_choice: expected "none" or "auto" or "required" or an object, received a string',
  ],
  [
    { tool_choice: { type: 'function' } },
    'tool_choice.function: expected an object, received nothing',
  ],
])('%j is refused with its field, what was expected and what came', (fields, message) => {
  expect(() => parse(fields)).toThrow(expect.objectContaining({ code: 'invalid-request', message }))
})

test('no message of a refusal repeats the text of a prompt', () => {
  expect(() => parse({ messages: 'my secret plan' })).toThrow(/^(?!.*secret)/)
})
