// Field cases F06, F13, F14, F15, F22, F24, F29: the shape of streams, and strange tools and events in them.
import Anthropic from '@anthropic-ai/sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { objectAt, stringAt } from '../../src/lib/json.ts'
import { dataOf } from '../contract/reassemble.ts'
import { ask, type Heard, NORMAL_END, unique, WAYS } from '../support/ask.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { delta, OK, readTool, run, type Step } from '../support/steps.ts'

const line = (record: Step): Step => ({ line: record })
const UUID = '8c8fbeac-9a26-403e-b0ba-ecdd48932755'
const WILD_ID = `call-${UUID}-0\nfc_${UUID}_0`

const [start1, end1] = readTool('c1')
const [start2, end2] = readTool('c2', 'b')
const ALTERNATING = [
  { thinking: 'a' },
  { thinking: 'b' },
  { thinkingEnd: true },
  delta('c'),
  { recap: 'm1' },
  start1,
  end1,
  { thinking: 'd' },
  delta('e'),
  { recap: 'm2' },
  start2,
  { thinking: 'f' },
  { thinkingEnd: true },
  end2,
  delta('g'),
  OK,
]

const toolCall = (subtype: string, body: unknown, id = 'x1'): Step =>
  line({ type: 'tool_call', subtype, call_id: id, tool_call: body })
const STRANGE_PRINTED: readonly Step[] = [
  line({ type: 'telemetry', text: 'no answer' }),
  line({ text: 'no answer' }),
  line({ type: 7 }),
  line({ type: 'assistant' }),
  line({ type: 'assistant', message: 'no answer' }),
  line({ type: 'assistant', message: { content: [{ type: 'image', data: 'no answer' }] } }),
  line({ type: 'thinking', subtype: 'summary', text: 'no answer' }),
  line({ type: 'system', subtype: 'budget', text: 'no answer' }),
  line({ type: 'connection', subtype: 'odd' }),
  toolCall('progress', { readToolCall: { args: { path: 'a' } } }),
  toolCall('started', {}),
  toolCall('started', { readToolCall: null }),
  toolCall('completed', {}),
  line({ type: 'tool_call', subtype: 'started' }),
  toolCall('started', { teleportToolCall: { args: { to: 'the moon' } } }, 'x2'),
  toolCall('completed', { teleportToolCall: { args: {}, result: { beamed: {} } } }, 'x2'),
  { raw: 'no answer\n\n{"type":"assistant","mess\n[1,2]\n"no answer"\nnull\n' },
]

const update = (fields: object): Step => ({ update: fields })
const STRANGE_UPDATES: readonly Step[] = [
  update({ sessionUpdate: 'telemetry', text: 'no answer' }),
  update({ text: 'no answer' }),
  update({ sessionUpdate: 7 }),
  update({ sessionUpdate: 'agent_message_chunk' }),
  update({ sessionUpdate: 'agent_message_chunk', content: { type: 'image', data: 'no answer' } }),
  update({ sessionUpdate: 'tool_call' }),
  update({ sessionUpdate: 'tool_call', toolCallId: 'x2', title: 'Teleport', kind: 'teleport' }),
  update({ sessionUpdate: 'tool_call_update', toolCallId: 'x2', status: 'completed' }),
  { notify: { method: 'cursor/telemetry', params: { text: 'no answer' } } },
  { raw: 'no answer\n\n{"jsonrpc":"2.0","mess\n[1,2]\n"no answer"\nnull\n' },
]
const STRANGE = OVER_ACP ? STRANGE_UPDATES : STRANGE_PRINTED
/** ACP has few kinds of tools, and shows any other as one. */
const COUNTED = ['type', 'subtype', 'tool-without-kind', 'not-json']
const UNKNOWN = OVER_ACP ? COUNTED : [...COUNTED, 'tool-kind']

const kindsOf = (heard: Heard): string[] =>
  heard.frames.flatMap((frame) => {
    const data = dataOf(frame)
    const block = objectAt(data, 'content_block')
    const part = block ?? objectAt(data, 'delta') ?? {}
    const kind = stringAt(part, 'type')
    return [`${frame.event}${kind === undefined ? '' : ` ${kind}`}`]
  })

