// Every request that real clients were seen to send becomes a Turn that says what they meant.
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/core/failure.ts'
import type { Json, Turn } from '../../src/core/turn.ts'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { responsesProtocol } from '../../src/protocols/openai-responses/responses.ts'
import { recorded, recordedRequests } from './recorded.ts'

const ALL = recordedRequests()
const CHAT = ALL.filter(({ path }) => path === '/v1/chat/completions')
const RESPONSES = ALL.filter(({ path }) => path === '/v1/responses')
const MESSAGES = ALL.filter(({ path }) => path.startsWith('/v1/messages'))
const THREADS = MESSAGES.filter(({ body }) => 'thread' in body)

const chat = (name: string): Turn => {
  const { body, headers } = recorded(name)
  return chatProtocol.parse(body, headers)
}
const messages = (name: string): Turn => {
  const { body, headers } = recorded(name)
  return messagesProtocol.parse(body, headers)
}

/** A service that has kept what these requests refer to. */
const KEPT = {
  upTo: (): readonly Json[] => [{ role: 'user', content: 'kept' }],
  conversation: (): readonly Json[] => [],
  item: (id: string): Json => ({ id, role: 'assistant', content: 'kept' }),
}
const responses = (name: string): Turn => {
  const { body, headers } = recorded(name)
  return responsesProtocol.parse(body, headers, KEPT)
}

/** Roles with kinds of parts, e.g. `assistant(text tool-call)`. */
function outline(turn: Turn): string {
  return turn.messages
    .map(({ role, parts }) => `${role}(${parts.map(({ type }) => type).join(' ')})`)
    .join(' ')
}

const unsupportedKinds = (turn: Turn): readonly string[] =>
  turn.messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'unsupported' ? [part.kind] : [])),
  )

test('there are recordings of all protocols', () => {
  expect(RESPONSES.length).toBeGreaterThan(20)
  expect(CHAT.length).toBeGreaterThan(25)
  expect(MESSAGES.length).toBeGreaterThan(45)
})

describe('chat', () => {
  test.each(CHAT)('$name is understood whole', ({ body, headers }) => {
    const turn = chatProtocol.parse(body, headers)
    expect(turn.model).toBe('capture-1')
    expect(unsupportedKinds(turn)).toEqual([])
    expect(JSON.stringify(turn.messages)).not.toContain('x-anthropic-billing-header')
    expect(turn.tools.length).toBe(Array.isArray(body.tools) ? body.tools.length : 0)
    expect(turn.reply.stream).toBe(body.stream === true)
  })
})

describe('responses', () => {
  test.each(RESPONSES)('$name is understood whole', ({ name, body, headers }) => {
    const turn = responsesProtocol.parse(body, headers, KEPT)
    expect(turn.model).toBe(body.model)
    expect(unsupportedKinds(turn)).toEqual([])
    expect(turn.reply.stream).toBe(body.stream === true)
    const tools = Array.isArray(body.tools) ? body.tools : []
    const usable = tools.filter(({ type }) => ['function', 'custom'].includes(type)).length
    // Codex offers five tools in a namespace beside them.
    const inner = tools.some(({ type }) => type === 'namespace') ? 5 : 0
    expect(turn.tools.length, name).toBe(usable + inner)
  })
})

describe('messages', () => {
  test.each(MESSAGES.filter((request) => !THREADS.includes(request)))(
    '$name is understood whole',
    ({ body, headers }) => {
      const turn = messagesProtocol.parse(body, headers)
      expect(turn.model).toBe('capture-1')
      expect(unsupportedKinds(turn)).toEqual([])
      expect(JSON.stringify(turn.messages)).not.toContain('x-anthropic-billing-header')
      expect(turn.reply.stream).toBe(body.stream === true)
    },
  )

  test.each(THREADS)(
    '$name asks for a thread and is told that there are none',
    ({ body, headers }) => {
      expect(() => messagesProtocol.parse(body, headers)).toThrow(
        expect.objectContaining({
          code: 'invalid-request',
          details: { error_code: 'thread_unsupported_request' },
        }),
      )
      expect(() => messagesProtocol.parse(body, headers)).toThrow(Refusal)
    },
  )
})

