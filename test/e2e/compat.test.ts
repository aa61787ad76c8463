// Field cases F90, F91, F92, F95, F96: what clients ask besides a plain question, and how much of it at once.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { arrayAt, isObject, numberAt, objectAt, parseJson } from '../../src/lib/json.ts'
import { dataOf } from '../contract/reassemble.ts'
import { agents } from '../support/agents.ts'
import { ask, errorType, NORMAL_END, unique, WAYS } from '../support/ask.ts'
import { plainRequest } from '../support/http-request.ts'
import { within } from '../support/pace.ts'
import { total } from '../support/series.ts'
import { type Service, startService } from '../support/service.ts'
import { OK, delta as say } from '../support/steps.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const STREAM = { api: 'messages', stream: true } as const
const WORDS = 'The quick brown fox jumps over the lazy dog, again and again. '
const text40k = (): string => `${unique('long')} ${WORDS.repeat(660)}`

describe('clients', () => {
  let service: Service
  beforeAll(async () => {
    const script = { runs: [{ steps: [{ init: true }, say('one '), say('two'), OK] }] }
    service = await startService({
      script,
      settings: { concurrency: 2, 'pool.warm': 0 },
    })
  })
  afterAll(() => service.stop())

  test.each(['/v1/messages/count_tokens?beta=true', '/messages/count_tokens'])(
    'F90: tokens are counted without an agent on %s',
    async (path) => {
      const counts: number[] = []
      for (const content of ['hi', [{ type: 'text', text: WORDS.repeat(100) }]]) {
        const body = { model: 'claude-sonnet-4-5', messages: [{ role: 'user', content }] }
        const reply = await service.post(path, body, {
          headers: { 'anthropic-version': '2023-06-01' },
        })
        expect(reply.status).toBe(200)
        const count: unknown = await reply.json()
        expect(Object.keys(isObject(count) ? count : {})).toEqual(['input_tokens'])
        counts.push((isObject(count) && numberAt(count, 'input_tokens')) || 0)
      }
      expect(counts[0]).toBeGreaterThan(0)
      // 14 tokens a sentence, and a little around it.
      expect(counts[1]).toBeGreaterThan(1200)
      expect(counts[1]).toBeLessThan(1700)
      expect(agents(service)).toEqual([])
    },
  )

  test('F91: a stream begins with a fair count of the input and ends with the final counts', async () => {
    const heard = await ask(service, STREAM, text40k())
    const first = heard.frames.map(dataOf).find((data) => data.type === 'message_start')
    const begun = first && objectAt(objectAt(first, 'message') ?? {}, 'usage')
    const last = heard.frames.map(dataOf).find((data) => data.type === 'message_delta')
    const ended = last && objectAt(last, 'usage')
    // 660 sentences of 14 tokens.
    const input = (begun && numberAt(begun, 'input_tokens')) ?? 0
    expect(input).toBeGreaterThan(9240 * 0.9)
    expect(input).toBeLessThan(9240 * 1.1)
    expect(ended && numberAt(ended, 'input_tokens')).toBe(input)
    expect(ended && numberAt(ended, 'output_tokens')).toBeGreaterThan(0)
    const whole = await ask(service, { api: 'messages', stream: false }, text40k())
    expect(numberAt(objectAt(whole.reply, 'usage') ?? {}, 'input_tokens')).toBe(input)
  })

  test('F92: usage is one extra chunk after the finish chunk, and only when it was asked for', async () => {
    const chat = { api: 'chat', stream: true } as const
    const usages = async (more: object) => {
      const { frames } = await ask(service, chat, unique('usage'), more)
      expect(frames.at(-1)?.data).toBe('[DONE]')
      return frames.slice(0, -1).map((frame) => dataOf(frame))
    }
    for (const more of [
      {},
      { stream_options: { include_usage: false } },
      { stream_options: null },
    ]) {
      const chunks = await usages(more)
      expect(chunks.filter((chunk) => isObject(chunk.usage))).toEqual([])
      expect(chunks.every((chunk) => arrayAt(chunk, 'choices')?.length === 1)).toBe(true)
    }
    const chunks = await usages({ stream_options: { include_usage: true } })
    const [finish, last] = chunks.slice(-2)
    expect(finish?.choices).toMatchObject([{ finish_reason: 'stop' }])
    expect(last).toMatchObject({
      choices: [],
      usage: { prompt_tokens: expect.any(Number), completion_tokens: expect.any(Number) },
    })
    const { usage } = last ?? {}
    const counts = isObject(usage) ? usage : {}
    expect(numberAt(counts, 'total_tokens')).toBe(
      (numberAt(counts, 'prompt_tokens') ?? 0) + (numberAt(counts, 'completion_tokens') ?? 0),
    )
    expect(chunks.filter((chunk) => isObject(chunk.usage))).toHaveLength(1)
  })

  test('F95: paths without /v1 are served, all others are a 404 with a hint, and probes start nothing', async () => {
    const before = agents(service).length
    const probes = [
      ...[
        '/api/tags',
        '/props',
        '/v1/props',
        '/nope',
        '/',
        '/v1',
        '/api/version',
        '/v1/chat',
        '/favicon.ico',
      ].map((path) => ['GET', path] as const),
      ...[
        '/api/chat',
        '/v1/completions',
        '/v1/embeddings',
        '/chat/completions/x',
        '/v1/v1/chat/completions',
      ].map((path) => ['POST', path] as const),
    ]
    for (const [method, path] of probes) {
      const body = method === 'POST' ? { body: '{}' } : {}
      const headers = { 'content-type': 'application/json' }
      const reply = await plainRequest(service.url, path, { method, headers, ...body })
      expect([path, reply.status]).toEqual([path, 404])
      const json = parseJson(reply.text)
      expect(json).toMatchObject({
        error: { message: expect.stringMatching(/\/v1\/chat\/completions/) },
      })
    }
    const head = await plainRequest(service.url, '/', { method: 'HEAD' })
    expect([head.status, head.text]).toEqual([404, ''])
    expect(agents(service)).toHaveLength(before)
    for (const path of ['/chat/completions', '/messages', '/responses']) {
      const messages = [{ role: 'user', content: unique('alias') }]
      const reply = await service.post(path, {
        model: 'auto',
        max_tokens: 9,
        [path === '/responses' ? 'input' : 'messages']: messages,
      })
      expect(reply.status).toBe(200)
      expect(await reply.text()).toContain('one two')
    }
    expect((await fetch(`${service.url}/models`)).status).toBe(200)
  })
})