describe('shapes', { timeout: 60_000 }, () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      script: {
        runs: [
          run('think', { thinking: 'a' }, { thinking: 'b' }, delta('c'), OK),
          run('alternating', ...ALTERNATING),
          run('wild ids', ...readTool(WILD_ID), delta('x'), ...readTool(`${WILD_ID}é`), OK),
          run('strange', ...STRANGE, delta('a'), ...STRANGE, delta('b'), ...STRANGE, OK),
          run('no name', toolCall('started', {}), toolCall('completed', {}), delta('a'), OK),
          run('no args', toolCall('started', { readToolCall: {} }), delta('a'), OK),
          run('empty', line({ type: 'tool_call' }), { result: 'a' }),
        ],
      },
    })
  })
  afterAll(() => service.stop())

  const messages = { api: 'messages', stream: true } as const

  test('F06: thinking, its signature, its end, then the text', async () => {
    const heard = await ask(service, messages, unique('think'))
    expect(kindsOf(heard)).toEqual([
      'message_start',
      'content_block_start thinking',
      'content_block_delta thinking_delta',
      'content_block_delta thinking_delta',
      'content_block_delta signature_delta',
      'content_block_stop',
      'content_block_start text',
      'content_block_delta text_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ])
    expect(heard).toMatchObject({ thinking: 'ab', text: 'c' })
  })

  test('F06: thinking in every other form', async () => {
    const all = await Promise.all(WAYS.map((way) => ask(service, way, unique('think'))))
    expect(all.map(({ thinking, text }) => [thinking, text])).toEqual(WAYS.map(() => ['ab', 'c']))
  })

  test('F13: each frame is an event line that names its type, one data line, a blank line', async () => {
    const heard = await ask(service, messages, unique('alternating'))
    expect(heard.headers.get('content-type')).toMatch(/^text\/event-stream/)
    // The shape of the lines is checked where they are read; this is the rest of the rule.
    expect(heard.frames.map((frame) => frame.event)).toEqual(
      heard.frames.map((frame) => dataOf(frame).type),
    )
    const chat = await ask(service, { api: 'chat', stream: true }, unique('alternating'))
    expect(chat.frames.every(({ event }) => event === undefined)).toBe(true)
    expect(chat.frames.filter(({ data }) => data === '[DONE]')).toHaveLength(1)
  })

  test('F13: the official client sees every event', async () => {
    const heard = await ask(service, messages, unique('alternating'))
    const client = new Anthropic({ baseURL: service.url, apiKey: 'unused', maxRetries: 0 })
    const content = unique('alternating')
    const seen: string[] = []
    const stream = await client.messages.create({
      model: 'auto',
      max_tokens: 1000,
      stream: true,
      messages: [{ role: 'user', content }],
    })
    for await (const event of stream) seen.push(event.type)
    expect(seen).toEqual(heard.frames.flatMap(({ event }) => (event === 'ping' ? [] : [event])))
  })

  test.each(WAYS)(
    'F14, F15: thinking, tools and text by turns ($api, stream $stream)',
    async (way) => {
      // One open block at a time, growing indexes, empty starts and fitting deltas: checked where the stream is joined.
      const heard = await ask(service, way, unique('alternating'))
      expect(heard.text).toBe('ceg')
      expect(heard.finish).toBe(NORMAL_END[way.api])
      if (way.api !== 'chat') expect(heard.thinking).toBe('abdf')
      else
        expect(heard.thinking).toMatch(/^ab\n\[Read a: success.*\]\ndf\n\[Read b: success.*\]\n$/)
    },
  )

  test.each(WAYS)('F22: call ids with a line end inside ($api, stream $stream)', async (way) => {
    const heard = await ask(service, way, unique('wild ids'))
    expect(heard.text).toBe('x')
    expect(heard.raw).not.toMatch(/fc_[0-9a-f-]+_0é?"/)
    for (const id of heard.callIds) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
  })

  test.each(WAYS)('F24: unknown things are no answer ($api, stream $stream)', async (way) => {
    const before = await unknownEvents(service)
    const heard = await ask(service, way, unique('strange'))
    expect(heard.text).toBe('ab')
    expect(heard.finish).toBe(NORMAL_END[way.api])
    expect(heard.raw).not.toContain('no answer')
    const after = await unknownEvents(service)
    for (const kind of UNKNOWN) {
      expect(after[kind], kind).toBeGreaterThan(before[kind] ?? 0)
    }
  })

  test.each(['no name', 'no args', 'empty'])(
    'F29: a tool event with %s ends normally',
    async (name) => {
      const all = await Promise.all(WAYS.map((way) => ask(service, way, unique(name))))
      for (const [index, heard] of all.entries()) {
        const way = WAYS[index]
        expect(heard.text).toBe('a')
        expect(heard.finish).toBe(way && NORMAL_END[way.api])
        expect(heard.raw).not.toMatch(/"type":"tool_use"|"tool_calls":\[|"type":"function_call/)
      }
    },
  )
})

async function unknownEvents(service: Service): Promise<Record<string, number>> {
  const series = (await service.metrics()).matchAll(
    /^cursor_adapter_unknown_events_total\{kind="([^"]+)"\} (\d+)$/gm,
  )
  return Object.fromEntries([...series].map(([, kind, count]) => [kind, Number(count)]))
}
