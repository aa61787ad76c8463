// Responses requests that no recording shows: every kind of item and tool, choices, what is refused.
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../../src/core/failure.ts'
import type { Json, Turn } from '../../../src/core/turn.ts'
import { parseResponses } from '../../../src/protocols/openai-responses/request.ts'
import type { KeptReplies } from '../../../src/protocols/protocol.ts'

const parse = (fields: object, kept?: KeptReplies): Turn =>
  parseResponses({ model: 'auto', input: 'hi', ...fields }, kept)
const firstPart = (item: object) => parse({ input: [item] }).messages[0]

test('a string is one user message, instructions stand first', () => {
  expect(parse({ instructions: 'Be terse.' }).messages).toEqual([
    { role: 'system', parts: [{ type: 'text', text: 'Be terse.' }] },
    { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
  ])
})

describe('items', () => {
  const call = { type: 'function_call', call_id: 'c1', name: 'read' }
  test.each<[string, object, object]>([
    ['a developer message', { role: 'developer', content: 'x' }, { role: 'system' }],
    [
      'a call with arguments that are no JSON',
      { ...call, arguments: '{"a":' },
      { role: 'assistant', parts: [{ type: 'tool-call', id: 'c1', arguments: '{"a":' }] },
    ],
    ['a call without arguments', call, { parts: [{ type: 'tool-call', arguments: {} }] }],
    [
      'a call of a namespace',
      { ...call, namespace: 'agents', arguments: '{}' },
      { parts: [{ name: 'agents__read' }] },
    ],
    [
      'an output of parts',
      {
        type: 'function_call_output',
        call_id: 'c1',
        output: [
          { type: 'input_text', text: 'a' },
          { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
          { type: 'input_file', file_id: 'f' },
        ],
      },
      {
        role: 'user',
        parts: [
          {
            callId: 'c1',
            content: [
              { type: 'text', text: 'a' },
              { type: 'image', source: { kind: 'base64', data: 'AA==' } },
              { type: 'text', text: '[input_file left out]' },
            ],
          },
        ],
      },
    ],
    [
      'reasoning',
      {
        type: 'reasoning',
        id: 'r',
        summary: [{ type: 'summary_text', text: 'hm' }],
        content: null,
      },
      { role: 'assistant', parts: [{ type: 'thinking', text: 'hm' }] },
    ],
    [
      'our own mcp_call',
      {
        type: 'mcp_call',
        id: 'm',
        server_label: 'cursor',
        name: 'Read',
        arguments: '{"path":"a"}',
        output: 'text of a',
      },
      {
        role: 'assistant',
        parts: [
          { type: 'past-activity', text: 'Read was run with path: a' },
          { type: 'past-activity', text: 'Read (a) returned: text of a' },
        ],
      },
    ],
    [
      'an mcp_call that failed',
      { type: 'mcp_call', id: 'm', name: 'Bash', arguments: '', error: { message: 'no' } },
      { parts: [{ text: 'Bash was run' }, { text: 'Bash failed: no' }] },
    ],
    ['a web search', { type: 'web_search_call', id: 'w' }, { parts: [{ type: 'unsupported' }] }],
    [
      'an output of a kind we do not know',
      { type: 'hologram_output', call_id: 'h' },
      { role: 'user', parts: [{ type: 'unsupported', kind: 'hologram_output' }] },
    ],
    [
      'a file of the provider',
      { role: 'user', content: [{ type: 'input_image', file_id: 'f' }] },
      {
        parts: [{ type: 'unsupported', kind: 'input_image' }],
      },
    ],
  ])('%s', (_name, item, expected) => {
    expect(firstPart(item)).toMatchObject(expected)
  })
})

const READ = { type: 'function', name: 'read', parameters: { type: 'object' } }

test('F94: tools of every kind: those a client can run are offered, the rest is left out', () => {
  const { tools, reply } = parse({
    tools: [
      { ...READ, strict: true, description: 'Reads.' },
      { type: 'custom', name: 'patch', description: 'Patches.' },
      {
        type: 'namespace',
        name: 'mcp__x__',
        tools: [{ ...READ, name: 'look' }, { type: 'custom', name: 'say' }, { type: 'odd' }],
      },
      { type: 'web_search' },
      { type: 'local_shell' },
      { type: 'tool_search', execution: 'client' },
      { type: 'mcp', server_label: 'x', server_url: 'http://127.0.0.1/' },
      { type: 'image_generation' },
      { type: 'brand_new', name: 7 },
    ],
  })
  expect(tools.map(({ name }) => name)).toEqual(['read', 'patch', 'mcp__x__look', 'mcp__x__say'])
  expect([...(reply.responses?.callForms ?? [])]).toEqual([
    ['patch', { kind: 'custom', name: 'patch', namespace: undefined }],
    ['mcp__x__look', { kind: 'function', name: 'look', namespace: 'mcp__x__' }],
    ['mcp__x__say', { kind: 'custom', name: 'say', namespace: 'mcp__x__' }],
  ])
})

test.each<[unknown, object]>([
  ['none', { kind: 'none' }],
  ['required', { kind: 'required' }],
  [
    { type: 'function', name: 'read' },
    { kind: 'named', name: 'read' },
  ],
  [
    { type: 'custom', name: 'patch' },
    { kind: 'named', name: 'patch' },
  ],
  [{ type: 'allowed_tools', mode: 'required', tools: [] }, { kind: 'required' }],
  [undefined, { kind: 'auto' }],
])('the tool choice %j', (choice, expected) => {
  expect(parse({ tool_choice: choice }).toolChoice).toEqual(expected)
})

test.each<[string, object, RegExp]>([
  [
    'a tool of the provider',
    { tool_choice: { type: 'web_search' } },
    /^tool_choice\.type: .*web_search/,
  ],
  ['a function without a name', { tools: [{ type: 'function' }] }, /^tools\.0\.name: expected/],
  ['background work', { background: true }, /^background: expected false/],
  ['a stored prompt', { prompt: { id: 'pmpt_1' } }, /^prompt: expected nothing/],
  ['log probabilities', { top_logprobs: 3 }, /^top_logprobs: expected 0/],
  ['log probabilities by include', { include: ['message.output_text.logprobs'] }, /^top_logprobs/],
  [
    'a schema without a schema',
    { text: { format: { type: 'json_schema', name: 'x' } } },
    /^text\.format\.schema/,
  ],
  ['both kinds of history', { conversation: 'c', previous_response_id: 'r' }, /^conversation: /],
  ['a role we do not know', { input: [{ role: 'robot', content: 'x' }] }, /^input\.0\.role: /],
])('%s is refused by name', (_name, fields, says) => {
  expect(() => parse(fields)).toThrow(Refusal)
  expect(() => parse(fields)).toThrow(says)
})

describe('what is kept', () => {
  const earlier: readonly Json[] = [
    { role: 'user', content: 'first' },
    {
      type: 'message',
      id: 'msg_1',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'one' }],
    },
  ]
  const kept: KeptReplies = {
    upTo: (id) => (id === 'resp_1' ? earlier : undefined),
    conversation: (id) => (id === 'conv_1' ? earlier : []),
    item: (id) => (id === 'msg_1' ? earlier[1] : undefined),
  }
  const texts = (turn: Turn) =>
    turn.messages.map(({ parts }) =>
      parts.map((part) => ('text' in part ? part.text : '')).join(''),
    )

  test('stands between the instructions and what is new', () => {
    const fields = { instructions: 'Be terse.', previous_response_id: 'resp_1' }
    expect(texts(parse(fields, kept))).toEqual(['Be terse.', 'first', 'one', 'hi'])
  })

  test('is found by a conversation id, which may be new', () => {
    expect(texts(parse({ conversation: 'conv_1' }, kept))).toEqual(['first', 'one', 'hi'])
    expect(texts(parse({ conversation: { id: 'conv_2' } }, kept))).toEqual(['hi'])
  })

  test('stands in the place of references, with and without their type', () => {
    const input = [
      { type: 'item_reference', id: 'msg_1' },
      { id: 'msg_1' },
      { role: 'user', content: 'x' },
    ]
    expect(texts(parse({ input }, kept))).toEqual(['one', 'one', 'x'])
  })

  test.each<[object, RegExp]>([
    [{ previous_response_id: 'resp_2' }, /previous_response_id: the response "resp_2" is not kept/],
    [
      { input: [{ type: 'item_reference', id: 'msg_2' }] },
      /input\.0: the item "msg_2" is not kept/,
    ],
  ])('%j is not found', (fields, says) => {
    for (const replies of [kept, undefined]) {
      expect(() => parse(fields, replies)).toThrow(says)
      expect(() => parse(fields, replies)).toThrow(
        expect.objectContaining({ code: 'previous-response-not-found' }),
      )
    }
  })
})

test('the reply repeats what was asked, long fields apart', () => {
  const asked = {
    instructions: 'Be terse.',
    metadata: { a: 'b' },
    store: false,
    max_output_tokens: 77,
    tools: [READ],
    reasoning: { effort: 'low', summary: 'auto' },
    include: ['reasoning.encrypted_content'],
  }
  const { reply, effort, maxOutputTokens } = parse(asked)
  expect({ effort, maxOutputTokens }).toEqual({ effort: 'low', maxOutputTokens: 77 })
  expect(reply.responses).toMatchObject({
    echo: {
      metadata: { a: 'b' },
      store: false,
      max_output_tokens: 77,
      tool_choice: 'auto',
      parallel_tool_calls: true,
      reasoning: { effort: 'low', summary: 'auto' },
    },
    longEcho: { instructions: 'Be terse.', tools: [READ] },
    encryptedReasoning: true,
  })
})
