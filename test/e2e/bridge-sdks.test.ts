// The official clients' own tool loops in mode bridge: their helpers call the tool and send its result.
import Anthropic from '@anthropic-ai/sdk'
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject, parseJson, stringAt } from '../../src/lib/json.ts'
import { unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'

const weather = (city: string) => ({ name: 'weather', arguments: { city } })
const SCRIPT = {
  runs: [
    {
      steps: [
        { init: true },
        { delta: 'Looking. ' },
        { calls: [weather('Oslo'), weather('Rome')] },
        { delta: 'Oslo $RESULT1, Rome $RESULT2' },
        { result: true },
      ],
    },
  ],
}
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
} as const
const DEGREES: Readonly<Record<string, string>> = { Oslo: '-3', Rome: '18' }

function cityOf(text: string): string {
  const parsed = parseJson(text)
  return (isObject(parsed) && stringAt(parsed, 'city')) || ''
}

describe.each(['acp', 'print'])('on %s', { timeout: within(60_000) }, (backend) => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: SCRIPT, settings: { backend } })
  }, within(30_000))
  afterAll(() => service.stop())

  const promptsOf = (mark: string): number =>
    promptFacts(service).filter(({ text }) => text.includes(mark)).length

  test.each([true, false])("Anthropic's tool runner, streamed: %s", async (stream) => {
    const client = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 })
    const mark = unique('weather')
    const asked: string[] = []
    const tool = betaTool({
      name: 'weather',
      description: 'Degrees in a city',
      inputSchema: SCHEMA,
      run: ({ city }) => {
        asked.push(city)
        return DEGREES[city] ?? '?'
      },
    })
    const runner = client.beta.messages.toolRunner({
      model: 'auto',
      max_tokens: 1000,
      messages: [{ role: 'user', content: mark }],
      tools: [tool],
      stream,
    })
    const last = await runner.runUntilDone()
    expect(last.content).toMatchObject([{ type: 'text', text: 'Oslo -3, Rome 18' }])
    expect(last.stop_reason).toBe('end_turn')
    expect(asked).toEqual(['Oslo', 'Rome'])
    expect(promptsOf(mark)).toBe(1)
  })

  test.each([true, false])("OpenAI's runTools, streamed: %s", async (stream) => {
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'unused', maxRetries: 0 })
    const mark = unique('weather')
    const asked: string[] = []
    const body = {
      model: 'auto',
      messages: [{ role: 'user' as const, content: mark }],
      tools: [
        {
          type: 'function' as const,
          function: {
            name: 'weather',
            description: 'Degrees in a city',
            parameters: { ...SCHEMA, required: ['city'] },
            function: (text: string) => {
              const city = cityOf(text)
              asked.push(city)
              return DEGREES[city] ?? '?'
            },
          },
        },
      ],
    }
    const { completions } = client.chat
    const runner = stream
      ? completions.runTools({ ...body, stream: true })
      : completions.runTools(body)
    expect(await runner.finalContent()).toBe('Oslo -3, Rome 18')
    expect(asked).toEqual(['Oslo', 'Rome'])
    expect(promptsOf(mark)).toBe(1)
  })
})
