import { describe, expect, test } from 'vitest'
import type { Message, Part, Turn } from '../../../src/core/turn.ts'
import { parseMessages } from '../../../src/protocols/anthropic/request.ts'

const HI = { role: 'user', content: 'hi' }
const parse = (fields: object): Turn =>
  parseMessages({ model: 'auto', max_tokens: 10, messages: [HI], ...fields })
const messagesOf = (...messages: readonly unknown[]): readonly Message[] =>
  parse({ messages }).messages
const partsOf = (...content: readonly unknown[]): readonly Part[] =>
  messagesOf({ role: 'user', content })[0]?.parts ?? []

const texts = (...list: readonly string[]) => list.map((text) => ({ type: 'text', text }))
const past = (text: string) => ({ type: 'past-activity', text })

describe('system', () => {
  test.each([
    ['a string', 'be brief', ['be brief']],
    [
      'blocks',
      [
        { type: 'text', text: 'a', cache_control: {} },
        { type: 'text', text: 'b' },
      ],
      ['a', 'b'],
    ],
    [
      'the billing block first',
      [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=1;' },
        { type: 'text', text: 'b' },
      ],
      ['b'],
    ],
  ])('%s is the first message', (_name, system, expected) => {
    expect(parse({ system }).messages).toEqual([
      { role: 'system', parts: texts(...expected) },
      { role: 'user', parts: texts('hi') },
    ])
  })

  test.each([undefined, null, '', [], [{ type: 'text', text: 'x-anthropic-billing-header: x' }]])(
    '%j adds no message',
    (system) => {
      expect(parse({ system }).messages).toHaveLength(1)
    },
  )

  test('system messages in the middle keep their places', () => {
    const messages = messagesOf(
      HI,
      { role: 'assistant', content: 'a' },
      { role: 'system', content: 'reminder' },
      { role: 'user', content: 'next' },
    )
    expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'system', 'user'])
    expect(messages[2]?.parts).toEqual(texts('reminder'))
  })
})

const BASE64 = { type: 'base64', media_type: 'image/png', data: 'AAAA' }
const PNG = { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'AAAA' } }

