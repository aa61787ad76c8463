// Token limits, stop sequences and answers that must be JSON, through the running service, on every API.
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isObject } from '../../src/lib/json.ts'
import { agents } from '../support/agents.ts'
import { type Api, ask, type Heard, NORMAL_END, unique, WAYS, type Way } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { delta, OK, readTool, run } from '../support/steps.ts'
import { Talk } from '../support/talk.ts'
import { isAlive, until } from '../support/until.ts'

const GOOD = '{"age": 7}'
const RUNS = [
  { match: 'after the cut', steps: [{ init: true }, delta('fine'), OK] },
  run('talk', delta('one two '), delta('three E'), delta('N'), delta('D four '), { hang: true }),
  run('short', delta('one two'), OK),
  run(
    'work',
    ...readTool('c1'),
    delta('one two three four five'),
    { sleep: 300 },
    delta(' six'),
    OK,
  ),
  {
    match: 'meant to be one JSON object[\\s\\S]*hopeless',
    steps: [{ init: true }, delta('No.'), OK],
  },
  { match: 'meant to be one JSON object', steps: [{ init: true }, delta(GOOD), OK] },
  { match: 'json #', steps: [{ init: true }, delta(GOOD), OK] },
  { match: 'fence #', steps: [{ init: true }, delta('Sure:\n```json\n{"age": 7}\n```\n'), OK] },
  { match: 'wrong #', steps: [{ init: true }, delta('I am seven.'), OK] },
  { match: 'hopeless #', steps: [{ init: true }, delta('I am hopeless.'), OK] },
]

const CUT = { chat: 'length', messages: 'max_tokens', responses: 'incomplete' } as const

let service: Service
beforeAll(async () => {
  service = await startService({ script: { runs: RUNS } })
})
afterAll(() => service.stop())

/** The agents that got a prompt with this text have ended. */
async function ended(mark: string): Promise<void> {
  const facts = service.journal().filter(({ prompt }) => String(prompt).includes(mark))
  expect(facts.length).toBeGreaterThan(0)
  const known = new Set(agents(service).map(({ pid }) => pid))
  const pids = facts.map(({ pid }) => Number(pid)).filter((pid) => known.has(pid))
  await until('the agent to be gone', within(4000), () => !pids.some(isAlive))
}

describe.concurrent('a token limit', { timeout: 60_000 }, () => {
  test.each(WAYS)('ends the reply, and the agent at once ($api, stream $stream)', async (way) => {
    const mark = unique('talk')
    const heard = await ask(service, way, mark, {
      max_tokens: 2,
      stream_options: { include_usage: true },
    })
    expect(heard.error).toBeUndefined()
    expect(heard.text.trim()).toBe('one two')
    expect(heard.finish).toBe(CUT[way.api])
    expect(outputTokens(way, heard)).toBeLessThanOrEqual(2)
    await ended(mark)
  })

  test.each(WAYS)('that is not reached changes nothing ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('short'), { max_tokens: 50 })
    expect([heard.text, heard.finish]).toEqual(['one two', NORMAL_END[way.api]])
  })

  test.each(WAYS)(
    'lets work that has begun come to its end ($api, stream $stream)',
    async (way) => {
      const mark = unique('work')
      const heard = await ask(service, way, mark, { max_tokens: 2 })
      expect([heard.text, heard.finish]).toEqual(['one two', CUT[way.api]])
      const { pid } = service.journal().find(({ prompt }) => prompt === mark) ?? {}
      await until('the agent to have ended by itself', within(4000), () =>
        service
          .journal()
          .some((fact) => fact.event === 'exit' && fact.pid === pid && fact.code === 0),
      )
    },
  )

  test.each(['talk', 'work'])(
    'leaves no session to go on in: the next turn is told everything (%s)',
    async (name) => {
      const body = { max_tokens: 2 }
      const talk = new Talk(service, { id: unique('conversation'), body })
      await talk.sayAndSettle(unique(name))
      talk.body = {}
      const next = unique('after the cut')
      const heard = await talk.say(next)
      expect([heard.text, ['warm', 'cold'].includes(heard.start)]).toEqual(['fine', true])
      const prompt = service.prompts().find((text) => text.includes(next)) ?? ''
      expect(prompt).toContain('\none two')
    },
  )

  test('of one token is a probe', async () => {
    const way = { api: 'messages', stream: false } as const
    const heard = await ask(service, way, unique('talk'), { max_tokens: 1 })
    expect([heard.text, heard.finish]).toEqual(['one', 'max_tokens'])
  })
})

