// The official Anthropic client against the running service.
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

const SCRIPT = {
  runs: [
    {
      match: 'think',
      steps: [
        { init: true },
        { thinking: 'a' },
        { thinking: 'b' },
        { thinkingEnd: true },
        { delta: 'c' },
        { result: true },
      ],
    },
    { match: 'hang', steps: [{ init: true }, { delta: 'a' }, { hang: true }] },
    { match: 'quota', steps: [{ stderr: "Error: You've hit your usage limit\n" }, { exit: 1 }] },
    { match: 'crash', steps: [{ init: true }, { delta: 'half' }, { exit: 1 }] },
    {
      steps: [
        { init: true },
        { delta: 'Hel' },
        { delta: 'lo 中文 😀' },
        { recap: true },
        { result: true },
      ],
    },
  ],
}

describe('the official anthropic client', { timeout: 60_000 }, () => {
  let service: Service
  let client: Anthropic
  beforeAll(async () => {
    service = await startService({ script: SCRIPT })
    client = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 })
  })
  afterAll(() => service.stop())

  const asked = (content: string, model = 'auto') => ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user' as const, content }],
  })

  test('gets a whole reply', async () => {
    const reply = await client.messages.create(asked('hello'))
    expect(reply.type).toBe('message')
    expect(reply.content).toEqual([
      expect.objectContaining({ type: 'text', text: 'Hello 中文 😀' }),
    ])
    expect(reply.stop_reason).toBe('end_turn')
    expect(reply.usage.input_tokens).toBeGreaterThan(0)
    expect(reply.usage.output_tokens).toBeGreaterThan(0)
  })

  test('streams the same message', async () => {
    const helper = client.messages.stream(asked('hello'))
    const kinds: string[] = []
    helper.on('streamEvent', (event) => kinds.push(event.type))
    const message = await helper.finalMessage()
    expect(message.content).toEqual([
      expect.objectContaining({ type: 'text', text: 'Hello 中文 😀' }),
    ])
    expect(kinds[0]).toBe('message_start')
    expect(kinds.at(-1)).toBe('message_stop')
  })

  test('thinking comes first, signed, in a block of its own', async () => {
    const message = await client.messages.stream(asked('think')).finalMessage()
    expect(message.content).toEqual([
      expect.objectContaining({
        type: 'thinking',
        thinking: 'ab',
        signature: expect.stringMatching(/./),
      }),
      expect.objectContaining({ type: 'text', text: 'c' }),
    ])
  })

  test('an abort stops the agent', async () => {
    const running = client.messages.stream(asked('hang'))
    running.on('text', () => {
      running.abort()
    })
    await expect(running.finalMessage()).rejects.toThrow(Anthropic.APIUserAbortError)
    await until('the run to be over', 10_000, async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 0
    })
  })

  test('lists models in its own shape', async () => {
    const ids: string[] = []
    for await (const model of client.models.list()) ids.push(model.id)
    expect(ids).toContain('auto')
    expect((await client.models.retrieve('auto')).type).toBe('model')
  })

  test('counts tokens without an agent', async () => {
    const before = service.prompts().length
    const count = await client.messages.countTokens({
      model: 'auto',
      messages: [{ role: 'user', content: 'hello there, how are you?' }],
    })
    expect(count.input_tokens).toBeGreaterThan(4)
    expect(service.prompts()).toHaveLength(before)
  })

  test('errors arrive as its typed classes', async () => {
    await expect(client.messages.create({ ...asked('x'), messages: [] })).rejects.toThrow(
      Anthropic.BadRequestError,
    )
    await expect(client.messages.create(asked('x', 'nonsense-9'))).rejects.toThrow(
      Anthropic.NotFoundError,
    )
  })

  test('a failure in the middle is thrown, never a normal end', async () => {
    const helper = client.messages.stream(asked('crash'))
    let text = ''
    const stops: unknown[] = []
    helper.on('text', (delta) => {
      text += delta
    })
    helper.on('streamEvent', (event) => {
      if (event.type === 'message_delta') stops.push(event.delta.stop_reason)
    })
    await expect(helper.finalMessage()).rejects.toThrow(Anthropic.APIError)
    expect(text).toBe('half')
    expect(stops).toEqual([])
  })
})

test('a plan that is used up is a rate limit error that is not worth a retry', {
  timeout: 60_000,
}, async () => {
  const service = await startService({ script: SCRIPT })
  const client = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 2 })
  const asked = client.messages.create({
    model: 'auto',
    max_tokens: 10,
    messages: [{ role: 'user', content: 'quota' }],
  })
  await expect(asked).rejects.toThrow(Anthropic.RateLimitError)
  expect(service.prompts()).toHaveLength(1)
  await service.stop()
})