describe('blocks', () => {
  test.each<[string, readonly unknown[], readonly unknown[]]>([
    [
      'text',
      [
        { type: 'text', text: 'a', citations: [] },
        { type: 'text', text: '' },
      ],
      texts('a'),
    ],
    ['an image', [{ type: 'image', source: BASE64 }], [PNG]],
    [
      'an image URL',
      [{ type: 'image', source: { type: 'url', url: 'https://x/y.png' } }],
      [{ type: 'image', source: { kind: 'url', url: 'https://x/y.png' } }],
    ],
    [
      'an image on the provider’s side',
      [{ type: 'image', source: { type: 'file', file_id: 'f' } }],
      [{ type: 'unsupported', kind: 'image' }],
    ],
    [
      'thinking',
      [
        { type: 'thinking', thinking: 'hm', signature: 's' },
        { type: 'thinking', thinking: '', signature: 's' },
        { type: 'redacted_thinking', data: 'x' },
      ],
      [{ type: 'thinking', text: 'hm' }],
    ],
    [
      'tool_use',
      [
        { type: 'tool_use', id: 'i', name: 'Read', input: { p: 1 } },
        { type: 'tool_use', id: 'j', name: 'List' },
      ],
      [
        { type: 'tool-call', id: 'i', name: 'Read', arguments: { p: 1 } },
        { type: 'tool-call', id: 'j', name: 'List', arguments: {} },
      ],
    ],
    [
      'server tools',
      [
        { type: 'server_tool_use', id: 's1', name: 'Bash', input: { command: 'ls' } },
        { type: 'server_tool_use', id: 's2', name: 'Read', input: {} },
        {
          type: 'code_execution_tool_result',
          tool_use_id: 's2',
          content: {
            type: 'code_execution_result',
            stdout: '3 lines',
            stderr: '',
            return_code: 0,
            content: [],
          },
        },
        {
          type: 'bash_code_execution_tool_result',
          tool_use_id: 's1',
          content: { type: 'bash_code_execution_result', stdout: 'a', stderr: 'b', content: [] },
        },
      ],
      [
        past('Bash was run with command: ls'),
        past('Read was run'),
        past('Read returned: 3 lines'),
        past('Bash (ls) returned: a\nb'),
      ],
    ],
    [
      'a web search, without its encrypted parts',
      [
        {
          type: 'web_search_tool_result',
          tool_use_id: 'w',
          content: [{ type: 'web_search_result', title: 'T', url: 'U', encrypted_content: 'XX' }],
        },
        {
          type: 'web_search_tool_result',
          tool_use_id: 'w',
          content: { type: 'web_search_tool_result_error', error_code: 'unavailable' },
        },
      ],
      [past('A tool returned: T\nU'), past('A tool failed: unavailable')],
    ],
    [
      'MCP tools',
      [
        { type: 'mcp_tool_use', id: 'm', name: 'find', server_name: 's', input: { q: 1 } },
        {
          type: 'mcp_tool_result',
          tool_use_id: 'm',
          is_error: false,
          content: [{ type: 'text', text: 'r' }],
        },
        { type: 'mcp_tool_result', tool_use_id: 'm', content: [] },
        { type: 'mcp_tool_result', tool_use_id: 'm', is_error: true, content: 'no' },
      ],
      [
        past('find was run with q: 1'),
        past('find returned: r'),
        past('find ended'),
        past('find failed: no'),
      ],
    ],
    [
      'a failed server tool with long and many-line arguments',
      [
        {
          type: 'server_tool_use',
          id: 's',
          name: 'Edit',
          input: { file_path: `/${'a'.repeat(99)}`, new_string: `x\n${'y'.repeat(400)}` },
        },
        {
          type: 'code_execution_tool_result',
          tool_use_id: 's',
          content: { type: 'code_execution_result', stdout: 'Rejected: no', return_code: 1 },
        },
      ],
      [
        past(
          `Edit was run with file_path: /${'a'.repeat(99)}, new_string: "x\\n${'y'.repeat(296)}… (105 characters left out)`,
        ),
        past(`Edit (/${'a'.repeat(59)}… (40 characters left out)) failed: Rejected: no`),
      ],
    ],
    [
      'documents',
      [
        {
          type: 'document',
          title: 't',
          source: { type: 'text', media_type: 'text/plain', data: 'd' },
        },
        { type: 'document', source: { type: 'content', content: [{ type: 'text', text: 'c' }] } },
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AA' } },
        { type: 'search_result', title: 'T', source: 'S', content: [{ type: 'text', text: 'x' }] },
      ],
      [...texts('t', 'd', 'c'), { type: 'unsupported', kind: 'document' }, ...texts('T (S)', 'x')],
    ],
    [
      'a block of tomorrow',
      [{ type: 'hologram', x: 1 }],
      [{ type: 'unsupported', kind: 'hologram' }],
    ],
    ['no blocks', [], []],
  ])('%s', (_name, content, expected) => {
    expect(partsOf(...content)).toEqual(expected)
  })

  test.each<[string, object, readonly unknown[], boolean]>([
    ['a string', { content: 'ok' }, texts('ok'), false],
    ['an empty string', { content: '' }, [], false],
    ['nothing', {}, [], false],
    ['an empty list', { content: [] }, [], false],
    ['an error', { content: 'no such file', is_error: true }, texts('no such file'), true],
    ['an empty error', { is_error: true }, [], true],
    [
      'text and image',
      { content: [...texts('a'), { type: 'image', source: BASE64 }] },
      [...texts('a'), PNG],
      false,
    ],
    [
      'references to tools',
      {
        content: [
          { type: 'tool_reference', tool_name: 'A' },
          { type: 'tool_reference', tool_name: 'B' },
        ],
      },
      texts('Tools found: A, B'),
      false,
    ],
    ['something unknown', { content: [{ type: 'hologram' }] }, texts('[hologram left out]'), false],
  ])('tool_result with %s', (_name, fields, content, isError) => {
    expect(partsOf({ type: 'tool_result', tool_use_id: 'i', ...fields })).toEqual([
      { type: 'tool-result', callId: 'i', isError, content },
    ])
  })
})

