// Routes that no agent answers, and what is not a route.
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { Refusal } from '../../src/core/failure.ts'
import {
  CHAT,
  FINISH,
  makeFront,
  post,
  ScriptedAnswer,
  STARTED,
  serveFront,
  text,
} from './front.ts'

const front = makeFront(new ScriptedAnswer())

describe('/health', () => {
  test('is exactly the two keys when all is well', async () => {
    const response = await front.app.request('/health')
    expect(response.status).toBe(200)
    expect(await response.text()).toBe('{"status":"ok","cursor_cli":"available"}')
  })

  test('is a 503 with the reason when the CLI is gone', async () => {
    const health = async () => ({ available: false, reason: 'no cursor-agent in PATH' })
    const response = await makeFront(new ScriptedAnswer(), { health }).app.request('/health')
    expect(response.status).toBe(503)
    expect(await response.json()).toEqual({
      status: 'error',
      cursor_cli: 'unavailable',
      reason: 'no cursor-agent in PATH',
    })
  })

  test('has details, and there are metrics', async () => {
    expect(await (await front.app.request('/health/details')).json()).toEqual({ backend: 'print' })
    const metrics = await front.app.request('/metrics')
    expect(metrics.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(await metrics.text()).toBe('up 1\n')
  })
})

describe('/v1/models', () => {
  test.each(['/v1/models', '/models'])('%s lists in the OpenAI shape', async (path) => {
    expect(await (await front.app.request(path)).json()).toEqual({
      object: 'list',
      data: [
        {
          id: 'composer-2',
          object: 'model',
          created: 1_700_000_000,
          owned_by: 'cursor',
          display_name: 'Composer 2',
          context_length: 200_000,
        },
        {
          id: 'a/b[fast]',
          object: 'model',
          created: 0,
          owned_by: 'cursor',
          display_name: 'Odd id',
        },
      ],
    })
  })

  const anthropic = { headers: { 'anthropic-version': '2023-06-01' } }
  test('lists in the Anthropic shape for those who speak it, in pages if asked', async () => {
    const ask = async (query: string): Promise<unknown> =>
      await (await front.app.request(`/v1/models${query}`, anthropic)).json()
    expect(await ask('?limit=1000')).toMatchObject({
      data: [
        {
          type: 'model',
          id: 'composer-2',
          display_name: 'Composer 2',
          created_at: '2023-11-14T22:13:20.000Z',
        },
        { id: 'a/b[fast]', created_at: '1970-01-01T00:00:00.000Z' },
      ],
      has_more: false,
      first_id: 'composer-2',
      last_id: 'a/b[fast]',
    })
    const first = { has_more: true, first_id: 'composer-2', last_id: 'composer-2' }
    expect(await ask('?limit=1')).toMatchObject(first)
    expect(await ask('?limit=1&after_id=composer-2')).toMatchObject({
      has_more: false,
      first_id: 'a/b[fast]',
    })
    expect(await ask('?limit=1&before_id=a%2Fb%5Bfast%5D')).toMatchObject({
      has_more: false,
      first_id: 'composer-2',
    })
  })

  test.each(['/v1/models/a/b[fast]', '/v1/models/a%2Fb%5Bfast%5D', '/models/a%2Fb[fast]'])(
    '%s finds an odd id',
    async (path) => {
      expect(await (await front.app.request(path)).json()).toMatchObject({ id: 'a/b[fast]' })
    },
  )

  test('does not know other ids, in the envelope of whoever asks', async () => {
    const response = await front.app.request('/v1/models/gpt-9')
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { code: 'model_not_found' } })
    const other = await front.app.request('/v1/models/gpt-9', anthropic)
    expect(await other.json()).toMatchObject({ type: 'error', error: { type: 'not_found_error' } })
  })

  test('tells why there is no list', async () => {
    const models = () => Promise.reject(new Refusal('cli-missing', 'no cursor-agent in PATH'))
    const response = await makeFront(new ScriptedAnswer(), { models }).app.request('/v1/models')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'cli_missing' } })
  })
})

describe('what is not there', () => {
  test.each(['/', '/api/tags', '/props', '/v1/props', '/nope', '/v1', '/v1/models/', '/health/'])(
    'GET %s is a 404 that lists the endpoints',
    async (path) => {
      const response = await front.app.request(path)
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({
        error: { type: 'invalid_request_error', message: expect.stringContaining('/v1/messages') },
      })
    },
  )

  test('HEAD / is a 404 without a body', async () => {
    const response = await front.app.request('/', { method: 'HEAD' })
    expect(response.status).toBe(404)
    expect(await response.text()).toBe('')
  })

  test('below /v1/messages it is told in the Anthropic envelope', async () => {
    const response = await front.app.request('/v1/messages/batches', { method: 'POST' })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    })
  })

  test.each([
    ['GET', '/v1/chat/completions', 'POST'],
    ['OPTIONS', '/v1/messages', 'POST'],
    ['GET', '/v1/responses', 'POST'],
    ['GET', '/responses/input_tokens', 'POST'],
    ['POST', '/v1/models', 'GET, HEAD'],
    ['DELETE', '/v1/models/x', 'GET, HEAD'],
    ['POST', '/health', 'GET, HEAD'],
  ])('%s %s is a 405 that allows %s', async (method, path, allow) => {
    const response = await front.app.request(path, { method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
  })

  test('is counted as other, whatever the path', async () => {
    const { app, seen } = makeFront(new ScriptedAnswer())
    for (const path of ['/a', '/b', '/v1/models/x', '/health']) await app.request(path)
    expect(seen.requests).toEqual([
      ['other', 404],
      ['other', 404],
      ['/v1/models/:id', 404],
      ['/health', 200],
    ])
  })
})

