// The official OpenAI client against the running service.
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const HELLO = { role: 'user', content: 'hello' } as const

const SCRIPT = {
  runs: [
    {
      match: 'think',
      steps: [
        { init: true },
        { thinking: 'hm' },
        { thinkingEnd: true },
        { delta: '42' },
        { result: true },
      ],
    },
    { match: 'hang', steps: [{ init: true }, { delta: 'a' }, { hang: true }] },
    { match: 'quota', steps: [{ stderr: "Error: You've hit your usage limit\n" }, { exit: 1 }] },
    {
      match: 'login',
      steps: [{ stderr: "Error: Authentication required. Run 'agent login'\n" }, { exit: 1 }],
    },
    { match: 'crash', steps: [{ init: true }, { delta: 'half' }, { exit: 1 }] },
    {
      steps: [
        { init: true },
        { echo: true },
        { delta: 'Hel' },
        { delta: 'lo 中文 😀' },
        { recap: true },
        { result: true },
      ],
    },
  ],
}

describe('the official openai client', { timeout: 60_000 }, () => {
  let service: Service
  let client: OpenAI
  beforeAll(async () => {
    service = await startService({ script: SCRIPT })
    client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'unused', maxRetries: 0 })
  })
  afterAll(() => service.stop())

  const stream = (content: string) =>
    client.chat.completions.create({
      model: 'auto',
      messages: [{ role: 'user', content }],
      stream: true,
      stream_options: { include_usage: true },
    })

  test('gets a whole reply', async () => {
    const reply = await client.chat.completions.create({ model: 'auto', messages: [HELLO] })
    expect(reply.object).toBe('chat.completion')
    expect(reply.choices[0]?.message.content).toBe('Hello 中文 😀')
    expect(reply.choices[0]?.finish_reason).toBe('stop')
    expect(reply.usage?.prompt_tokens).toBeGreaterThan(0)
    expect(reply.usage?.total_tokens).toBe(
      (reply.usage?.prompt_tokens ?? 0) + (reply.usage?.completion_tokens ?? 0),
    )
  })

  test('streams the same text, one finish reason, usage last', async () => {
    let text = ''
    const finishes: string[] = []
    let usageChunks = 0
    for await (const chunk of await stream('hello')) {
      expect(chunk.object).toBe('chat.completion.chunk')
      text += chunk.choices[0]?.delta.content ?? ''
      const finish = chunk.choices[0]?.finish_reason
      if (finish != null) finishes.push(finish)
      if (chunk.usage != null) {
        usageChunks += 1
        expect(chunk.choices).toEqual([])
      }
    }
    expect(text).toBe('Hello 中文 😀')
    expect(finishes).toEqual(['stop'])
    expect(usageChunks).toBe(1)
  })

  test('its stream helper assembles the final message', async () => {
    const helper = client.chat.completions.stream({ model: 'auto', messages: [HELLO] })
    expect(await helper.finalContent()).toBe('Hello 中文 😀')
  })

  test('sees thinking as reasoning_content', async () => {
    let reasoning = ''
    for await (const chunk of await stream('think')) {
      const delta: object = chunk.choices[0]?.delta ?? {}
      if ('reasoning_content' in delta) reasoning += String(delta.reasoning_content)
    }
    expect(reasoning).toBe('hm')
  })

  test('an abort stops the agent', async () => {
    const running = await stream('hang')
    for await (const chunk of running) {
      if (chunk.choices[0]?.delta.content === 'a') break
    }
    running.controller.abort()
    await until('the run to be over', 10_000, async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 0
    })
  })

  test('lists and retrieves models', async () => {
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    expect(ids).toContain('auto')
    expect((await client.models.retrieve('auto')).object).toBe('model')
    await expect(client.models.retrieve('no-such-model')).rejects.toThrow(OpenAI.NotFoundError)
  })

  test('errors arrive as its typed classes', async () => {
    const ask = (body: { model: string; content: string }) =>
      client.chat.completions.create({
        model: body.model,
        messages: [{ role: 'user', content: body.content }],
      })
    await expect(client.chat.completions.create({ model: 'auto', messages: [] })).rejects.toThrow(
      OpenAI.BadRequestError,
    )
    await expect(ask({ model: 'nonsense-9', content: 'x' })).rejects.toThrow(OpenAI.NotFoundError)
    await expect(stream('crash')).resolves.toBeDefined()
  })

  test('a failure in the middle is thrown, never a normal end', async () => {
    const seen: string[] = []
    const read = async (): Promise<void> => {
      for await (const chunk of await stream('crash')) {
        const choice = chunk.choices[0]
        if (choice?.delta.content != null) seen.push(choice.delta.content)
        expect(choice?.finish_reason ?? null).toBeNull()
      }
    }
    await expect(read()).rejects.toThrow()
    expect(seen.join('')).toBe('half')
  })
})

// Each in a service of its own: such a failure is remembered for some seconds in which no agent is started.
const REFUSALS = [
  {
    content: 'login',
    type: OpenAI.InternalServerError,
    status: 503,
    code: 'cursor_not_logged_in',
    says: /agent login/,
  },
  {
    content: 'quota',
    type: OpenAI.RateLimitError,
    status: 429,
    code: 'insufficient_quota',
    says: /usage limit|used up/,
  },
]
test.each(REFUSALS)(
  '$content: its typed error with status $status',
  { timeout: 60_000 },
  async (row) => {
    const service = await startService({ script: SCRIPT })
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'unused', maxRetries: 0 })
    const asked = client.chat.completions.create({
      model: 'auto',
      messages: [{ role: 'user', content: row.content }],
    })
    await expect(asked).rejects.toThrow(row.type)
    await expect(asked).rejects.toMatchObject({ status: row.status, code: row.code })
    await expect(asked).rejects.toThrow(row.says)
    await service.stop()
  },
)