describe('fields', () => {
  test.each([
    ['no max_tokens, as count_tokens', { max_tokens: undefined }, { maxOutputTokens: undefined }],
    ['stop_sequences', { stop_sequences: ['x'] }, { stop: ['x'] }],
    ['thinking enabled', { thinking: { type: 'enabled', budget_tokens: 5 } }, { thinking: true }],
    [
      'thinking adaptive',
      { thinking: { type: 'adaptive', display: 'omitted' } },
      { thinking: true },
    ],
    ['thinking disabled', { thinking: { type: 'disabled' } }, { thinking: false }],
    ['thinking of tomorrow', { thinking: { type: 'dreaming' } }, { thinking: undefined }],
    ['effort', { output_config: { effort: 'max' } }, { effort: 'max' }],
    ['an effort of tomorrow', { output_config: { effort: 'x' } }, { effort: undefined }],
    ['metadata.user_id', { metadata: { user_id: 'u' } }, { bodyIds: { userId: 'u' } }],
    [
      'new keys at every level',
      {
        context_management: { edits: [] },
        betas: ['x'],
        temperature: 1,
        metadata: { x: 1 },
        messages: [{ ...HI, x: 1 }],
        tools: [{ name: 'a', input_schema: {}, defer_loading: true, x: 1 }],
      },
      { messages: [{ role: 'user' }] },
    ],
  ])('%s', (_name, fields, expected) => {
    expect(parse(fields)).toMatchObject(expected)
  })

  test('client tools are taken, tools of the provider are not', () => {
    const { tools } = parse({
      tools: [
        { name: 'a', description: 'd', input_schema: { type: 'object' } },
        { type: 'custom', name: 'b', input_schema: {} },
        { type: 'web_search_20250305', name: 'web_search', max_uses: 3 },
        { type: 'bash_20250124', name: 'bash' },
      ],
    })
    expect(tools).toEqual([
      { name: 'a', description: 'd', parameters: { type: 'object' } },
      { name: 'b', description: '', parameters: {} },
    ])
  })

  test.each([
    [undefined, { kind: 'auto' }, true],
    [{ type: 'auto', disable_parallel_tool_use: true }, { kind: 'auto' }, false],
    [{ type: 'any' }, { kind: 'required' }, true],
    [{ type: 'tool', name: 'f' }, { kind: 'named', name: 'f' }, true],
    [{ type: 'none' }, { kind: 'none' }, true],
  ])('tool_choice %j', (choice, toolChoice, parallelToolCalls) => {
    expect(parse({ tool_choice: choice })).toMatchObject({ toolChoice, parallelToolCalls })
  })
})

test.each([
  [{ system: 5 }, 'system: expected a string or an array or null, received 5'],
  [{ system: [{ type: 'text' }] }, 'system.0.text: expected a string, received nothing'],
  [
    { messages: [{ role: 'robot', content: '' }] },
    'messages.0.role: expected "user" or "assistant" or "system", received "robot"',
  ],
  [
    { messages: [{ role: 'user', content: { type: 'text' } }] },
    'messages.0.content: expected a string or an array or null, received an object',
  ],
  [
    { messages: [{ role: 'user', content: [{ text: 'x' }] }] },
    'messages.0.content.0.type: expected a string, received nothing',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_result' }] }] },
    'messages.0.content.0.tool_use_id: expected a string, received nothing',
  ],
  [
    {
      messages: [
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 'i', content: [{ type: 'text' }] }],
        },
      ],
    },
    'messages.0.content.0.content.0.text: expected a string, received nothing',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64' } }] }] },
    'messages.0.content.0.source.media_type: expected a string, received nothing',
  ],
  [{ stream: 1 }, 'stream: expected a boolean, received 1'],
  [{ tools: 'x' }, 'tools: expected an array, received a string'],
  [{ tools: [{ name: 'a' }] }, 'tools.0.input_schema: expected an object, received nothing'],
  [{ tool_choice: { type: 'tool' } }, 'tool_choice.name: expected a string, received nothing'],
  [{ tool_choice: 'auto' }, 'tool_choice: expected an object, received a string'],
  [{ stop_sequences: 'x' }, 'stop_sequences: expected an array, received a string'],
  [{ metadata: { user_id: 5 } }, 'metadata.user_id: expected a string, received 5'],
])('%j is refused with its field, what was expected and what came', (fields, message) => {
  expect(() => parse(fields)).toThrow(expect.objectContaining({ code: 'invalid-request', message }))
})

test('a thread is refused with the code that makes the SDK send whole histories', () => {
  for (const thread of [{ type: 'create' }, { type: 'continue', previous_message_id: 'm' }]) {
    expect(() => parse({ thread })).toThrow(
      expect.objectContaining({ details: { error_code: 'thread_unsupported_request' } }),
    )
  }
  expect(parse({ thread: null }).messages).toHaveLength(1)
})