describe.concurrent('a stop sequence', { timeout: 60_000 }, () => {
  const STOPS: readonly [Api, object, string][] = [
    ['chat', { stop: ['XX', 'END'] }, 'stop'],
    ['messages', { stop_sequences: ['XX', 'END'] }, 'stop_sequence'],
  ]
  const rows = STOPS.flatMap(([api, more, finish]) =>
    [true, false].map((stream) => ({ api, stream, more, finish })),
  )
  test.each(rows)('across fragments ends the reply ($api, stream $stream)', async (row) => {
    const mark = unique('talk')
    const heard = await ask(service, row, mark, row.more)
    expect([heard.text, heard.finish]).toEqual(['one two three ', row.finish])
    if (row.api === 'messages') expect(heard.reply.stop_sequence).toBe('END')
    await ended(mark)
  })
})

describe('an answer that must be JSON', { timeout: 60_000 }, () => {
  const schema = {
    type: 'object',
    properties: { age: { type: 'integer' } },
    required: ['age'],
    additionalProperties: false,
  }
  const FORMATS: Readonly<Record<Api, object>> = {
    chat: { response_format: { type: 'json_schema', json_schema: { name: 'person', schema } } },
    responses: { text: { format: { type: 'json_schema', name: 'person', schema } } },
    messages: { output_config: { format: { type: 'json_schema', schema } } },
  }

  test.concurrent.each(WAYS)(
    'is asked for, checked and passed on ($api, stream $stream)',
    async (way) => {
      for (const name of ['json', 'fence']) {
        const mark = unique(name)
        const heard = await ask(service, way, mark, FORMATS[way.api])
        expect([heard.text, heard.finish]).toEqual([GOOD, NORMAL_END[way.api]])
        const prompts = service.prompts().filter((prompt) => prompt.includes(mark))
        expect(prompts).toEqual([expect.stringContaining(JSON.stringify(schema))])
      }
    },
  )

  test.each(WAYS)('is asked for once more, read-only ($api, stream $stream)', async (way) => {
    const before = service.prompts().length
    const mark = unique('wrong')
    const heard = await ask(service, way, mark, FORMATS[way.api])
    expect([heard.text, heard.finish]).toEqual([GOOD, NORMAL_END[way.api]])
    const [first = '', second = '', ...more] = service.prompts().slice(before)
    expect(more).toEqual([])
    expect(first).toContain(mark)
    expect(second).toContain('I am seven.')
    expect(second).not.toContain(mark)
    const last = agents(service).find(({ pid }) =>
      service.journal().some((fact) => fact.prompt === second && fact.pid === pid),
    )
    expect(last?.argv.join(' ')).toContain('--mode ask')
  })

  test.concurrent.each(WAYS)('that never comes is an error ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('hopeless'), FORMATS[way.api])
    expect(heard.status).toBe(500)
    expect(heard.text).toBe('')
    expect(String(heard.error?.message)).toMatch(/not in the form that was asked for.*not JSON/)
  })

  test('is parsed by the official SDK', async () => {
    const client = new OpenAI({ baseURL: `${service.url}/v1`, apiKey: 'unused', maxRetries: 0 })
    const format = { type: 'json_schema', name: 'person', strict: true, schema } as const
    const response = await client.responses
      .stream({ model: 'auto', input: unique('fence'), text: { format } })
      .finalResponse()
    expect(JSON.parse(response.output_text)).toEqual({ age: 7 })
  })
})

function outputTokens({ api }: Way, { reply }: Heard): number {
  const usage = isObject(reply.usage) ? reply.usage : {}
  return Number(api === 'chat' ? usage.completion_tokens : usage.output_tokens)
}
