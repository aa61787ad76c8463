// Streamed replies on a real socket.
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import {
  CHAT,
  FINISH,
  MESSAGES,
  post,
  RawClient,
  ScriptedAnswer,
  STARTED,
  serveFront,
  text,
} from './front.ts'

const STREAM = { ...CHAT, stream: true }

describe('a streamed reply', () => {
  test('sends each batch as it comes, and headers with the first visible event', async () => {
    const answer = new ScriptedAnswer()
    const { port } = await serveFront(answer)
    const client = new RawClient(port)
    client.send('/v1/chat/completions', STREAM)
    await until('the answer to be asked for', 2000, () => answer.pulled === 1)
    answer.batch(STARTED)
    await until('the next batch to be asked for', 2000, () => answer.pulled === 2)
    expect(client.text).toBe('')
    answer.batch(text('a'))
    await until('the first words', 2000, () => client.text.includes('"content":"a"'))
    expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
    expect(client.text).not.toContain('"content":"b"')
    answer.batch(text('b'))
    await until('the second words', 2000, () => client.text.includes('"content":"b"'))
    answer.batch(FINISH)
    await until('the end', 2000, () => client.text.endsWith('0\r\n\r\n'))
    expect(client.text).toContain('data: [DONE]')
    expect(answer.released).toEqual([true])
  })

  test('carries the headers of the design', async () => {
    const { url } = await serveFront(new ScriptedAnswer().batch(text('a'), FINISH))
    const response = await post(`${url}/v1/chat/completions`, STREAM, { 'x-request-id': 'mine-1' })
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': 'mine-1',
      'x-cursor-adapter-mode': 'agent',
      'x-cursor-adapter-backend': 'print',
      'x-cursor-adapter-model': 'composer-2',
      'x-cursor-adapter-start': 'warm',
      'x-cursor-adapter-session': 's-1',
      'server-timing': 'queue;dur=1.23, launch;dur=0, dispatch;dur=2, agent;dur=3.5',
    })
  })

  test('of Messages has an event line equal to the type, one data line and a blank line per frame', async () => {
    const { url } = await serveFront(new ScriptedAnswer().batch(text('a')).batch(text('b'), FINISH))
    const response = await post(`${url}/v1/messages`, { ...MESSAGES, stream: true })
    const frames = (await response.text()).split('\n\n')
    expect(frames.pop()).toBe('')
    const types = frames.map((frame) => {
      const [, event, data] = /^event: (\w+)\ndata: (.+)$/.exec(frame) ?? []
      expect(JSON.parse(data ?? '')).toMatchObject({ type: event })
      return event
    })
    expect(types.at(0)).toBe('message_start')
    expect(types.at(-1)).toBe('message_stop')
  })

  test('reports accept, relay and first token, and logs one line without the prompt', async () => {
    const { url, seen } = await serveFront(new ScriptedAnswer().batch(text('a')).batch(FINISH))
    await (
      await post(`${url}/v1/chat/completions`, STREAM, { authorization: 'Bearer sk-secret' })
    ).text()
    await until('the log line', 2000, () => seen.logs.length > 0)
    expect(seen.overheads).toEqual(['accept', 'relay', 'relay'])
    expect(seen.firstTokens).toMatchObject([{ api: 'chat', backend: 'print', start: 'warm' }])
    expect(seen.requests).toEqual([['/v1/chat/completions', 200]])
    expect(seen.logs).toHaveLength(1)
    expect(seen.logs[0]).toMatchObject({
      level: 'info',
      message: 'exchange',
      fields: { outcome: 'success', status: 200, start: 'warm', outputTokens: 2, stream: true },
    })
    expect(JSON.stringify(seen.logs)).not.toMatch(/sk-secret|"hi"/)
  })

  test('survives text far beyond the socket buffer byte for byte', async () => {
    const long = 'ü€😀x'.repeat(200_000)
    const { url } = await serveFront(new ScriptedAnswer().batch(text(long), FINISH))
    const response = await post(`${url}/v1/chat/completions`, STREAM)
    const received = [...(await response.text()).matchAll(/"content":"([^"]*)"/g)]
    expect(received.map((match) => match[1]).join('') === long).toBe(true)
  })
})

