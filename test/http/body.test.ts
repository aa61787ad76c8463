// Request bodies: size, type, syntax.
import { describe, expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { CHAT, FINISH, post, RawClient, ScriptedAnswer, serveFront, text } from './front.ts'

const PATH = '/v1/chat/completions'
const MB = 1_048_576

/** A chat body of exactly `bytes` bytes. */
function bodyOf(bytes: number): string {
  const empty = JSON.stringify({ ...CHAT, user: '' })
  return JSON.stringify({ ...CHAT, user: 'u'.repeat(bytes - empty.length) })
}

const answering = () => Promise.resolve(new ScriptedAnswer().batch(text('ok'), FINISH))

describe('a body', () => {
  test('of exactly the limit is taken, one byte more is a 413 in the envelope of the API', async () => {
    const { url } = await serveFront(answering)
    expect((await post(url + PATH, bodyOf(MB))).status).toBe(200)
    const response = await post(url + PATH, bodyOf(MB + 1))
    expect(response.status).toBe(413)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await response.json()).toMatchObject({ error: { code: 'body_too_large' } })
    const other = await post(`${url}/v1/messages`, bodyOf(MB + 1))
    expect(await other.json()).toMatchObject({ error: { type: 'request_too_large' } })
  })

  test.each(['content-length', 'chunked'])(
    'over the limit (%s) is read to its end, so that a client that writes first can read the 413',
    async (framing) => {
      const { port, seen } = await serveFront(answering)
      const client = new RawClient(port)
      const body = bodyOf(8 * MB)
      const head = `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n`
      client.socket.pause()
      if (framing === 'chunked') {
        client.socket.write(`${head}transfer-encoding: chunked\r\n\r\n`)
        client.socket.write(`${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`)
      } else {
        client.socket.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
      }
      await until('the whole body to be taken', 5000, () => client.socket.writableLength === 0)
      client.socket.resume()
      await until('the answer', 5000, () => client.text.includes('body_too_large'))
      expect(client.text).toMatch(/^HTTP\/1\.1 413 /)
      // The connection is still good.
      client.text = ''
      client.send(PATH, CHAT)
      await until('the next answer', 5000, () => client.text.includes('"ok"'))
      expect(seen.turns).toHaveLength(1)
    },
  )

  test('of 20 MB works where the limit allows it', async () => {
    const guard = {
      apiKey: undefined,
      allowedHosts: [],
      bodyLimitBytes: 64 * MB,
      host: '127.0.0.1',
    }
    const { url } = await serveFront(answering, { guard })
    expect((await post(url + PATH, bodyOf(20 * MB))).status).toBe(200)
  })

  test.each([
    { type: 'text/plain', status: 415 },
    { type: 'application/x-www-form-urlencoded', status: 415 },
    { type: 'application/jsonp', status: 415 },
    { type: 'application/json', status: 200 },
    { type: 'Application/JSON; charset=utf-8', status: 200 },
    { type: 'application/vnd.api+json', status: 200 },
  ])('of type $type is $status', async ({ type, status }) => {
    const { url, seen } = await serveFront(answering)
    const response = await post(url + PATH, CHAT, { 'content-type': type })
    expect(response.status).toBe(status)
    expect(seen.turns).toHaveLength(status === 200 ? 1 : 0)
  })

  test('without a type, or compressed, is a 415', async () => {
    const { url } = await serveFront(answering)
    const bytes = new TextEncoder().encode(JSON.stringify(CHAT))
    expect((await fetch(url + PATH, { method: 'POST', body: bytes })).status).toBe(415)
    const response = await post(url + PATH, CHAT, { 'content-encoding': 'gzip' })
    expect(response.status).toBe(415)
  })

  test.each(['', '{"model":', '[1', 'hello'])('%j is a 400', async (body) => {
    const { url, seen } = await serveFront(answering)
    const response = await post(url + PATH, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    expect(seen.turns).toEqual([])
  })

  test('may begin with a byte order mark and is kept for the comparison of retries', async () => {
    const { url, seen } = await serveFront(answering)
    const sent = { ...CHAT, unknown_field: ['ü'] }
    expect((await post(url + PATH, `\ufeff${JSON.stringify(sent)}`)).status).toBe(200)
    expect(seen.facts[0]?.body).toEqual(sent)
  })
})
