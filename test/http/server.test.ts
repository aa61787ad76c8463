// Binding and stopping.
import { Hono } from 'hono'
import { expect, test } from 'vitest'
import { listen } from '../../src/http/server.ts'
import type { HttpEnv } from '../../src/http/services.ts'
import { until } from '../support/until.ts'
import {
  CHAT,
  FINISH,
  makeFront,
  post,
  RawClient,
  ScriptedAnswer,
  serveFront,
  text,
} from './front.ts'

test('a taken port is an error that names address and port', async () => {
  const { port, app } = await serveFront(new ScriptedAnswer())
  await expect(listen(app, { host: '127.0.0.1', port })).rejects.toMatchObject({
    name: 'ListenError',
    code: 'EADDRINUSE',
    message: expect.stringContaining(`127.0.0.1:${port}`),
  })
})

test('stopping refuses new connections, finishes the running reply and closes idle ones', async () => {
  const answer = new ScriptedAnswer().batch(text('one'))
  const { app } = makeFront(answer)
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const idle = new RawClient(listening.port)
  idle.socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('the idle client to have its reply', 2000, () => idle.text.includes('available'))
  const silent = new RawClient(listening.port)
  const busy = new RawClient(listening.port)
  busy.send('/v1/chat/completions', { ...CHAT, stream: true })
  await until('the first words', 2000, () => busy.text.includes('one'))
  let stopped = false
  const stopping = listening.stop(10_000).then(() => {
    stopped = true
  })
  await until('the idle connections to be closed', 2000, () => idle.closed && silent.closed)
  await expect(post(`${listening.url}/v1/chat/completions`, CHAT)).rejects.toThrow()
  expect(stopped).toBe(false)
  expect(busy.closed).toBe(false)
  answer.batch(text('two'), FINISH)
  await stopping
  await until('the busy connection to be closed', 2000, () => busy.closed)
  expect(busy.text).toContain('[DONE]')
  expect(answer.released).toEqual([true])
})

test('stopping does not cut a reply that is written and still on its way', async () => {
  const app = new Hono<HttpEnv>().get('/:size', (c) =>
    c.text('x'.repeat(Number(c.req.param('size')))),
  )
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const ask = (size: number): RawClient => {
    const client = new RawClient(listening.port)
    client.socket.write(`GET /${size} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    return client
  }
  const idle = ask(1)
  await until('the idle client to have its reply', 2000, () => idle.tail.endsWith('x'))
  const slow = ask(30_000_000)
  slow.socket.once('data', () => slow.socket.pause())
  await until('its first bytes', 5000, () => slow.text !== '')
  const stopping = listening.stop(20_000)
  slow.socket.resume()
  await stopping
  await until('both to be closed', 2000, () => slow.closed && idle.closed)
  expect(slow.text.length - slow.text.indexOf('\r\n\r\n') - 4).toBe(30_000_000)
})

test('a second, shorter grace counts', async () => {
  const { app } = makeFront(new ScriptedAnswer().batch(text('one')))
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const busy = new RawClient(listening.port)
  busy.send('/v1/chat/completions', { ...CHAT, stream: true })
  await until('the first words', 2000, () => busy.text.includes('one'))
  const stopping = listening.stop(60_000)
  await listening.stop(0)
  await stopping
  await until('the connection to be closed', 2000, () => busy.closed)
})

test('stopping cuts what is still running after the grace', async () => {
  const answer = new ScriptedAnswer().batch(text('one'))
  const { app } = makeFront(answer)
  const listening = await listen(app, { host: '127.0.0.1', port: 0 })
  const busy = new RawClient(listening.port)
  busy.send('/v1/chat/completions', { ...CHAT, stream: true })
  await until('the first words', 2000, () => busy.text.includes('one'))
  await listening.stop(50)
  await until('the connection to be closed', 2000, () => busy.closed)
  expect(answer.released).toEqual([false])
})

test('a request that is none is answered in JSON or by Node, and harms nobody', async () => {
  const { port, url } = await serveFront(new ScriptedAnswer())
  const broken = new RawClient(port)
  broken.socket.write('GET / HTTP/1.1\r\nhost: bad host\r\n\r\n')
  await until('an answer', 2000, () => broken.text.includes('invalid_request'))
  expect(broken.text).toMatch(/^HTTP\/1\.1 400 /)
  const garbage = new RawClient(port)
  garbage.socket.write('nonsense\r\n\r\n')
  await until('the connection to be closed', 2000, () => garbage.closed)
  expect((await fetch(`${url}/health`)).status).toBe(200)
})

test('sockets stay open for the client’s next turn and say for how long', async () => {
  const { port } = await serveFront(new ScriptedAnswer())
  const client = new RawClient(port)
  client.socket.write('GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await until('the reply', 2000, () => client.text.includes('available'))
  expect(client.text.toLowerCase()).toContain('keep-alive: timeout=120')
})
