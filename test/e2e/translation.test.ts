// Field cases F01 to F05 and F07 to F09: what clients send, and the prompt the agent gets for it.

import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../src/lib/json.ts'
import { APIS, type Api, ask, errorType, send, unique, WAYS } from '../support/ask.ts'
import { listenOn } from '../support/listen.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { delta, OK } from '../support/steps.ts'
import { until } from '../support/until.ts'

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const SCRIPT = {
  runs: [
    {
      match: 'look at the picture',
      steps: [{ init: true }, { waitFile: 'seen' }, delta('a dot'), OK],
    },
    { steps: [{ init: true }, delta('fine'), OK] },
  ],
}

describe('requests become prompts', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    // A version that is not known to resume chats: every prompt is the whole transcript.
    const env = { CURSOR_ADAPTER_DEMO_VERSION: '2026.10.01-abc1234' }
    service = await startService({ script: SCRIPT, settings: { timeout: 15 }, env })
  })
  afterAll(() => service.stop())

  /** Sends a body and gives the prompt of the run it started: the one that holds `mark`. */
  async function promptOf(api: Api, mark: string, body: object): Promise<string> {
    const heard = await send(service, { api, stream: false }, body)
    expect(heard.error).toBeUndefined()
    expect(heard.status).toBe(200)
    return promptWith(mark)
  }

  function promptWith(mark: string): string {
    const found = service.prompts().filter((prompt) => prompt.includes(mark))
    expect(found, mark).toHaveLength(1)
    return found[0] ?? ''
  }

  /** How the agent that got the prompt with `mark` was started. */
  function startOf(mark: string): JsonObject | undefined {
    const journal = service.journal()
    const prompted = journal.find(
      ({ event, prompt }) => event === 'prompt' && String(prompt).includes(mark),
    )
    return journal.find(({ event, pid }) => event === 'start' && pid === prompted?.pid)
  }

  const text = (value: string) => ({ type: 'text', text: value })
  const user = (content: unknown) => ({ role: 'user', content })
  const assistant = (content: unknown, more: object = {}) => ({
    role: 'assistant',
    content,
    ...more,
  })

  test.each(APIS)('F01: block lists instead of strings (%s)', async (api) => {
    const mark = unique('F01')
    const system = [text('You are terse.'), text('Answer in German.')]
    const blocks = [text(mark), text('second block')]
    const prompt = await promptOf(api, mark, {
      ...(api === 'messages' ? { system } : {}),
      messages: [
        ...(api === 'messages' ? [] : [{ role: 'system', content: system }]),
        user(blocks),
        assistant([text('yes,'), text('and?')]),
        user([text('go on')]),
      ],
    })
    expect(prompt).toContain('You are terse.\nAnswer in German.\n')
    expect(prompt).toContain(`${mark}\nsecond block\n`)
    expect(prompt).toContain('yes,\nand?\n')
    expect(prompt).not.toMatch(/\[object Object\]|"type"|\{"/)
  })

  test.each(APIS)(
    'F01: an empty list is answered or refused, never an internal error (%s)',
    async (api) => {
      const bodies: object[] = [
        { messages: [user([])] },
        { messages: [user(unique('F01')), assistant([]), user('x')] },
        { messages: [] },
        ...(api === 'messages' ? [{ system: [], messages: [user(unique('F01'))] }] : []),
      ]
      const replies = bodies.map((body, index) =>
        send(service, { api, stream: index % 2 === 0 }, body),
      )
      for (const heard of await Promise.all(replies)) {
        if (heard.status === 200) continue
        expect(heard.status).toBe(400)
        expect(errorType(api, heard)).toBe('invalid_request_error')
      }
    },
  )

  test.each(APIS)(
    'F02: system messages keep their place, and the prompt grows at its end (%s)',
    async (api) => {
      const mark = unique('F02')
      const first = [
        user(mark),
        assistant('hello'),
        { role: 'system', content: `reminder of ${mark}` },
        user('go on'),
      ]
      await send(service, { api, stream: false }, { messages: first })
      // Another answer than was given: the agent is told everything once more.
      const more = [...first, assistant('well'), user('and now?')]
      await send(service, { api, stream: true }, { messages: more })
      const [short = '', long = ''] = service.prompts().filter((prompt) => prompt.includes(mark))
      expect(short.indexOf('hello')).toBeLessThan(short.indexOf('reminder of'))
      expect(short.indexOf('reminder of')).toBeLessThan(short.indexOf('go on'))
      expect(short).toContain(`=== system ===\nreminder of ${mark}\n`)
      expect(long.startsWith(short)).toBe(true)
      expect(long.slice(short.length)).toMatch(/^well\n\n=== user ===\nand now\?\n/)
    },
  )

  describe('F03: a tool result without output', () => {
    const EMPTY = '(the tool ran and gave no output)'
    const FAILED = '(the tool failed and gave no message)'
    const rows: { name: string; result: object; says: string; failed: boolean }[] = [
      { name: 'empty text', result: { content: '' }, says: EMPTY, failed: false },
      { name: 'no content', result: {}, says: EMPTY, failed: false },
      { name: 'null', result: { content: null }, says: EMPTY, failed: false },
      { name: 'an empty list', result: { content: [] }, says: EMPTY, failed: false },
      { name: 'blanks', result: { content: [text(' \n')] }, says: EMPTY, failed: false },
      { name: 'an error', result: { content: '', is_error: true }, says: FAILED, failed: true },
      { name: 'an error without content', result: { is_error: true }, says: FAILED, failed: true },
    ]
    test.concurrent.each(rows)('$name (messages)', async ({ result, says, failed }) => {
      const mark = unique('F03')
      const prompt = await promptOf('messages', mark, {
        messages: [
          user(mark),
          assistant([{ type: 'tool_use', id: 't1', name: 'Bash', input: { command: 'true' } }]),
          user([{ type: 'tool_result', tool_use_id: 't1', ...result }]),
        ],
      })
      const suffix = failed ? ', failed' : ''
      expect(prompt).toContain(`=== result of tool call 1: Bash true${suffix} ===\n${says}\n`)
    })
    const contents = rows.filter(({ failed }) => !failed)
    test.concurrent.each(contents)('$name (chat)', async ({ result, says }) => {
      const mark = unique('F03')
      const call = {
        id: 't1',
        type: 'function',
        function: { name: 'bash', arguments: '{"command":"true"}' },
      }
      const prompt = await promptOf('chat', mark, {
        messages: [
          user(mark),
          assistant(null, { tool_calls: [call] }),
          { role: 'tool', tool_call_id: 't1', ...result },
        ],
      })
      expect(prompt).toContain(`=== result of tool call 1: bash true ===\n${says}\n`)
    })
  })

  describe('F04: pictures', () => {
    const source = { type: 'base64', media_type: 'image/png', data: PIXEL }
    const image = { type: 'image', source }
    const dataUri = { type: 'image_url', image_url: { url: `data:image/png;base64,${PIXEL}` } }
    const rows: { name: string; api: Api; messages: (mark: string) => object[] }[] = [
      {
        name: 'in a user message',
        api: 'messages',
        messages: (mark) => [user([text(`look at the picture, ${mark}`), image])],
      },
      {
        name: 'in a tool result',
        api: 'messages',
        messages: (mark) => [
          user(`look at the picture, ${mark}`),
          assistant([{ type: 'tool_use', id: 't1', name: 'Read', input: { file_path: 'a.png' } }]),
          user([{ type: 'tool_result', tool_use_id: 't1', content: [image] }]),
        ],
      },
      {
        name: 'as a data URI',
        api: 'chat',
        messages: (mark) => [user([dataUri, text(`look at the picture, ${mark}`)])],
      },
    ]
    test.runIf(OVER_ACP).each(rows)('$name: passed on as it is ($api)', async (row) => {
      const mark = unique('F04')
      const way = { api: row.api, stream: true } as const
      const asking = send(service, way, { messages: row.messages(mark) })
      const work = await folderOf(mark)
      writeFileSync(join(work, 'seen'), '')
      expect((await asking).text).toBe('a dot')
      expect(promptWith(mark)).not.toContain(PIXEL.slice(0, 20))
      const fact = service.journal().find(({ prompt }) => String(prompt).includes(mark))
      const bytes = Buffer.from(PIXEL, 'base64').length
      expect(fact?.images).toEqual([{ mimeType: 'image/png', bytes }])
    })

    // ACP takes pictures as they are.
    test.skipIf(OVER_ACP).each(rows)(
      '$name: a file beside the agent, no base64 in the prompt ($api)',
      async (row) => {
        const mark = unique('F04')
        const asking = send(
          service,
          { api: row.api, stream: true },
          { messages: row.messages(mark) },
        )
        const work = await folderOf(mark)
        expect(readFileSync(join(work, 'image-1.png')).toString('base64')).toBe(PIXEL)
        writeFileSync(join(work, 'seen'), '')
        expect((await asking).text).toBe('a dot')
        const prompt = promptWith(mark)
        expect(prompt).toContain('[image 1: see ./image-1.png]')
        expect(prompt).not.toContain(PIXEL.slice(0, 20))
      },
    )

    test('a URL is named and not fetched', async () => {
      let visits = 0
      const server = createServer((_request, response) => {
        visits += 1
        response.end()
      })
      const url = `${await listenOn(server)}/dot.png`
      const chat = unique('F04')
      const byUrl = { type: 'image_url', image_url: { url, detail: 'low' } }
      expect(await promptOf('chat', chat, { messages: [user([text(chat), byUrl])] })).toContain(url)
      const messages = unique('F04')
      const blocks = [text(messages), { type: 'image', source: { type: 'url', url } }]
      expect(await promptOf('messages', messages, { messages: [user(blocks)] })).toContain(url)
      expect(visits).toBe(0)
      server.close()
    })

    /** Where the agent works that got the prompt with `mark`. */
    async function folderOf(mark: string): Promise<string> {
      await until('the agent to have its prompt', 10_000, () =>
        service.prompts().some((prompt) => prompt.includes(mark)),
      )
      const prompted = service.journal().find(({ prompt }) => String(prompt).includes(mark))
      return String(prompted?.cwd ?? startOf(mark)?.cwd)
    }
  })

  test('F05: null content beside tool calls', async () => {
    const mark = unique('F05')
    const call = {
      id: 'call_1',
      type: 'function',
      function: { name: 'read_file', arguments: '{"path":"src/a.ts","lines":{"from":3}}' },
    }
    const messages = [
      user(mark),
      assistant(null, { tool_calls: [call] }),
      { role: 'tool', tool_call_id: 'call_1', content: 'export {}' },
    ]
    const prompt = await promptOf('chat', mark, { messages })
    expect(prompt).toContain('=== tool call 1: read_file ===\npath: src/a.ts\nlines:\n  from: 3\n')
    expect(prompt).toContain('=== result of tool call 1: read_file src/a.ts ===\nexport {}\n')
  })

  test('F07: token limits and sampling fields are taken and reach no command line', async () => {
    const argvOf = async (fields: object): Promise<string> => {
      const mark = unique('F07')
      const heard = await ask(service, { api: 'chat', stream: true }, mark, fields)
      expect(heard.error).toBeUndefined()
      return argvWith(mark)
    }
    const plain = await argvOf({})
    expect(plain).toContain('--model')
    const FIELDS = [
      { max_tokens: 7_777 },
      { max_tokens: undefined, max_completion_tokens: 7_777 },
      { temperature: 0.777, top_p: 0.7771, seed: 77_777, user: 'u-77777' },
      { metadata: { trace: 't-77777' }, logit_bias: { 77777: 5 }, n: 1, stop: ['s-77777'] },
      { presence_penalty: 0.777, frequency_penalty: -0.777, logprobs: false, store: false },
      { flag_77777: '--force', '--force': true, service_tier: 'auto', parallel_tool_calls: true },
    ]
    for (const fields of FIELDS) expect(await argvOf(fields)).toBe(plain)
  })

  /** Arguments of the agent that got this prompt; its own folder's random name is left out. */
  function argvWith(mark: string): string {
    return JSON.stringify(startOf(mark)?.argv).replaceAll(/[\w.-]+\/work\b/g, 'SCRATCH/work')
  }

  test.each(WAYS)('F08: unknown fields at every level ($api, stream $stream)', async (way) => {
    const mark = unique('F08')
    const extra = { brand_new: { deep: [1, null] }, cache_control: { type: 'ephemeral' } }
    const heard = await send(service, way, {
      messages: [
        { ...user([{ ...text(mark), ...extra, citations: [] }]), ...extra, name: 'ann' },
        assistant([{ ...text('yes'), ...extra }], { ...extra, refusal: null, annotations: [] }),
        user([text('go on'), { type: 'hologram', ...extra }]),
      ],
      metadata: { user_id: 'x', ...extra },
      thinking: { type: 'adaptive', ...extra },
      output_config: { effort: 'low', ...extra },
      context_management: { edits: [extra] },
      stream_options: { include_usage: true, ...extra },
      betas: ['new-2026'],
      ...extra,
    })
    expect(heard.error).toBeUndefined()
    expect(heard.text).toBe('fine')
    expect(promptWith(mark)).not.toMatch(/brand_new|ephemeral/)
  })

  test.each(WAYS)(
    'F08: a wrong type in a known field is a 400 ($api, stream $stream)',
    async (way) => {
      const before = service.prompts().length
      const good = user('x')
      const bodies: object[] = [
        // A plain string is a conversation there.
        ...(way.api === 'responses' ? [{ messages: 7 }] : [{ messages: 'x' }]),
        { messages: { role: 'user' } },
        { messages: [7] },
        { messages: [{ role: 'user', content: 7 }] },
        { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }] }] },
        { messages: [{ content: 'x' }] },
        { messages: [good], model: 7 },
        { messages: [good], tools: 'x' },
        ...(way.api === 'messages' ? [{ messages: [good], system: 7 }] : []),
      ]
      const replies = await Promise.all(bodies.map((body) => send(service, way, body)))
      for (const [index, heard] of replies.entries()) {
        expect(heard.status, JSON.stringify(bodies[index])).toBe(400)
        expect(errorType(way.api, heard)).toBe('invalid_request_error')
        expect(heard.headers.get('content-type')).toMatch(/^application\/json/)
      }
      expect(service.prompts()).toHaveLength(before)
    },
  )

  describe('F09: parallel results in another order, with text between, and an orphan', () => {
    const names = ['a.txt', 'b.txt', 'c.txt']
    const check = (prompt: string): void => {
      for (const [index, name] of names.entries()) {
        const number = index + 1
        expect(prompt).toContain(`=== tool call ${number}: Read ===\nfile_path: ${name}\n`)
        expect(prompt).toContain(
          `=== result of tool call ${number}: Read ${name} ===\ncontent of ${name}\n`,
        )
      }
      expect(prompt).toContain('=== result of an unknown tool call ===\nof nobody\n')
      expect(prompt.indexOf('content of c.txt')).toBeLessThan(prompt.indexOf('content of a.txt'))
    }

    test('messages', async () => {
      const mark = unique('F09')
      const result = (id: string, content: unknown) => ({
        type: 'tool_result',
        tool_use_id: id,
        content,
      })
      const calls = names.map((name) => ({
        type: 'tool_use',
        id: `t-${name}`,
        name: 'Read',
        input: { file_path: name },
      }))
      const prompt = await promptOf('messages', mark, {
        messages: [
          user(mark),
          assistant([text('I read three files.'), ...calls]),
          user([
            result('t-c.txt', 'content of c.txt'),
            text('a word between'),
            result('nobody', [text('of nobody')]),
            result('t-a.txt', [text('content of a.txt')]),
          ]),
          user([result('t-b.txt', 'content of b.txt'), text('a word after')]),
        ],
      })
      check(prompt)
      expect(prompt).toContain('I read three files.')
      expect(prompt).toMatch(/=== user ===\na word between\n/)
      expect(prompt).toMatch(/=== user ===\na word after\n/)
    })

    test('chat', async () => {
      const mark = unique('F09')
      const calls = names.map((name) => ({
        id: `t-${name}`,
        type: 'function',
        function: { name: 'Read', arguments: JSON.stringify({ file_path: name }) },
      }))
      const result = (id: string, content: unknown) => ({ role: 'tool', tool_call_id: id, content })
      const prompt = await promptOf('chat', mark, {
        messages: [
          user(mark),
          assistant('I read three files.', { tool_calls: calls }),
          result('t-c.txt', 'content of c.txt'),
          user('a word between'),
          result('nobody', 'of nobody'),
          result('t-a.txt', [text('content of a.txt')]),
          result('t-b.txt', 'content of b.txt'),
        ],
      })
      check(prompt)
      expect(prompt).toMatch(/=== user ===\na word between\n/)
    })
  })

  test('F22: a result that comes back with a wild id finds its call', async () => {
    const id =
      'call-8c8fbeac-9a26-403e-b0ba-ecdd48932755-0\nfc_8c8fbeac-9a26-403e-b0ba-ecdd48932755_0'
    const mark = unique('F22')
    const call = { id, type: 'function', function: { name: 'Read', arguments: '{"path":"x"}' } }
    const prompt = await promptOf('chat', mark, {
      messages: [
        user(mark),
        assistant(null, { tool_calls: [call] }),
        { role: 'tool', tool_call_id: id, content: 'of x' },
      ],
    })
    expect(prompt).toContain('=== result of tool call 1: Read x ===\nof x\n')
    expect(prompt).not.toContain('fc_')
  })
})
