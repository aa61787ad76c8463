// The MCP endpoint as an official client sees it, over a real socket.
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClientToolCall } from '../../src/core/client-tools.ts'
import { within } from '../support/pace.ts'
import { until } from '../support/until.ts'
import { answered, inbox, newToken, openStation, type Station, textOf, tool } from './station.ts'

let station: Station
let token: string
let calls: ClientToolCall[]

beforeEach(async () => {
  station = await openStation({ progressMs: 40, listenerMs: 100, openMs: 150 })
  token = newToken()
  station.endpoint.open(token, [tool('read'), tool('bash')])
  calls = inbox(station.endpoint, token)
})
afterEach(() => station.close())

const called = (count: number): Promise<void> =>
  until(`${count} calls`, within(3_000), () => calls.length >= count)

const ask = (client: Client, name: string, text: string) =>
  client.callTool({ name, arguments: { text } })

test('the list is exactly the tools, in their order', async () => {
  const client = await station.connect(token)
  const { tools } = await client.listTools()
  expect(tools).toEqual([
    {
      name: 'read',
      description: 'does read',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    },
    {
      name: 'bash',
      description: 'does bash',
      inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    },
  ])
})

test('contact tells how far a client has come, also after the token is gone', async () => {
  expect(station.endpoint.contact(token)).toBe('none')
  const client = await station.connect(token)
  await until('initialized', 2_000, () => station.endpoint.contact(token) === 'initialized')
  await client.listTools()
  expect(station.endpoint.contact(token)).toBe('listed')
  const result = ask(client, 'read', 'x')
  await called(1)
  expect(station.endpoint.contact(token)).toBe('called')
  answered(calls[0], 'y')
  await result
  station.endpoint.close(token)
  expect(station.endpoint.contact(token)).toBe('called')
})

describe('calls', () => {
  test('reach the listener with name and arguments, and get its result', async () => {
    const client = await station.connect(token)
    const result = ask(client, 'bash', 'ls')
    await called(1)
    expect(calls[0]).toMatchObject({ name: 'bash', arguments: { text: 'ls' } })
    expect(answered(calls[0], 'a.txt')).toBe(true)
    expect(await result).toMatchObject({ content: [{ type: 'text', text: 'a.txt' }] })
    expect((await result).isError).toBeUndefined()
    expect(answered(calls[0], 'again')).toBe(false)
  })

  test('wait side by side and may be answered in any order', async () => {
    const client = await station.connect(token)
    const results = ['one', 'two', 'three'].map((text) => ask(client, 'read', text))
    await called(3)
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    for (const call of calls.toReversed()) {
      answered(call, `for ${JSON.stringify(call.arguments)}`)
    }
    expect((await Promise.all(results)).map(textOf)).toEqual([
      'for {"text":"one"}',
      'for {"text":"two"}',
      'for {"text":"three"}',
    ])
  })

  test('an error stays one, and images arrive', async () => {
    const client = await station.connect(token)
    const failed = ask(client, 'read', 'x')
    await called(1)
    answered(calls[0], 'no such file', true)
    expect(await failed).toMatchObject({ isError: true, content: [{ text: 'no such file' }] })
    const seen = ask(client, 'read', 'y')
    await called(2)
    calls[1]?.answer({
      isError: false,
      content: [
        { type: 'text', text: 'look:' },
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: 'iVBORw0KGgo=' } },
        { type: 'image', source: { kind: 'base64', mediaType: 'image/png', data: '!!' } },
        { type: 'image', source: { kind: 'url', url: 'https://example.com/a.png' } },
      ],
    })
    expect((await seen).content).toEqual([
      { type: 'text', text: 'look:' },
      { type: 'image', data: 'iVBORw0KGgo=', mimeType: 'image/png' },
      { type: 'text', text: '(an image that could not be read)' },
      { type: 'text', text: '(image: https://example.com/a.png)' },
    ])
  })

  test('show progress while they wait, to who asked for it', async () => {
    const client = await station.connect(token)
    const beats: number[] = []
    const result = client.callTool({ name: 'read', arguments: {} }, undefined, {
      onprogress: ({ progress }) => beats.push(progress),
    })
    await called(1)
    await until('three signs of progress', within(3_000), () => beats.length >= 3)
    answered(calls[0], 'done')
    expect(textOf(await result)).toBe('done')
    expect(beats.slice(0, 3)).toEqual([1, 2, 3])
  })

  test('an unknown tool is answered with the list of what there is', async () => {
    const client = await station.connect(token)
    const result = await ask(client, 'delete_everything', 'x')
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('read, bash')
    expect(calls).toEqual([])
  })

  test('without a listener they get an error; one that comes in time is heard', async () => {
    station.endpoint.listen(token, undefined)
    const client = await station.connect(token)
    const late = await ask(client, 'read', 'x')
    expect(late.isError).toBe(true)
    const result = ask(client, 'read', 'y')
    await until('contact', 2_000, () => station.endpoint.contact(token) === 'called')
    calls = inbox(station.endpoint, token)
    await called(1)
    answered(calls[0], 'ok')
    expect(textOf(await result)).toBe('ok')
  })
})

