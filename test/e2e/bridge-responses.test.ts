// Mode bridge over the Responses API: calls are `function_call` items, results come back with or without the history.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { arrayAt, isObject, type JsonObject, stringAt } from '../../src/lib/json.ts'
import { unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { promptFacts } from '../support/talk.ts'

const read = (n: number) => ({ name: 'Read', arguments: { n } })
const SCRIPT = {
  runs: [
    {
      match: '=== (?:result of tool call|tool call)',
      steps: [{ init: true }, { delta: 'afresh' }, { result: true }],
    },
    {
      steps: [
        { init: true },
        { delta: 'Both. ' },
        { calls: [read(1), read(2)] },
        { delta: 'got $RESULT1 and $RESULT2' },
        { result: true },
      ],
    },
  ],
}
const TOOLS = [
  { type: 'function', name: 'Read', parameters: { type: 'object', properties: {} }, strict: false },
]

describe.each(['acp', 'print'])('on %s', (backend) => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ script: SCRIPT, settings: { backend } })
  }, within(30_000))
  afterAll(() => service.stop())

  async function ask(body: object): Promise<{ start: string | null; reply: JsonObject }> {
    const response = await service.post('/v1/responses', { model: 'auto', tools: TOOLS, ...body })
    const reply: unknown = await response.json()
    if (!isObject(reply)) throw new Error('no object')
    return { start: response.headers.get('x-cursor-adapter-start'), reply }
  }

  const itemsOf = (reply: JsonObject): readonly JsonObject[] =>
    (arrayAt(reply, 'output') ?? []).filter(isObject)
  const resultsOf = (reply: JsonObject): readonly JsonObject[] =>
    itemsOf(reply)
      .filter(({ type }) => type === 'function_call')
      .map((call) => ({
        type: 'function_call_output',
        call_id: call.call_id,
        output: `<${stringAt(call, 'arguments') ?? ''}>`,
      }))

  test.each([
    ['the whole history', false],
    ['the id of the response before', true],
  ])('results come back with %s', async (_name, byId) => {
    const mark = unique('responses')
    const input = [{ role: 'user', content: mark }]
    const { reply } = await ask({ input, store: byId })
    const results = resultsOf(reply)
    expect(results).toHaveLength(2)
    const second = byId
      ? { previous_response_id: reply.id, input: results, store: true }
      : { input: [...input, ...itemsOf(reply), ...results], store: false }
    const answered = await ask(second)
    expect(answered.start).toBe('resumed')
    expect(JSON.stringify(itemsOf(answered.reply))).toContain(
      JSON.stringify('got <{"n":1}> and <{"n":2}>'),
    )
    expect(promptFacts(service).filter(({ text }) => text.includes(mark))).toHaveLength(1)
  })
})
