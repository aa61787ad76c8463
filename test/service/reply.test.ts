// A reply shared by several readers. The Run behind it is a scripted one: Run is the border this room is given.
import { expect, test } from 'vitest'
import type { AgentEvent, Batch } from '../../src/core/events.ts'
import { runId } from '../../src/core/ids.ts'
import type { Run } from '../../src/core/run.ts'
import { silentTelemetry } from '../../src/core/telemetry.ts'
import { createMeter } from '../../src/service/meter.ts'
import { type Reader, Reply } from '../../src/service/reply.ts'
import { createReplyStore } from '../../src/service/reply-store.ts'

const text = (value: string): AgentEvent => ({ type: 'text-delta', text: value })
const FINISH: AgentEvent = { type: 'finish', reason: 'stop', cursorUsage: undefined }
const CANCELLED: AgentEvent = { type: 'failure', code: 'cancelled', message: 'cancelled' }

function scriptedRun(events: readonly AgentEvent[]): Run & { readonly pulls: () => number } {
  let at = 0
  let cancelled = false
  return {
    id: runId('run'),
    backend: 'print',
    async next(): Promise<Batch | undefined> {
      const event = cancelled ? CANCELLED : events[at]
      at += 1
      return event === undefined ? undefined : { events: [event], readAtMs: 0 }
    },
    cancel() {
      cancelled = true
    },
    marks: () => ({
      queueMs: 0,
      launchMs: 0,
      dispatchMs: 0,
      agentMs: 0,
      start: 'warm',
    }),
    settled: Promise.resolve(),
    pulls: () => at,
  }
}

const LIMITS = { maxBytes: 1000, maxReplies: 10, windowMs: 60_000 }

function shared(events: readonly AgentEvent[], limits = LIMITS) {
  const store = createReplyStore(limits)
  const run = scriptedRun(events)
  const ended: string[] = []
  const inputTokens = Promise.resolve(3)
  const reply = new Reply({
    run,
    meter: createMeter({ telemetry: silentTelemetry, usageSetting: 'prompt', inputTokens }),
    budget: store.budget,
    mode: 'agent',
    backend: 'print',
    model: 'auto',
    inputTokens,
    onEnd: (_reply, terminal) => ended.push(terminal.type),
  })
  return { store, run, reply, ended }
}

async function readAll(reader: Reader): Promise<string> {
  let all = ''
  for (let batch = await reader.next(); batch !== undefined; batch = await reader.next()) {
    for (const event of batch.events) if (event.type === 'text-delta') all += event.text
  }
  return all
}

test('two readers get the whole reply from one run, whoever pulls first', async () => {
  const { run, reply, ended } = shared([text('a'), text('b'), text('c'), FINISH])
  const first = reply.read()
  await first.next()
  const second = reply.read()
  const [one, two] = await Promise.all([readAll(first), readAll(second)])
  expect(`a${one}`).toBe('abc')
  expect(two).toBe('abc')
  expect(run.pulls()).toBe(4)
  expect(ended).toEqual(['finish'])
})

test('the finish event carries our usage', async () => {
  const { reply } = shared([text('hello there'), FINISH])
  const reader = reply.read()
  await reader.next()
  const last = (await reader.next())?.events.at(-1)
  expect(last).toMatchObject({ type: 'finish', usage: { input: 3, cacheRead: 0 } })
  expect(last?.type === 'finish' && last.usage !== undefined && last.usage.output > 0).toBe(true)
})

test('a finished reply can be read again from its start', async () => {
  const { reply } = shared([text('once'), FINISH])
  expect(await readAll(reply.read())).toBe('once')
  expect(reply.state()).toEqual({ at: 'finished', delivered: false, kept: true })
  expect(await readAll(reply.read())).toBe('once')
})

test('beyond the budget the reply streams through and is not kept', async () => {
  const long = 'x'.repeat(400)
  const { reply } = shared([text(long), text(long), text(long), text(long), FINISH])
  expect(await readAll(reply.read())).toHaveLength(1600)
  expect(reply.state()).toEqual({ at: 'finished', delivered: false, kept: false })
})

test('a delivered reply gives its memory back and is forgotten', async () => {
  const { store, reply } = shared([text('x'.repeat(700)), FINISH])
  store.put('p', reply)
  const reader = reply.read()
  await readAll(reader)
  expect(store.budget.take(700)).toBe(false)
  reply.release(reader, true)
  store.settle('p', reply)
  expect(store.find('p')).toBeUndefined()
  expect(store.budget.take(1000)).toBe(true)
})

test('a failure after work is remembered, one before work is not', async () => {
  for (const worked of [true, false]) {
    const events = worked ? [text('half'), CANCELLED] : [CANCELLED]
    const { store, reply } = shared(events)
    store.put('p', reply)
    const reader = reply.read()
    await readAll(reader)
    reply.release(reader, true)
    store.settle('p', reply)
    expect(store.find('p') !== undefined).toBe(worked)
  }
})

test('a cancelled reply is drained to its end, so that it is counted', async () => {
  const { reply, ended } = shared([text('a'), text('b'), FINISH])
  const reader = reply.read()
  await reader.next()
  reply.release(reader, false)
  reply.cancel('client-gone')
  await reply.drain()
  expect(ended).toEqual(['failure'])
  expect(reply.state()).toEqual({ at: 'cancelled' })
})
