// The official OpenAI client on Responses against the running service, and conversations that the service keeps.

import { join } from 'node:path'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { prompted } from '../support/agents.ts'
import { send, unique } from '../support/ask.ts'
import { ROOT, type Service, startService } from '../support/service.ts'
import { delta, OK, readTool, run } from '../support/steps.ts'
import { until } from '../support/until.ts'

const RUNS = [
  run('think', { thinking: 'hm' }, { thinkingEnd: true }, delta('42'), OK),
  run('work', { thinking: 'I look.' }, ...readTool('c1'), delta('Done.'), OK),
  { match: 'hang', steps: [{ init: true }, delta('a'), { hang: true }] },
  { match: 'crash', steps: [{ init: true }, delta('half'), { exit: 1 }] },
  {
    match: 'slow',
    steps: [
      { init: true },
      { sleep: 700 },
      delta('a'),
      { sleep: 700 },
      ...readTool('c2'),
      { sleep: 700 },
      delta('b'),
      OK,
    ],
  },
  { steps: [{ init: true }, delta('Hel'), delta('lo 中文 😀'), OK] },
]

let service: Service
let client: OpenAI
beforeAll(async () => {
  service = await startService({ script: { runs: RUNS } })
  client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'unused', maxRetries: 0 })
})
afterAll(() => service.stop())

const asked = (input: string) => ({ model: 'auto', input })
const promptWith = (mark: string): string =>
  service.prompts().find((prompt) => prompt.includes(mark)) ?? ''

describe('the official openai client', { timeout: 60_000 }, () => {
  test('gets a whole response, which repeats what it was asked', async () => {
    const response = await client.responses.create({
      ...asked(unique('hello')),
      metadata: { trace: 't1' },
      max_output_tokens: 5000,
      instructions: 'Be kind.',
    })
    expect(response).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello 中文 😀',
      metadata: { trace: 't1' },
      max_output_tokens: 5000,
      instructions: 'Be kind.',
      error: null,
      incomplete_details: null,
    })
    expect(response.id).toMatch(/^resp_/)
    expect(response.usage?.input_tokens).toBeGreaterThan(0)
    expect(response.usage?.total_tokens).toBe(
      (response.usage?.input_tokens ?? 0) + (response.usage?.output_tokens ?? 0),
    )
  })

  test('F93: streams from created to completed, numbered without a gap', async () => {
    const types: string[] = []
    let text = ''
    for await (const event of await client.responses.create({
      ...asked(unique('hello')),
      stream: true,
    })) {
      expect(event.sequence_number).toBe(types.length)
      types.push(event.type)
      if (event.type === 'response.output_text.delta') text += event.delta
    }
    expect(text).toBe('Hello 中文 😀')
    expect(types.slice(0, 2)).toEqual(['response.created', 'response.in_progress'])
    expect(types.at(-1)).toBe('response.completed')
  })

  test('its stream helper assembles the final response', async () => {
    const stream = client.responses.stream(asked(unique('think')))
    const response = await stream.finalResponse()
    expect(response.output_text).toBe('42')
    expect(response.output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
  })

  test('sees what Cursor did as mcp_call items, and runs nothing', async () => {
    const response = await client.responses.stream(asked(unique('work'))).finalResponse()
    expect(response.output).toMatchObject([
      { type: 'reasoning', summary: [{ text: 'I look.' }] },
      { type: 'mcp_call', server_label: 'cursor', name: 'Read', status: 'completed' },
      { type: 'message', content: [{ text: 'Done.' }] },
    ])
  })

  test('an abort stops the agent', async () => {
    const stream = client.responses.stream(asked(unique('hang')))
    stream.on('response.output_text.delta', () => {
      stream.abort()
    })
    await expect(stream.finalResponse()).rejects.toThrow(OpenAI.APIUserAbortError)
    await until('the run to be over', 10_000, async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 0
    })
  })

  test('errors arrive as its typed classes', async () => {
    const model = client.responses.create({ model: 'nonsense-9', input: 'x' })
    await expect(model).rejects.toThrow(OpenAI.NotFoundError)
    await expect(model).rejects.toMatchObject({ code: 'model_not_found' })
    const empty = client.responses.create({ model: 'auto', input: [] })
    await expect(empty).rejects.toThrow(OpenAI.BadRequestError)
    const crash = client.responses.create(asked(unique('crash')))
    await expect(crash).rejects.toThrow(OpenAI.InternalServerError)
  })

  test('a failure in the middle is a failed response, never a normal end', async () => {
    const response = await client.responses.stream(asked(unique('crash'))).finalResponse()
    expect(response).toMatchObject({
      status: 'failed',
      error: { code: 'agent_failed', message: expect.stringContaining('exited with code 1') },
      output: [{ status: 'incomplete', content: [{ text: 'half' }] }],
    })
  })

  test('counts input without an agent', async () => {
    const before = service.prompts().length
    const count = await client.responses.inputTokens.count({
      model: 'auto',
      instructions: 'Be terse.',
      input: 'hello there, how are you?',
      tools: [{ type: 'function', name: 'read', parameters: { type: 'object' }, strict: false }],
    })
    const bare = await client.responses.inputTokens.count({ model: 'auto', input: 'hello there' })
    expect(count.object).toBe('response.input_tokens')
    expect(count.input_tokens).toBeGreaterThan(bare.input_tokens + 8)
    expect(service.prompts()).toHaveLength(before)
  })

  test('F94: a request with tools of all kinds is answered', async () => {
    const mark = unique('tools')
    const response = await service.post('/responses', {
      model: 'auto',
      input: [{ role: 'user', content: [{ type: 'input_text', text: mark }] }],
      tools: [
        { type: 'function', name: 'shell', parameters: { type: 'object' } },
        {
          type: 'custom',
          name: 'apply_patch',
          format: { type: 'grammar', syntax: 'lark', definition: 'x' },
        },
        { type: 'web_search' },
        { type: 'local_shell' },
        { type: 'namespace', name: 'agents', description: '', tools: [] },
        { type: 'tool_search' },
      ],
      tool_choice: 'auto',
    })
    expect(response.status).toBe(200)
    expect(promptWith(mark)).not.toContain('apply_patch')
  })
})

