// Who is let in.
import { describe, expect, test } from 'vitest'
import { Refusal } from '../../src/core/failure.ts'
import { credentialDigest, makeGuard } from '../../src/http/guard.ts'
import type { GuardSettings } from '../../src/http/services.ts'
import { CHAT, makeFront, ScriptedAnswer } from './front.ts'

const BASE: GuardSettings = {
  apiKey: undefined,
  allowedHosts: [],
  bodyLimitBytes: 1000,
  host: '127.0.0.1',
}
const ROUTES = [
  ['GET', '/health'],
  ['GET', '/health/details'],
  ['GET', '/metrics'],
  ['GET', '/v1/models'],
  ['GET', '/models/composer-2'],
  ['POST', '/v1/chat/completions'],
  ['POST', '/messages'],
  ['POST', '/v1/messages/count_tokens'],
  ['GET', '/nope'],
  ['OPTIONS', '/v1/messages'],
] as const

function codeOf(
  settings: Partial<GuardSettings>,
  host: string,
  headers: Record<string, string> = {},
  path = '/v1/models',
): string {
  try {
    makeGuard({ ...BASE, ...settings }).check(path, host, new Headers(headers))
    return 'passes'
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
}

describe('the Host header', () => {
  test.each([
    ['localhost', 'passes'],
    ['LOCALHOST:8976', 'passes'],
    ['127.0.0.1', 'passes'],
    ['127.0.0.1:1', 'passes'],
    ['[::1]', 'passes'],
    ['[::1]:8976', 'passes'],
    ['evil.example', 'forbidden'],
    ['evil.example:8976', 'forbidden'],
    ['localhost.evil.example', 'forbidden'],
    ['127.0.0.1.evil.example', 'forbidden'],
    ['localhost@evil.example', 'forbidden'],
    ['192.168.1.5:8976', 'forbidden'],
    ['', 'forbidden'],
  ])('%j %s', (host, outcome) => {
    expect(codeOf({}, host)).toBe(outcome)
  })

  test('may be the bound address or an allowed name, whatever the case and port', () => {
    expect(codeOf({ host: '192.168.1.5' }, '192.168.1.5:8976')).toBe('passes')
    expect(codeOf({ host: 'fd00::5' }, '[fd00::5]:8976')).toBe('passes')
    expect(codeOf({ allowedHosts: ['Box.lan'] }, 'box.LAN:80')).toBe('passes')
    expect(codeOf({ allowedHosts: ['box.lan'] }, 'other.lan')).toBe('forbidden')
  })

  test('may be any numeric address, but no name, when bound to all of them', () => {
    for (const host of ['0.0.0.0', '::']) {
      expect(codeOf({ host }, '10.1.2.3:8976')).toBe('passes')
      expect(codeOf({ host }, '[fe80::1]:8976')).toBe('passes')
      expect(codeOf({ host }, 'evil.example')).toBe('forbidden')
    }
  })

  test.each(ROUTES)('of a stranger is refused on %s %s before any work', async (method, path) => {
    const { app, seen } = makeFront(new ScriptedAnswer())
    const response = await app.request(path, { method, headers: { host: 'evil.example' } })
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: { type: 'permission_error' } })
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(seen.turns).toEqual([])
  })
})

describe('the Origin header', () => {
  test.each([
    ['http://localhost:3000', 'passes'],
    ['http://127.0.0.1:8976', 'passes'],
    ['https://evil.example', 'forbidden'],
    ['http://localhost.evil.example', 'forbidden'],
    ['http://localhost@evil.example', 'forbidden'],
    ['null', 'forbidden'],
    ['file://', 'forbidden'],
    ['vscode-webview://localhost', 'forbidden'],
  ])('%s %s', (origin, outcome) => {
    expect(codeOf({}, 'localhost', { origin })).toBe(outcome)
  })

  test.each(ROUTES)(
    'of a stranger is refused on %s %s, without CORS headers',
    async (method, path) => {
      const { app } = makeFront(new ScriptedAnswer())
      const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
      const response = await app.request(path, { method, headers })
      expect(response.status).toBe(403)
      const names = [...response.headers.keys()]
      expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
    },
  )
})

describe('the access key', () => {
  const apiKey = 'k-123'
  test.each([
    [{}, 'unauthorized'],
    [{ authorization: 'Bearer k-123' }, 'passes'],
    [{ authorization: 'bearer  k-123' }, 'passes'],
    [{ 'x-api-key': 'k-123' }, 'passes'],
    [{ authorization: 'Bearer other', 'x-api-key': 'k-123' }, 'passes'],
    [{ authorization: 'Bearer k-1234' }, 'unauthorized'],
    [{ authorization: 'Basic k-123' }, 'unauthorized'],
    [{ 'x-api-key': 'K-123' }, 'unauthorized'],
    [{ 'x-api-key': '' }, 'unauthorized'],
  ])('%j %s', (headers: Record<string, string>, outcome) => {
    expect(codeOf({ apiKey }, 'localhost', headers)).toBe(outcome)
  })

  test('is not asked for on /health, and is on everything else', async () => {
    const { app } = makeFront(new ScriptedAnswer(), { guard: { ...BASE, apiKey } })
    expect((await app.request('/health')).status).toBe(200)
    for (const path of ['/health/details', '/metrics', '/v1/models', '/nope']) {
      expect((await app.request(path)).status).toBe(401)
      expect((await app.request(path, { headers: { 'x-api-key': apiKey } })).status).not.toBe(401)
    }
  })

  test('is missed in the envelope of the API that was asked', async () => {
    const { app } = makeFront(new ScriptedAnswer(), { guard: { ...BASE, apiKey } })
    const ask = async (path: string): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(CHAT) }
      return await (await app.request(path, init)).json()
    }
    expect(await ask('/v1/chat/completions')).toMatchObject({
      error: { type: 'authentication_error', code: 'invalid_api_key' },
    })
    expect(await ask('/v1/messages')).toMatchObject({
      type: 'error',
      error: { type: 'authentication_error' },
    })
  })
})

test('credentials are told apart by digest, never kept, and equal in either header', () => {
  const bearer = credentialDigest(new Headers({ authorization: 'Bearer sk-1' }))
  expect(bearer).toMatch(/^[\da-f]{64}$/)
  expect(credentialDigest(new Headers({ 'x-api-key': 'sk-1' }))).toBe(bearer)
  expect(credentialDigest(new Headers({ 'x-api-key': 'sk-2' }))).not.toBe(bearer)
  expect(credentialDigest(new Headers({ authorization: 'Basic abc' }))).toMatch(/^[\da-f]{64}$/)
  expect(credentialDigest(new Headers())).toBe('')
})