describe('giving up', () => {
  test('a cancelled call is aborted, its neighbours are not', async () => {
    const client = await station.connect(token)
    const giveUp = new AbortController()
    const given = client.callTool({ name: 'read', arguments: { text: 'a' } }, undefined, {
      signal: giveUp.signal,
    })
    const kept = ask(client, 'read', 'b')
    await called(2)
    giveUp.abort('enough')
    await expect(given).rejects.toThrow()
    const [lost, other] = [calls.find(isA('a')), calls.find(isA('b'))]
    await until('the abort', within(2_000), () => lost?.signal.aborted === true)
    expect(answered(lost, 'too late')).toBe(false)
    expect(other?.signal.aborted).toBe(false)
    answered(other, 'fine')
    expect(textOf(await kept)).toBe('fine')
  })

  test('so is one whose time is over', async () => {
    const client = await station.connect(token)
    const result = client.callTool({ name: 'read', arguments: {} }, undefined, { timeout: 60 })
    await expect(result).rejects.toThrow(/timed out/i)
    await until('the abort', within(2_000), () => calls[0]?.signal.aborted === true)
  })

  test('a connection that is cut gives up its calls', async () => {
    const client = await station.connect(token)
    const result = ask(client, 'read', 'x').catch(() => 'cut')
    await called(1)
    await client.close()
    await until('the abort', within(2_000), () => calls[0]?.signal.aborted === true)
    expect(await result).toBe('cut')
    // Another connection under the same token works on.
    const again = await station.connect(token)
    const second = ask(again, 'read', 'y')
    await called(2)
    answered(calls[1], 'there')
    expect(textOf(await second)).toBe('there')
  })

  test('closing a token gives up its calls and makes it unknown', async () => {
    const client = await station.connect(token)
    const result = ask(client, 'read', 'x').catch(() => 'gone')
    await called(1)
    station.endpoint.close(token)
    expect(calls[0]?.signal.aborted).toBe(true)
    await client.close()
    await result
    await expect(station.connect(token)).rejects.toThrow(/404|not found/i)
    expect(station.endpoint.size).toBe(0)
  })
})

const isA =
  (text: string) =>
  (call: ClientToolCall): boolean =>
    JSON.stringify(call.arguments).includes(`"${text}"`)

describe('tokens', () => {
  test('an unknown one is 404, and never shows in what is counted', async () => {
    await expect(station.connect(newToken())).rejects.toThrow(/404|not found/i)
    expect(new Set(station.counted)).toEqual(new Set(['/mcp/:token 404']))
  })

  test('one that is opened a moment later is served', async () => {
    const late = newToken()
    const client = station.connect(late)
    setTimeout(() => station.endpoint.open(late, [tool('only')]), 20)
    expect((await (await client).listTools()).tools.map(({ name }) => name)).toEqual(['only'])
  })

  test('each has its own tools and calls', async () => {
    const other = newToken()
    station.endpoint.open(other, [tool('edit')])
    const mine = inbox(station.endpoint, other)
    const client = await station.connect(other)
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['edit'])
    const result = ask(client, 'edit', 'x')
    await until('its call', within(2_000), () => mine.length === 1)
    expect(calls).toEqual([])
    answered(mine[0], 'ok')
    await result
  })

  test('a foreign host or web page is refused', async () => {
    const asked = (headers: Record<string, string>) =>
      fetch(station.url + token, { method: 'POST', headers, body: '{}' })
    expect((await asked({ origin: 'https://evil.example' })).status).toBe(403)
  })
})

test('a changed list is announced and listed anew', async () => {
  const client = await station.connect(token)
  let isTold = false
  client.setNotificationHandler(ToolListChangedNotificationSchema, () => {
    isTold = true
  })
  await client.listTools()
  // The stream for announcements is opened after the handshake, in the background.
  await until('the announcement', within(3_000), () => {
    station.endpoint.offer(token, [tool('read'), tool('search')])
    return isTold
  })
  expect(station.endpoint.isUpToDate(token)).toBe(false)
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['read', 'search'])
  expect(station.endpoint.isUpToDate(token)).toBe(true)
})

describe('names and schemas', () => {
  const odd = [
    'has space',
    'a/b',
    'a_b',
    'größe',
    'x'.repeat(200),
    'mcp__client__read',
    'client-read',
  ]

  test('any name is offered in a safe alphabet and comes back as it was', async () => {
    const all = newToken()
    station.endpoint.open(
      all,
      odd.map((name) => tool(name)),
    )
    const heard = inbox(station.endpoint, all)
    const client = await station.connect(all)
    const { tools } = await client.listTools()
    const offered = tools.map(({ name }) => name)
    expect(new Set(offered).size).toBe(odd.length)
    for (const name of offered) expect(name).toMatch(/^[A-Za-z0-9_-]{1,53}$/)
    for (const [at, name] of offered.entries()) {
      const result = ask(client, name, 'x')
      await until('the call', within(2_000), () => heard.length > at)
      answered(heard[at], 'ok')
      await result
    }
    expect(heard.map(({ name }) => name)).toEqual(odd)
  })

  test('schemas that MCP would refuse are mended, the others stay as they are', async () => {
    const whole = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/A' }, b: { enum: [1, 'x', null] } },
      required: ['a'],
      $defs: { A: { type: 'string' } },
      additionalProperties: false,
    }
    const all = newToken()
    station.endpoint.open(all, [
      tool('whole', { parameters: whole }),
      tool('none', { parameters: null }),
      tool('typeless', { parameters: { properties: { any: true, no: false }, required: true } }),
      tool('text', { parameters: { type: 'string' } }),
    ])
    const client = await station.connect(all)
    const { tools } = await client.listTools()
    expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([
      whole,
      { type: 'object' },
      { type: 'object', properties: { any: {}, no: { not: {} } } },
      { type: 'object' },
    ])
  })
})