test.each([
  ['claude-code-tool-loop #0', 'system(text text) user(text text text) system(text)'],
  [
    'claude-code-tool-loop #1',
    'system(text text) user(text text text) system(text) assistant(text tool-call) user(tool-result)',
  ],
  [
    'claude-code-thinking #0',
    'system(text text) user(text text text) system(text) assistant(thinking text tool-call) user(tool-result)',
  ],
  ['claude-code-count-tokens #1', 'user(text)'],
  ['opencode-messages-tool-loop #0', 'system(text) user(text text)'],
])('messages: %s reads as %s', (name, expected) => {
  expect(outline(messages(name))).toBe(expected)
})

test.each([
  ['pi-chat-tool-loop #1', 'system(text) user(text) assistant(text tool-call) user(tool-result)'],
  [
    'codex-0.80.0-chat #1',
    'system(text) user(text) user(text) user(text) assistant(tool-call) assistant(text) user(tool-result)',
  ],
  [
    'opencode-chat-reasoning #0',
    'system(text) user(text) assistant(thinking text tool-call) user(tool-result)',
  ],
  ['pi-chat-image #0', 'system(text) user(text image)'],
  [
    'qwen-chat-tool-loop #1',
    'system(text) user(text text text text text) assistant(text tool-call) user(tool-result)',
  ],
])('chat: %s reads as %s', (name, expected) => {
  expect(outline(chat(name))).toBe(expected)
})

test.each([
  ['codex-tool-loop #0', 'system(text) system(text text) user(text) user(text)'],
  [
    'codex-custom-tool #1',
    'system(text) system(text text text) user(text) user(text) assistant(text) assistant(tool-call) user(tool-result)',
  ],
  [
    'codex-reasoning #0',
    'system(text) system(text text text) user(text) user(text) assistant(thinking) assistant(text) assistant(tool-call) user(tool-result)',
  ],
  ['codex-image #0', 'system(text) system(text text) user(text) user(text image text text)'],
  [
    'codex-0.80.0-responses #1',
    'system(text) user(text) user(text) user(text) assistant(text) assistant(tool-call) user(tool-result)',
  ],
  [
    'qwen-responses-tool-loop #1',
    'system(text) user(text text text text text) assistant(text) assistant(tool-call) user(tool-result)',
  ],
  // `previous_response_id` and `item_reference`: what is kept stands before or in their place.
  ['sdks-all-cases #17', 'system(text) user(text) user(tool-result)'],
  ['sdks-all-cases #27', 'user(text) assistant(text) assistant(tool-call) user(tool-result)'],
])('responses: %s reads as %s', (name, expected) => {
  expect(outline(responses(name))).toBe(expected)
})

test('a free-form tool of Codex is offered with one text argument, and called back as one', () => {
  const turn = responses('codex-custom-tool #1')
  expect(turn.tools.find(({ name }) => name === 'apply_patch')).toMatchObject({
    description: expect.stringContaining('lark grammar'),
    parameters: { properties: { input: { type: 'string' } }, required: ['input'] },
  })
  expect(turn.messages.at(-2)?.parts[0]).toMatchObject({
    type: 'tool-call',
    name: 'apply_patch',
    arguments: { input: expect.stringMatching(/./) },
  })
  expect(turn.reply.responses?.callForms.get('apply_patch')).toMatchObject({ kind: 'custom' })
  expect(turn).toMatchObject({ effort: 'medium' })
})

test('Claude Code names its session, its effort and its thinking in the body', () => {
  const turn = messages('claude-code-tool-loop #0')
  expect(turn).toMatchObject({ effort: 'high', thinking: true, maxOutputTokens: 32_000 })
  expect(turn.bodyIds.userId).toContain('session_id')
  expect(turn.tools.map(({ name }) => name)).toContain('Read')
})

test('an image in a tool result stays an image', () => {
  const [result] = messages('claude-code-image #0').messages.at(-1)?.parts ?? []
  expect(result).toMatchObject({
    type: 'tool-result',
    content: [{ type: 'image', source: { kind: 'base64', mediaType: 'image/png' } }],
  })
})

test('tool references become one text that names the tools', () => {
  const [result] = messages('claude-code-tool-search #0').messages.at(-1)?.parts ?? []
  expect(result).toMatchObject({
    type: 'tool-result',
    content: [
      { type: 'text', text: expect.stringMatching(/^Tools found: WebFetch, CronCreate, /) },
    ],
  })
})

test('a server tool of Cline is left out of the tools, its client tools are not', () => {
  const { body } = recorded('cline-messages-tool-loop #0')
  const turn = messages('cline-messages-tool-loop #0')
  expect(turn.tools.length).toBe(Array.isArray(body.tools) ? body.tools.length - 1 : -1)
  expect(turn.tools.map(({ name }) => name)).not.toContain('web_search')
})
