// Mode bridge at its limits: clients that leave, runs that wait too long or too many at once, agents that die meanwhile.
import { afterEach, describe, expect, test } from 'vitest'
import { unique } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { type Service, type ServiceOptions, startService } from '../support/service.ts'
import { promptFacts, quiet } from '../support/talk.ts'
import { type Called, type Result, ToolTalk, type Turned } from '../support/tool-talk.ts'
import { until } from '../support/until.ts'

const STREAM = { api: 'messages', stream: true } as const
const read = (path: string) => ({ name: 'Read', arguments: { path } })
const ONE_CALL = [
  { init: true },
  { delta: 'Looking.' },
  { call: read('a') },
  { delta: 'it is $RESULT' },
  { result: true },
]
const AFRESH = {
  match: '=== (?:result of tool call|tool call)',
  steps: [{ init: true }, { delta: 'afresh' }, { result: true }],
}
const SCRIPT = { runs: [AFRESH, { steps: ONE_CALL }] }

const results = (calls: readonly Called[], text = 'text'): Result[] =>
  calls.map(({ id }) => ({ id, text }))

let service: Service | undefined
afterEach(async () => {
  await service?.stop()
  service = undefined
})

describe.each(['acp', 'print'])('on %s', (backend) => {
  async function start(options: ServiceOptions = {}): Promise<Service> {
    const settings = { backend, 'pool.warm': 0, ...options.settings }
    service = await startService({ script: SCRIPT, ...options, settings })
    return service
  }

  async function parked(
    of: Service,
    id = unique('chat'),
  ): Promise<{ talk: ToolTalk; asked: Turned }> {
    const talk = new ToolTalk(of, { way: STREAM, tools: ['Read', 'Agent'], id })
    const asked = await talk.say(id)
    expect(asked).toMatchObject({ finish: 'tool_use', error: undefined })
    return { talk, asked }
  }

  const count = (of: Service): Promise<number | undefined> =>
    of.metric('cursor_adapter_parked_calls')

  const untilParked = (of: Service, runs: number): Promise<void> =>
    until(`${runs} parked runs`, within(10_000), async () => (await count(of)) === runs)

  test('a parked run holds no slot: others run meanwhile, and it goes on', async () => {
    const of = await start({ settings: { concurrency: 1 } })
    const first = await parked(of)
    const second = await parked(of)
    expect(await of.metric('cursor_adapter_runs_active')).toBe(0)
    expect(await of.metric('cursor_adapter_children{state="parked"}')).toBe(2)
    expect((await second.talk.answer(results(second.asked.calls, 'two'))).text).toBe('it is two')
    expect((await first.talk.answer(results(first.asked.calls, 'one'))).text).toBe('it is one')
  })

  test('one more than may be parked evicts the longest-parked; its client notices nothing but time', async () => {
    const of = await start({ settings: { 'bridge.max_parked': 1, concurrency: 2 } })
    const first = await parked(of)
    const second = await parked(of)
    await untilParked(of, 1)
    const late = await first.talk.answer(results(first.asked.calls))
    expect({ text: late.text, start: late.start }).not.toMatchObject({ start: 'resumed' })
    expect(late.text).toBe('afresh')
    expect((await second.talk.answer(results(second.asked.calls))).text).toBe('it is text')
  })

  test('a run that its client forgets is ended', async () => {
    const of = await start({ settings: { 'bridge.parked_timeout': 1 } })
    const { talk, asked } = await parked(of)
    await untilParked(of, 0)
    await quiet(of)
    expect((await talk.answer(results(asked.calls))).text).toBe('afresh')
  })

  test('the time limit counts each exchange by itself', async () => {
    const seconds = wholeSeconds(2)
    const of = await start({ settings: { timeout: seconds, stall_timeout: seconds } })
    const { talk, asked } = await parked(of)
    const fromMs = performance.now()
    const passed = (): boolean => performance.now() - fromMs > seconds * 1_500
    await until('longer than the time limit', seconds * 3_000, passed)
    const answered = await talk.answer(results(asked.calls))
    expect(answered).toMatchObject({ text: 'it is text', start: 'resumed' })
  })

  test('results that get no slot in time fail as any request does that waited too long', async () => {
    const plain = { match: 'plain', steps: [{ init: true }, { delta: 'x' }, { hang: true }] }
    const of = await start({
      script: { runs: [plain, ...SCRIPT.runs] },
      settings: { concurrency: 1, queue_timeout: 1 },
    })
    const { talk, asked } = await parked(of)
    const leaving = new AbortController()
    const busy = new ToolTalk(of, { way: STREAM, tools: [], id: unique('plain') })
    const hanging = busy.say('plain', leaving.signal).catch(() => undefined)
    await until('the other to run', within(10_000), () => promptFacts(of).length === 2)
    const late = await talk.answer(results(asked.calls))
    expect(late.raw).toContain('queue_timeout')
    leaving.abort()
    await hanging
  })

  test('an agent that dies while it waits costs only a replay', async () => {
    const of = await start()
    const { talk, asked } = await parked(of)
    const [{ pid } = { pid: 0 }] = promptFacts(of)
    process.kill(pid, 'SIGKILL')
    await untilParked(of, 0)
    expect((await talk.answer(results(asked.calls))).text).toBe('afresh')
  })

  test('a call that Cursor gave up while it waited: the result begins afresh', async () => {
    const gaveUp = { call: { ...read('a'), cancelMs: 300 } }
    const of = await start({
      script: { runs: [AFRESH, { steps: [{ init: true }, gaveUp, { hang: true }] }] },
    })
    const { talk, asked } = await parked(of)
    await untilParked(of, 0)
    expect((await talk.answer(results(asked.calls))).text).toBe('afresh')
  })

  test('a client that leaves before it has its calls: everything is gone within two seconds', async () => {
    const of = await start({
      script: { runs: [AFRESH, { steps: [{ init: true }, { delta: 'Hm.' }, { hang: true }] }] },
    })
    const talk = new ToolTalk(of, { way: STREAM, tools: ['Read'], id: unique('leaves') })
    const leaving = new AbortController()
    const said = talk.say('hello', leaving.signal).catch(() => undefined)
    await until('the prompt', within(10_000), () => promptFacts(of).length === 1)
    leaving.abort()
    await said
    await until('the run to be gone', within(2_500), async () => {
      return (await of.metric('cursor_adapter_runs_active')) === 0
    })
  })

  test('a client that leaves and never sees its calls leaves no run waiting', async () => {
    const of = await start({
      script: {
        runs: [{ steps: [{ init: true }, { delta: 'Hm.' }, { sleep: 300 }, { call: read('a') }] }],
      },
      settings: { 'bridge.group_ms': 0 },
    })
    const talk = new ToolTalk(of, { way: STREAM, tools: ['Read'], id: unique('leaves') })
    const leaving = new AbortController()
    const said = talk.say('hello', leaving.signal).catch(() => undefined)
    await until('the prompt', within(10_000), () => promptFacts(of).length === 1)
    leaving.abort()
    await said
    await until('nothing to be active', within(3_000), async () => {
      return (await of.metric('cursor_adapter_runs_active')) === 0
    })
    await untilParked(of, 0)
  })

  test('a client that lost the reply with its calls asks again and gets the same ones, for the same run', async () => {
    const of = await start()
    const id = unique('lost')
    const talk = new ToolTalk(of, { way: { api: 'messages', stream: false }, tools: ['Read'], id })
    const leaving = new AbortController()
    const lost = talk.say(id, leaving.signal).catch(() => undefined)
    await until('the prompt', within(10_000), () => promptFacts(of).length === 1)
    leaving.abort()
    await lost
    const asked = await talk.again()
    expect(asked.finish).toBe('tool_use')
    expect((await talk.answer(results(asked.calls))).text).toBe('it is text')
    expect(promptFacts(of)).toHaveLength(1)
  })

  test('the service may stop while runs wait', async () => {
    const of = await start()
    await parked(of)
    await parked(of)
    await untilParked(of, 2)
  })

  test(
    'a main turn and six sub-agents at the default settings never wait on each other for ever',
    async () => {
      const main = {
        match: 'main turn',
        steps: [
          { init: true },
          {
            calls: ['1', '2', '3', '4', '5', '6'].map((n) => ({ name: 'Agent', arguments: { n } })),
          },
          { delta: 'all: $RESULT1 $RESULT6' },
          { result: true },
        ],
      }
      const of = await start({ script: { runs: [main, ...SCRIPT.runs] } })
      const id = unique('main turn')
      const talk = new ToolTalk(of, { way: STREAM, tools: ['Read', 'Agent'], id })
      const asked = await talk.say(id)
      expect(asked.calls).toHaveLength(6)
      const texts = await Promise.all(
        asked.calls.map(async (call) => {
          const sub = await parked(of, `${id} sub ${String(call.input.n)}`)
          const done = await sub.talk.answer(results(sub.asked.calls, String(call.input.n)))
          return { id: call.id, text: done.text }
        }),
      )
      const done = await talk.answer(texts)
      expect(done).toMatchObject({ error: undefined, calls: [] })
      expect(done.text).toMatch(/^(?:all: |afresh)/)
    },
    within(30_000),
  )
})
