import { expect, test } from 'vitest'
import { type FingerprintParts, fingerprint } from '../../src/service/fingerprint.ts'

const BASE = { model: 'auto', messages: [{ role: 'user', content: 'hello' }], stream: true }

function print(body: unknown, rest: Partial<FingerprintParts> = {}): string {
  return fingerprint({
    api: 'chat',
    credential: '',
    conversation: undefined,
    headers: new Headers(),
    body,
    ...rest,
  })
}

const EQUAL: readonly (readonly [string, unknown])[] = [
  ['stream switched off', { ...BASE, stream: false }],
  ['fewer tokens', { ...BASE, max_tokens: 32_000 }],
  ['stream left out', { model: BASE.model, messages: BASE.messages }],
  [
    'another key order',
    { stream: true, messages: [{ content: 'hello', role: 'user' }], model: 'auto' },
  ],
  ['metadata added', { ...BASE, metadata: { user_id: 'u' } }],
  ['an explicit undefined', { ...BASE, tools: undefined }],
]
test.each(EQUAL)('a request stays equal to itself with %s', (_what, body) => {
  expect(print(body)).toBe(print(BASE))
})

test('cache marks at any depth do not count', () => {
  const part = (mark: object) => ({
    messages: [{ content: [{ type: 'text', text: 'x', ...mark }] }],
  })
  expect(print(part({ cache_control: { type: 'ephemeral' } }))).toBe(print(part({})))
})

const DIFFERENT: readonly (readonly [string, unknown])[] = [
  ['other text', { ...BASE, messages: [{ role: 'user', content: 'hello!' }] }],
  ['another model', { ...BASE, model: 'gpt-5' }],
  ['one message more', { ...BASE, messages: [...BASE.messages, ...BASE.messages] }],
  ['a number as text', { ...BASE, temperature: '1' }],
  ['text cut at another place', { ...BASE, stop: ['ab', 'c'] }],
]
test.each(DIFFERENT)('a request with %s is another one', (_what, body) => {
  expect(print(body)).not.toBe(print(BASE))
})

test('text moved over an element border changes the digest', () => {
  expect(print({ stop: ['ab', 'c'] })).not.toBe(print({ stop: ['a', 'bc'] }))
})

const PARTS: readonly (readonly [string, Partial<FingerprintParts>])[] = [
  ['api', { api: 'messages' }],
  ['credential', { credential: 'c' }],
  ['conversation', { conversation: 's1' }],
  ['workspace header', { headers: new Headers({ 'x-cursor-workspace': '/tmp/a' }) }],
  ['session header', { headers: new Headers({ 'x-claude-code-session-id': 's' }) }],
  ['sub-agent header', { headers: new Headers({ 'x-claude-code-agent-id': 'a' }) }],
]
test.each(PARTS)('another %s makes another request', (_what, rest) => {
  expect(print(BASE, rest)).not.toBe(print(BASE))
})

test('headers that change on every try do not count', () => {
  const headers = new Headers({ 'x-request-id': 'r', 'x-stainless-retry-count': '1', date: 'now' })
  expect(print(BASE, { headers })).toBe(print(BASE))
})
