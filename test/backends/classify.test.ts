import { describe, expect, test } from 'vitest'
import { asksForLogin, classify, type FailureFacts } from '../../src/backends/classify.ts'
import { availableModels } from '../../src/backends/failure-rules.ts'
import type { Failure } from '../../src/core/events.ts'

const of = (text: string, more: Partial<FailureFacts> = {}): Failure =>
  classify({ text, exit: { code: 1, signal: null }, model: 'gpt-9', home: '/home/ann', ...more })

const MODELS = 'auto, gpt-5.2, gpt-5.2-codex, opus-4.6, sonnet-4.6, sonnet-4.6-thinking'

/** What Cursor says → code, and what the message must hold. */
const TABLE: readonly [string, Failure['code'], ...string[]][] = [
  [
    "Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN.",
    'cursor-not-logged-in',
    'agent login',
    'CURSOR_API_KEY',
  ],
  ['Not logged in\nPress any key to sign in...', 'cursor-not-logged-in', 'agent login'],
  ['The provided API key is invalid', 'cursor-not-logged-in', 'Cursor said: The provided API key'],
  [
    `Cannot use this model: sonnet-4.7. Available models: ${MODELS}`,
    'model-not-found',
    '"sonnet-4.7"',
    'Nearest available: sonnet-4.6, ',
  ],
  [
    'ActionRequiredError: Named models unavailable Free plans can only use Auto. Switch to Auto or upgrade plans to continue.',
    'model-not-allowed',
    '"gpt-9"',
    'auto',
  ],
  [
    'Error: I: AI Model Not Found\nModel name is not valid: "gpt-9"',
    'model-not-found',
    '"gpt-9"',
    '/v1/models',
  ],
  [
    "Error: You've hit your usage limit\n  fallbackModel: auto\n  spendLimitHit: false\n  chatMessage: *Get more. Your usage limits will reset when your monthly cycle ends on 12/24/2026.*\n  spendLimits: [50,100,200]",
    'cursor-quota',
    '12/24/2026',
    'hit your usage limit',
  ],
  ['ActionRequiredError: set a Spend Limit to continue', 'cursor-quota', 'used up'],
  ['RetriableError: [resource_exhausted] Error', 'cursor-rate-limited', 'try again later'],
  ['HTTP 429 Too Many Requests', 'cursor-rate-limited'],
  ['Workspace Trust Required\n\nPass --trust, --yolo or -f', 'agent-failed', 'trust'],
  ['Run Everything is disabled by your administrator', 'agent-failed', 'cursor.permissions'],
  ['Sandbox mode is enabled but not available on this system', 'agent-failed', 'cursor.sandbox'],
  [
    "Error: ENOENT: no such file or directory, rename '/home/ann/.cursor/cli-config.json.tmp' -> '/home/ann/.cursor/cli-config.json'",
    'agent-failed',
    '~/.cursor/cli-config.json',
  ],
  ['Security command failed: exit code 45', 'agent-failed', 'keychain'],
  ['Gemini prompt failed: input token count exceeds 1048576', 'context-too-long', '1048576'],
  [
    "This model's maximum context length is 200,000 tokens.",
    'context-too-long',
    'maximum context length is 200000',
  ],
  ['ConnectError: [unavailable] connect ECONNREFUSED', 'cursor-unreachable', 'network'],
  ['Error: WritableIterable is closed', 'cursor-unreachable'],
  ['[deadline_exceeded]', 'cursor-unreachable'],
  ['No prompt provided for print mode', 'agent-failed', 'standard input'],
  ['sh: 1: exec: Argument list too long', 'agent-failed', 'too long for an argument'],
  ['something else broke', 'agent-failed', 'exited with code 1', 'something else broke'],
]

test.each(TABLE)('%j is %s', (text, code, ...words) => {
  const failure = of(text)
  expect(failure.code).toBe(code)
  for (const word of words) expect(failure.message).toContain(word)
})

test('what may be tried again says how', () => {
  expect(of('No prompt provided for print mode').again).toBe('argv')
  expect(of('RetriableError: [unavailable] Error').again).toBe('same')
  expect(of("EPERM: rename '/x/cli-config.json'").again).toBe('same')
  expect(of('Authentication required').again).toBeUndefined()
  expect(of("You've hit your usage limit").again).toBeUndefined()
})

test.each([
  ['429 rate limit, Retry-After: 17', 17],
  ['[resource_exhausted] retry after 2.5 seconds', 3],
  ['rate limited, try again in 2 minutes', 30],
  ['rate limited', undefined],
])('%j waits %s s', (text, seconds) => {
  expect(of(text).retryAfterS).toBe(seconds)
})

describe('how the process ended', () => {
  test.each([
    [{ code: 0, signal: null }, 'ended without a result'],
    [{ code: 3, signal: null }, 'exited with code 3'],
    [{ code: null, signal: 'SIGSEGV' }, 'killed by SIGSEGV'],
    [{ code: 137, signal: null }, 'killed by SIGKILL'],
    [undefined, 'reported an error'],
  ])('%j', (exit, words) => {
    const failure = of('', { exit })
    expect(failure).toMatchObject({ code: 'agent-failed', message: expect.stringContaining(words) })
  })
})

describe('messages hold nothing private', () => {
  test.each([
    'crsr_0123456789abcdef',
    'sk-ant-0123456789',
    'Bearer abc.def-ghi',
    'ann.example@mail.example.com',
    '/home/ann',
    '/Users/bob',
    'eyJhbGciOi.eyJzdWIiOiIx',
  ])('%s', (secret) => {
    const { message } = of(`Unexpected failure for ${secret} in here`)
    expect(message).toContain('Unexpected failure for')
    expect(message).not.toContain(secret)
  })

  test('no stack and no escapes', () => {
    const { message } = of(
      '\u001b[31mTypeError: x is not a function\u001b[0m\n    at run (/app/index.js:1:2)',
    )
    expect(message).not.toContain('index.js')
    expect(message).not.toContain('\u001b')
  })

  test('an endless line is cut', () => {
    expect(of('x'.repeat(50_000)).message.length).toBeLessThan(600)
  })
})

test('events copied to stderr are not words about the failure', () => {
  const echo =
    '{"type":"user","message":{"content":[{"text":"why 401 not logged in"}]},"session_id":"s"}'
  expect(of(`${echo}\nConnectError: [unavailable]`).code).toBe('cursor-unreachable')
})

test('the list of models is read whatever its form', () => {
  expect(availableModels(`Cannot use this model: x. Available models: ${MODELS}`)).toEqual(
    MODELS.split(', '),
  )
  expect(availableModels('Available models:\n- auto\n- gpt-5.2\n\nBye now.')).toEqual([
    'auto',
    'gpt-5.2',
  ])
  expect(availableModels('nothing')).toEqual([])
})

test.each([
  ['Press any key to sign in...', true],
  ['\u001b[1mNot logged in\u001b[0m', true],
  ['cursor-retrieval: tracing to /tmp/x', false],
  ['Tip: agent login switches accounts', false],
  ['To log in, open https://example.com/login', true],
  ['Update available: https://example.com', false],
  ['407 Proxy Authentication Required', false],
  ['', false],
])('%j asks for a login: %s', (text, asks) => {
  expect(asksForLogin(text)).toBe(asks)
})
