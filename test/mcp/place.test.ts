// Where the endpoint is served: on the service's own listener, or beside it on loopback; what it shows to whom.
import { expect, test } from 'vitest'
import { listen } from '../../src/http/server.ts'
import { McpEndpoint } from '../../src/mcp/endpoint.ts'
import { createMetrics } from '../../src/ops/metrics.ts'
import { NOTHING_YET } from '../../src/serve-pool.ts'
import { isLoopback, placeTools, toolsRoute } from '../../src/serve-tools.ts'
import { makeFront, ScriptedAnswer } from '../http/front.ts'
import { newToken, tool } from './station.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  },
}

const initialize = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(INITIALIZE),
  })

const metrics = () =>
  createMetrics({
    snapshot: () => NOTHING_YET,
    sessions: () => 0,
    build: { version: '0', backend: 'print', cliVersion: '' },
  })

/** The service's own app with an access key, as `serve.ts` puts it together for this host. */
async function open(host: string) {
  const endpoint = new McpEndpoint({ openMs: 50 })
  const guard = { apiKey: 'k', allowedHosts: [], bodyLimitBytes: 1000, host }
  const front = makeFront(new ScriptedAnswer(), { ...toolsRoute(endpoint, host), guard })
  // Whatever the host is called, the test stays on loopback.
  const listening = await listen(front.app, { host: '127.0.0.1', port: 0 })
  const place = await placeTools(endpoint, { host, listening, metrics: metrics() })
  const token = newToken()
  endpoint.open(token, [tool('read')])
  const close = async (): Promise<void> => {
    await place.close()
    await listening.stop(200)
  }
  return { endpoint, front, listening, place, token, close }
}

test('on loopback it is the service’s own, and the token is all the key it needs', async () => {
  const { listening, place, token, front, close } = await open('127.0.0.1')
  expect(place.endpoint).toBe(`${listening.url}/mcp/`)
  expect((await initialize(place.endpoint + token)).status).toBe(200)
  expect((await initialize(place.endpoint + newToken())).status).toBe(404)
  expect((await initialize(`${place.endpoint}${token}/more`)).status).toBe(404)
  expect((await fetch(`${listening.url}/metrics`)).status).toBe(401)
  expect(front.seen.requests.map(([route]) => route)).toEqual([
    '/mcp/:token',
    '/mcp/:token',
    '/mcp/:token',
    '/metrics',
  ])
  expect(JSON.stringify(front.seen)).not.toContain(token)
  await close()
})

test.each(['/mcp/TOKEN/more', '/mcp/', '/mcp'])('the answer to %s shows no path', async (path) => {
  const { listening, token, close } = await open('127.0.0.1')
  const response = await initialize(listening.url + path.replace('TOKEN', token))
  expect(response.status).toBe(404)
  const text = await response.text()
  expect(text).not.toContain(token)
  expect(text).toContain('/mcp/:token')
  await close()
})

test('bound elsewhere, it has a listener of its own on loopback and is not on the other', async () => {
  const { listening, place, token, close } = await open('0.0.0.0')
  expect(place.endpoint).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/mcp\/$/)
  expect(place.endpoint).not.toContain(`:${listening.port}/`)
  expect((await initialize(place.endpoint + token)).status).toBe(200)
  expect((await initialize(`${listening.url}/mcp/${token}`)).status).toBe(404)
  const other = place.endpoint.replace('/mcp/', '/health')
  expect((await fetch(other)).status).toBe(404)
  expect(
    (await initialize(place.endpoint + token, { origin: 'https://evil.example' })).status,
  ).toBe(403)
  await close()
  await expect(initialize(place.endpoint + token)).rejects.toThrow()
})

test.each([
  ['127.0.0.1', true],
  ['127.1.2.3', true],
  ['::1', true],
  ['localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.2', false],
  ['127.0.0.1.example.com', false],
])('%s is loopback: %j', (host, is) => {
  expect(isLoopback(host)).toBe(is)
})
