// Field cases F79, F80, F82, F84: who may speak to the service, and what no agent and no argv ever holds.
// Keys in output (F81) have a drill of their own below test/ops.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { isObject, objectAt, parseJson } from '../../src/lib/json.ts'
import { agents, prompted } from '../support/agents.ts'
import { send, unique, WAYS } from '../support/ask.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { type PlainReply, plainRequest } from '../support/http-request.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { OK, run, delta as say } from '../support/steps.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const POSTS = [
  '/v1/chat/completions',
  '/chat/completions',
  '/v1/responses',
  '/responses',
  '/v1/messages',
  '/messages',
]
const COUNTS = [
  '/v1/messages/count_tokens',
  '/messages/count_tokens',
  '/v1/responses/input_tokens',
  '/responses/input_tokens',
]
const GETS = [
  '/health',
  '/health/details',
  '/metrics',
  '/v1/models',
  '/models',
  '/v1/models/auto',
  '/nope',
  '/',
]
const ROUTES = [
  ...[...POSTS, ...COUNTS].map((path) => ['POST', path] as const),
  ...GETS.map((path) => ['GET', path] as const),
]
const BODY = JSON.stringify({
  model: 'auto',
  max_tokens: 10,
  messages: [{ role: 'user', content: 'do something' }],
  input: 'do something',
})
const JSON_TYPE = { 'content-type': 'application/json' }

/** The error object in the envelope of the path's API. */
function errorOf(path: string, { text }: PlainReply): { type: unknown; message: unknown } {
  const body = parseJson(text)
  const error = isObject(body) ? objectAt(body, 'error') : undefined
  if (!isObject(body) || error === undefined) throw new Error(`no error in ${text}`)
  const isMessages = path.includes('/messages')
  expect(body.type).toBe(isMessages ? 'error' : undefined)
  return { type: error.type, message: error.message }
}

describe('without a key', () => {
  let service: Service
  beforeAll(async () => {
    const script = { runs: [{ steps: [{ init: true }, say('fine'), OK] }] }
    service = await startService({ script, settings: { 'pool.warm': 0 } })
  })
  afterAll(() => service.stop())

  const call = (method: string, path: string, headers: Record<string, string>) => {
    const body = method === 'POST' ? { body: BODY } : {}
    return plainRequest(service.url, path, {
      method,
      headers: { ...JSON_TYPE, ...headers },
      ...body,
    })
  }

  test('F79: a foreign Host is refused on every route before any work', async () => {
    const { port } = new URL(service.url)
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      'localhost.evil.example',
      '127.0.0.1.evil.example',
      '10.0.0.1',
    ]) {
      for (const [method, path] of ROUTES) {
        const reply = await call(method, path, { host })
        expect([path, reply.status]).toEqual([path, 403])
        expect(errorOf(path, reply).type).toBe('permission_error')
        expect(reply.text).not.toMatch(/cursor_cli|"data"|# HELP/)
      }
    }
    expect(agents(service)).toEqual([])
    for (const host of ['localhost', '127.0.0.1', '[::1]', `LOCALHOST:${port}`]) {
      for (const [method, path] of ROUTES) {
        if (POSTS.includes(path)) continue
        expect((await call(method, path, { host })).status).toBe(
          /^\/(nope)?$/.test(path) ? 404 : 200,
        )
      }
    }
    for (const path of POSTS)
      expect((await call('POST', path, { host: '[::1]:1' })).status).toBe(200)
    expect(service.prompts()).toHaveLength(POSTS.length)
  })

  test('F80: a web page of a stranger can neither post nor get permission to', async () => {
    const before = agents(service).length
    const plain = [
      'text/plain',
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
    ]
    for (const path of [...POSTS, ...COUNTS]) {
      for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
        for (const type of [...plain, 'application/json']) {
          const reply = await call('POST', path, { origin, 'content-type': type })
          expect(reply.status).toBe(403)
          errorOf(path, reply)
          expect(reply.headers['access-control-allow-origin']).toBeUndefined()
        }
        const preflight = await plainRequest(service.url, path, {
          method: 'OPTIONS',
          headers: {
            origin,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'content-type',
          },
        })
        expect(preflight.status).toBe(403)
        expect(Object.keys(preflight.headers).join()).not.toMatch(/access-control/)
      }
      // Some requests carry no Origin: the type alone refuses what a form can send.
      for (const type of plain) {
        const reply = await call('POST', path, { 'content-type': type })
        expect(reply.status).toBe(415)
        errorOf(path, reply)
      }
    }
    expect(agents(service)).toHaveLength(before)
  })
})