describe('a failure', () => {
  const failure = { type: 'failure', code: 'queue-full', message: 'queue is full' } as const

  test.each([
    {
      path: '/v1/chat/completions',
      status: 429,
      error: { type: 'rate_limit_error', code: 'queue_full' },
    },
    { path: '/v1/messages', status: 529, error: { type: 'overloaded_error' } },
  ])('before anything visible has its real status on $path', async ({ path, status, error }) => {
    const answer = new ScriptedAnswer().batch(STARTED).batch(failure)
    const { url } = await serveFront(answer)
    const response = await post(url + path, { ...MESSAGES, stream: true })
    expect(response.status).toBe(status)
    expect(response.headers.get('retry-after')).toBe('5')
    expect(response.headers.get('x-should-retry')).toBeNull()
    expect(response.headers.get('content-type')).toContain('application/json')
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await response.json()).toMatchObject({ error: { ...error, message: 'queue is full' } })
    await until('the release', 2000, () => answer.released.length > 0)
    expect(answer.released).toEqual([true])
  })

  test('that a retry cannot mend says so', async () => {
    const failure = {
      type: 'failure',
      code: 'cursor-not-logged-in',
      message: 'run agent login',
    } as const
    const { url } = await serveFront(new ScriptedAnswer().batch(failure))
    const response = await post(`${url}/v1/chat/completions`, STREAM)
    expect(response.status).toBe(503)
    expect(response.headers.get('x-should-retry')).toBe('false')
  })

  test('knows its own wait, within 1 to 30 s', async () => {
    const { url } = await serveFront(new ScriptedAnswer().batch({ ...failure, retryAfterS: 90 }))
    const response = await post(`${url}/v1/chat/completions`, STREAM)
    expect(response.headers.get('retry-after')).toBe('30')
  })

  test.each([
    {
      path: '/v1/chat/completions',
      end: /data: \{"error".*queue is full/,
      not: /"finish_reason":"stop"/,
    },
    { path: '/v1/messages', end: /event: error\ndata: .*queue is full/, not: /end_turn/ },
  ])('after words is an error frame and no normal end on $path', async ({ path, end, not }) => {
    const answer = new ScriptedAnswer().batch(text('half')).batch(failure)
    const { url, seen } = await serveFront(answer)
    const response = await post(url + path, { ...MESSAGES, stream: true })
    expect(response.status).toBe(200)
    const received = await response.text()
    expect(received).toMatch(end)
    expect(received).not.toMatch(not)
    await until('the log line', 2000, () => seen.logs.length > 0)
    expect(seen.logs[0]?.fields.outcome).toBe('queue-full')
  })

  test('behind a hidden tool call in one batch still has its real status', async () => {
    const tool = {
      type: 'tool-start',
      callId: 'call_1',
      kind: 'read',
      host: 'cursor',
      name: 'Read',
      input: {},
      title: 'a.txt',
    }
    const answer = new ScriptedAnswer()
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the brand of callId alone
    answer.batch(tool as never, failure)
    const { url } = await serveFront(answer, { showTools: false })
    expect((await post(`${url}/v1/chat/completions`, STREAM)).status).toBe(429)
  })
})

describe('keep-alives', () => {
  test.each([
    { path: '/v1/chat/completions', beat: /"delta":\{[^}]*"content":""/ },
    { path: '/v1/messages', beat: /event: ping\ndata: \{"type":"ping"\}\n\n/ },
  ])(
    'make the headers go and repeat on $path while nothing else is sent',
    async ({ path, beat }) => {
      const answer = new ScriptedAnswer()
      const timing = { keepAliveMs: 60, slowReaderMs: 10_000 }
      const { port } = await serveFront(answer, { timing })
      const client = new RawClient(port)
      client.send(path, { ...MESSAGES, stream: true })
      const beats = (): number => client.text.split(beat).length - 1
      await until('two beats', 3000, () => beats() >= 2)
      expect(client.text).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
      answer.batch({ type: 'failure', code: 'run-stalled', message: 'no sign of life' })
      await until('the end', 2000, () => client.text.endsWith('0\r\n\r\n'))
      expect(client.text).toContain('no sign of life')
    },
  )

  test('are not counted as the first token', async () => {
    const answer = new ScriptedAnswer()
    const timing = { keepAliveMs: 40, slowReaderMs: 10_000 }
    const { port, seen } = await serveFront(answer, { timing })
    const client = new RawClient(port)
    client.send('/v1/chat/completions', STREAM)
    await until('a beat', 3000, () => client.text.includes('"content":""'))
    expect(seen.firstTokens).toEqual([])
    answer.batch(text('a'), FINISH)
    await until('the end', 2000, () => client.text.endsWith('0\r\n\r\n'))
    expect(seen.firstTokens).toHaveLength(1)
  })

  test('stay away while words keep coming', async () => {
    const answer = new ScriptedAnswer()
    const timing = { keepAliveMs: 400, slowReaderMs: 10_000 }
    const { port } = await serveFront(answer, { timing })
    const client = new RawClient(port)
    client.send('/v1/messages', { ...MESSAGES, stream: true })
    let sent = 0
    const feed = setInterval(() => answer.batch(text(`w${sent++}.`)), 40)
    await until('many words', 5000, () => sent > 25)
    clearInterval(feed)
    answer.batch(FINISH)
    await until('the end', 2000, () => client.text.endsWith('0\r\n\r\n'))
    expect(client.text).not.toContain('ping')
  })
})