describe('a whole reply', () => {
  test.each(['/v1/chat/completions', '/chat/completions?beta=true'])(
    'on %s is one JSON object with the headers of the design',
    async (path) => {
      const answer = new ScriptedAnswer()
        .batch(STARTED, text('Hel'))
        .batch(text('lo'))
        .batch(text('!'), FINISH)
      const { url, seen } = await serveFront(answer)
      const response = await post(url + path, CHAT)
      expect(response.status).toBe(200)
      expect(response.headers.get('x-cursor-adapter-start')).toBe('warm')
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({
        model: 'composer-2',
        created: 1_764_000_000,
        choices: [{ message: { content: 'Hello!' }, finish_reason: 'stop' }],
      })
      expect(answer.released).toEqual([true])
      expect(seen.firstTokens).toHaveLength(1)
    },
  )

  test('on Responses is one response, and what is kept can be named in the next request', async () => {
    const answer = new ScriptedAnswer().batch(text('Hi'), FINISH)
    const { url, seen } = await serveFront(answer)
    const first = await post(`${url}/v1/responses`, { model: 'auto', input: 'one' })
    expect(first.headers.get('request-id')).toBeNull()
    const response: unknown = await first.json()
    expect(response).toMatchObject({ object: 'response', output: [{ content: [{ text: 'Hi' }] }] })
    const { id } = z.object({ id: z.string() }).parse(response)
    answer.batch(text('Ho'), FINISH)
    await post(`${url}/responses`, { model: 'auto', input: 'two', previous_response_id: id })
    expect(seen.turns.at(-1)?.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
    ])
    const unknown = await post(`${url}/responses`, { input: 'x', previous_response_id: 'resp_0' })
    expect(unknown.status).toBe(404)
    expect(unknown.headers.get('x-should-retry')).toBe('false')
  })

  test('on Messages ignores ?beta=true and names the request where that SDK looks', async () => {
    const { url } = await serveFront(new ScriptedAnswer().batch(text('Hi'), FINISH))
    const response = await post(`${url}/v1/messages?beta=true`, { ...CHAT, max_tokens: 9 })
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Hi' }] })
  })

  test('that fails after words is a failure', async () => {
    const failure = { type: 'failure', code: 'agent-failed', message: 'it broke' } as const
    const { url } = await serveFront(new ScriptedAnswer().batch(text('Hel')).batch(failure))
    const response = await post(`${url}/v1/chat/completions`, CHAT)
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('Hel')
  })

  test.each(['/v1/messages/count_tokens', '/messages/count_tokens'])(
    'on %s is the count, and starts nothing',
    async (path) => {
      const { url, seen } = await serveFront(new ScriptedAnswer())
      const response = await post(url + path, CHAT)
      expect(await response.json()).toEqual({ input_tokens: 42 })
      expect(seen.turns).toEqual([])
      await expect.poll(() => seen.requests).toEqual([['/v1/messages/count_tokens', 200]])
    },
  )
})

describe('a request that is refused', () => {
  test('by the service has that status and envelope', async () => {
    const refuse = () => Promise.reject(new Refusal('model-not-found', 'no model x; nearest: y'))
    const { url, seen } = await serveFront(refuse)
    const response = await post(`${url}/v1/messages`, { ...CHAT, max_tokens: 9, stream: true })
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: { message: 'no model x; nearest: y' } })
    await expect.poll(() => seen.logs[0]?.fields.outcome).toBe('model-not-found')
  })

  test('by a bug is a 500 that tells the log more than the client', async () => {
    const { url, seen } = await serveFront(() => Promise.reject(new Error('secret detail')))
    const response = await post(`${url}/v1/chat/completions`, CHAT, { 'x-request-id': 'r7' })
    expect(response.status).toBe(500)
    expect(response.headers.get('x-request-id')).toBe('r7')
    const body = await response.text()
    expect(body).toContain('internal_error')
    expect(body).not.toMatch(/secret detail|at .*\.ts/)
    expect(seen.logs[0]).toMatchObject({ level: 'error', fields: { requestId: 'r7' } })
    expect(JSON.stringify(seen.logs)).toContain('secret detail')
  })

  test('by a bug in a plain route is a 500 as well', async () => {
    const details = () => Promise.reject(new Error('secret detail'))
    const { app, seen } = makeFront(new ScriptedAnswer(), { details })
    const response = await app.request('/health/details')
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('secret detail')
    expect(seen.logs[0]?.level).toBe('error')
  })

  test.each(['has space', 'x'.repeat(200), 'quote"'])('gets an id of ours for %j', async (sent) => {
    const response = await front.app.request('/nope', { headers: { 'x-request-id': sent } })
    expect(response.headers.get('x-request-id')).toMatch(/^req_[\da-f]{32}$/)
  })
})