test.each(['required', { type: 'custom', name: 'patch' }])(
  'F26: a call that the client insists on is refused in mode agent, with the reason (%j)',
  async (choice) => {
    const mark = unique('forced')
    const body = {
      input: mark,
      tools: [{ type: 'custom', name: 'patch' }],
      tool_choice: choice,
    }
    const init = { headers: { 'x-cursor-mode': 'agent' } }
    const heard = await send(service, { api: 'responses', stream: true }, body, init)
    expect(heard.status).toBe(400)
    expect(String(heard.error?.message)).toMatch(/tool_choice demands .*mode agent/)
    expect(promptWith(mark)).toBe('')
  },
)

describe('retries', { timeout: 60_000 }, () => {
  test('whoever comes back in time reads the run that goes on, and is told its id anew', async () => {
    const question = unique('slow')
    const body = { input: question }
    const headers = { 'x-session-id': unique('session') }
    const leaver = new AbortController()
    const way = { api: 'responses', stream: true } as const
    const left = send(service, way, body, { headers, signal: leaver.signal })
    left.catch(() => undefined)
    await prompted(service, question)
    leaver.abort()
    await expect(left).rejects.toThrow(/abort/)
    const again = await send(service, { ...way, stream: false }, body, { headers })
    expect(again.headers.get('x-cursor-adapter-start')).toBe('joined')
    expect(again.text).toBe('ab')
    expect(service.prompts().filter((prompt) => prompt === question)).toHaveLength(1)
    const more = { input: unique('more'), previous_response_id: again.reply.id }
    expect((await send(service, way, more)).finish).toBe('completed')
  })
})