describe('with a key', () => {
  const KEY = 'access-key-of-the-service-4711'
  let service: Service
  beforeAll(async () => {
    const script = {
      runs: [
        run('stay', say('a'), { sleep: 3000 }, OK),
        { steps: [{ init: true }, say('fine'), OK] },
      ],
    }
    service = await startService({ script, settings: { api_key: KEY } })
  })
  afterAll(() => service.stop())

  test('F82: nobody gets in without the key, either header carries it, and only /health is open', async () => {
    const keyed = ROUTES.filter(([, path]) => path !== '/health')
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: `Bearer ${KEY}x` },
      { authorization: KEY },
      { 'x-api-key': 'wrong' },
      { 'x-api-key': KEY.slice(0, -1) },
      { authorization: `Basic ${Buffer.from(`x:${KEY}`).toString('base64')}` },
    ]
    const before = service.prompts().length
    for (const headers of wrong) {
      for (const [method, path] of keyed) {
        const body = method === 'POST' ? { body: BODY } : {}
        const sent = { method, headers: { ...JSON_TYPE, ...headers }, ...body }
        const reply = await plainRequest(service.url, path, sent)
        expect([path, reply.status]).toEqual([path, 401])
        expect(errorOf(path, reply).type).toBe('authentication_error')
      }
    }
    expect(service.prompts()).toHaveLength(before)
    expect((await fetch(`${service.url}/health`)).status).toBe(200)
    for (const headers of [
      { authorization: `Bearer ${KEY}` },
      { 'x-api-key': KEY },
      { authorization: `bearer  ${KEY}` },
    ]) {
      for (const way of WAYS) {
        const messages = [{ role: 'user', content: unique('keyed') }]
        expect((await send(service, way, { messages }, { headers })).text).toBe('fine')
      }
      for (const path of ['/metrics', '/health/details', '/v1/models']) {
        expect((await fetch(service.url + path, { headers })).status).toBe(200)
      }
    }
  })

  test('F82: all interfaces without a key are refused at the start', async () => {
    const home = mkdtempSync(join(tmpdir(), 'security-test-'))
    for (const host of ['0.0.0.0', '::', '192.0.2.1']) {
      const { code, stdout, stderr } = await runCli(['--port', '0', '--host', host], {
        home,
        env: DEMO_ENV,
      })
      expect(stderr).toMatch(/api_key must be set/)
      expect(stdout).not.toContain('listening')
      expect(code).toBe(EXIT.config.code)
    }
    rmSync(home, { recursive: true })
  })

  test('F84: the key reaches no agent, and neither key nor prompt stands in any argv', async () => {
    const secret = unique('stay')
    const messages = [{ role: 'user', content: `${secret} PROMPT-ONLY-IN-STDIN` }]
    const headers = { 'x-api-key': KEY }
    const running = send(service, { api: 'chat', stream: true }, { messages }, { headers })
    const { pid } = await prompted(service, secret)
    for (const agent of agents(service)) {
      expect(agent.argv.join('\n')).not.toMatch(new RegExp(`${KEY}|PROMPT-ONLY`))
      expect(Object.keys(agent.env)).not.toContain('CURSOR_ADAPTER_API_KEY')
      expect(Object.keys(agent.env)).not.toContain('CURSOR_API_KEY')
      expect(JSON.stringify(agent.env)).not.toContain(KEY)
    }
    const environ = `/proc/${pid}/environ`
    if (existsSync(environ)) expect(readFileSync(environ, 'utf8')).not.toContain(KEY)
    const processes = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    expect(processes).not.toMatch(new RegExp(`${KEY}|PROMPT-ONLY`))
    expect((await running).text).toBe('a')
  })
})
