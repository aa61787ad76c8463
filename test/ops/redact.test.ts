import { expect, test } from 'vitest'
import { redactor } from '../../src/ops/redact.ts'

const clean = redactor({
  secrets: ['my-own.key+1', null, undefined, '', 'my-own'],
  home: '/home/ada',
})

test.each([
  ['a Cursor key', 'bad key crsr_0123456789abcdef!', 'bad key crsr_[hidden]!'],
  ['an OpenAI style key', 'sk-proj-abc_DEF-123456', 'sk-[hidden]'],
  ['a bearer token', 'authorization: Bearer abc.def/ghi==', 'authorization: Bearer [hidden]'],
  ['a JWT', 'token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc', 'token [hidden]'],
  ['a key header', 'x-api-key: hunter2hunter2', 'x-api-key: [hidden]'],
  ['a key in JSON', '{"api_key":"hunter2hunter2","a":1}', '{"api_key":"[hidden]","a":1}'],
  ['the configured key, the longest match first', 'got my-own.key+1 today', 'got [hidden] today'],
  ['another configured secret', 'my-own', '[hidden]'],
  ['the home folder', 'cannot open /home/ada/.cursor/x', 'cannot open ~/.cursor/x'],
])('%s is taken out', (_what, text, expected) => {
  expect(clean(text)).toBe(expected)
})

test.each(['risk-free-something', '/home/adaline/x', 'the api key is missing', 'task sk-1'])(
  'harmless text stays: %s',
  (text) => {
    expect(clean(text)).toBe(text)
  },
)

test('without secrets and with / as home nothing but key shapes changes', () => {
  expect(redactor({ secrets: [], home: '/' })('a /b crsr_0123456789')).toBe('a /b crsr_[hidden]')
})