describe('conversations that the service keeps', { timeout: 60_000 }, () => {
  test('previous_response_id stands for all that was said', async () => {
    const [first, second, third] = [unique('hello'), unique('more'), unique('again')]
    const one = await client.responses.create({ ...asked(first), instructions: 'Once only.' })
    const two = await client.responses
      .stream({ ...asked(second), previous_response_id: one.id })
      .finalResponse()
    expect(two.previous_response_id).toBe(one.id)
    // Another model cannot go on in the session of the first: it is told everything.
    const three = { model: 'gpt-5.2', input: third, previous_response_id: two.id }
    await client.responses.create(three)
    const prompt = promptWith(third)
    const places = [first, 'Hello 中文 😀', second, third].map((said) => prompt.indexOf(said))
    expect(Math.min(...places)).toBeGreaterThan(0)
    expect(places).toEqual(places.toSorted((x, y) => x - y))
    expect(prompt).not.toContain('Once only.')
    const counted = await client.responses.inputTokens.count(three)
    const alone = await client.responses.inputTokens.count(asked(third))
    expect(counted.input_tokens).toBeGreaterThan(alone.input_tokens + 20)
  })

  test('what is unknown, not stored, failed or of another client is a 404 that says so', async () => {
    const unstored = await client.responses.create({ ...asked(unique('hello')), store: false })
    const failed = await client.responses.stream(asked(unique('crash'))).finalResponse()
    const other = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'another', maxRetries: 0 })
    const foreign = await other.responses.create(asked(unique('hello')))
    for (const id of ['resp_none', unstored.id, failed.id, foreign.id]) {
      const more = client.responses.create({ ...asked(unique('more')), previous_response_id: id })
      await expect(more).rejects.toThrow(OpenAI.NotFoundError)
      await expect(more).rejects.toMatchObject({ code: 'previous_response_not_found' })
      await expect(more).rejects.toThrow(/Send the whole conversation/)
    }
  })

  test('an item can be named by its id', async () => {
    const first = await client.responses.create(asked(unique('think')))
    const message = first.output.find(({ type }) => type === 'message')
    const mark = unique('reference')
    await client.responses.create({
      model: 'auto',
      input: [
        { role: 'user', content: unique('another beginning') },
        { type: 'item_reference', id: message?.id ?? '' },
        { role: 'user', content: mark },
      ],
    })
    expect(promptWith(mark)).toMatch(/=== assistant.*===\n42\n/)
  })

  test('a conversation has an id of the client', async () => {
    const conversation = unique('conv').replaceAll(/\W/g, '_')
    const first = unique('hello')
    const one = await client.responses.create({ ...asked(first), conversation })
    expect(one.conversation).toEqual({ id: conversation })
    const count = (more: object) =>
      client.responses.inputTokens.count({ ...asked('x'), ...more }).then((c) => c.input_tokens)
    expect(await count({ conversation })).toBeGreaterThan((await count({})) + 5)
  })
})

test('F93: signs of life at every moment leave the stream helper with the whole response', {
  timeout: 60_000,
}, async () => {
  const quick = await startService({
    script: { runs: RUNS },
    program: join(ROOT, 'dist/test/support/quick-service.js'),
    args: ['150'],
  })
  const own = new OpenAI({ baseURL: `${quick.url}/v1`, apiKey: 'unused', maxRetries: 0 })
  const stream = own.responses.stream(asked(unique('slow')))
  const beats = { empty: 0, progress: 0, withOutput: 0 }
  stream.on('event', (event) => {
    if (event.type === 'response.output_text.delta' && event.delta === '') beats.empty += 1
    if (event.type !== 'response.in_progress') return
    beats.progress += 1
    if (event.response.output.length === 2) beats.withOutput += 1
  })
  const response = await stream.finalResponse()
  expect(response.output_text).toBe('ab')
  expect(response.output.map(({ type }) => type)).toEqual(['message', 'mcp_call', 'message'])
  expect(beats.empty).toBeGreaterThan(0)
  expect(beats.progress).toBeGreaterThan(2)
  expect(beats.withOutput).toBeGreaterThan(0)
  await quick.stop()
})