describe('large bodies', () => {
  let service: Service
  beforeAll(async () => {
    const script = { runs: [{ steps: [{ init: true }, say('one '), say('two'), OK] }] }
    service = await startService({
      script,
      settings: { concurrency: 1, 'limits.body_mb': 24 },
      // Prompts of many megabytes are not for the journal.
      env: { CURSOR_ADAPTER_DEMO_JOURNAL: '' },
    })
  })
  afterAll(() => service.stop())

  test(
    'F96: bodies of 3 and 20 MB work, one over the limit is a 413 that can be read',
    async () => {
      const sized = (megabytes: number): string =>
        `${unique('big')} ${WORDS.repeat((megabytes * 1e6) / WORDS.length)}`
      for (const way of WAYS) {
        const megabytes = way.stream ? 3 : 20
        const heard = await ask(service, way, sized(megabytes))
        expect([heard.text, heard.finish]).toEqual(['one two', NORMAL_END[way.api]])
      }
      const before = await total(service, 'runs_total')
      for (const way of WAYS.filter(({ api, stream }) => stream === (api === 'chat'))) {
        const heard = await ask(service, way, sized(25.2))
        expect(heard.status).toBe(413)
        expect(errorType(way.api, heard)).toBe(
          way.api === 'messages' ? 'request_too_large' : 'invalid_request_error',
        )
        expect(String(heard.error?.message)).toMatch(/24 MB.*limits\.body_mb/)
        expect(heard.headers.get('x-should-retry')).toBe('false')
      }
      expect(await total(service, 'runs_total')).toBe(before)
    },
    within(60_000),
  )
})
