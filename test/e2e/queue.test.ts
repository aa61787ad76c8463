// Field cases F49, F50, F51, F53: more requests than slots.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { isObject, numberAt, objectAt } from '../../src/lib/json.ts'
import { agentOf, agentsOf, allGone, prompted } from '../support/agents.ts'
import { APIS, ask, errorType, type Heard, send, unique, WAYS, type Way } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { logged, total } from '../support/series.ts'
import {
  OVER_ACP,
  ROOT,
  type Service,
  type ServiceOptions,
  startService,
} from '../support/service.ts'
import { OK, run, delta as say } from '../support/steps.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const running: Service[] = []
afterEach(async () => {
  for (const service of running.splice(0)) await service.stop()
})

async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService(options)
  running.push(service)
  return service
}

const QUEUE_S = wholeSeconds(2)
const TIMEOUT_S = wholeSeconds(3)
const STREAM = { api: 'chat', stream: true } as const
const WHOLE = { api: 'messages', stream: false } as const
const depth = (service: Service) => total(service, 'queue_depth')
const waitingAre = (service: Service, count: number) =>
  until(`${count} waiting`, within(5000), async () => (await depth(service)) === count)

test('F49: what is too much is refused at once in the shape of its API, the rest is served in order', {
  retry: 2,
}, async () => {
  const service = await start({
    script: { runs: [run('turn', say('a'), { sleep: within(400) }, OK)] },
    settings: { concurrency: 1, max_waiting: 2, 'pool.warm': 0 },
  })
  for (const api of APIS) {
    const served: string[] = []
    const refused: Heard[] = []
    const five = [true, false, true, false, true].map(async (stream) => {
      const question = unique('turn')
      const heard = await ask(service, { api, stream }, question)
      if (heard.status === 200) served.push(question)
      else refused.push(heard)
    })
    await Promise.all(five)
    expect([served.length, refused.length]).toEqual([3, 2])
    for (const heard of refused) {
      expect(heard.status).toBe(api === 'messages' ? 529 : 429)
      expect(errorType(api, heard)).toBe(
        api === 'messages' ? 'overloaded_error' : 'rate_limit_error',
      )
      expect(String(heard.error?.message)).toMatch(/1 requests? (is|are) running and 2 are waiting/)
      const seconds = Number(heard.headers.get('retry-after'))
      expect(seconds >= 1 && seconds <= 30).toBe(true)
      expect(heard.headers.get('x-should-retry')).toBeNull()
    }
    expect(service.prompts().slice(-3)).toEqual(served)
    // A slot is free when its agent is gone, which is a moment after the answer.
    await until(
      'the slot to be free',
      within(3000),
      async () => !(await total(service, 'runs_active')),
    )
  }
  const refused = () => logged(service, 'exchange').filter(({ status }) => status !== 200)
  await until('the log of all refusals', within(3000), () => refused().length >= 2 * APIS.length)
  const refusals = refused()
  expect(refusals).toHaveLength(2 * APIS.length)
  for (const line of refusals) expect(numberAt(line, 'totalMs')).toBeLessThan(within(100))
  expect(service.prompts()).toHaveLength(3 * APIS.length)
  expect(await total(service, 'runs_total', { outcome: 'refused' })).toBe(2 * APIS.length)
})

test('F50: a wait can be seen, shows signs of life, and ends with an error that names the queue', async () => {
  const service = await start({
    script: {
      runs: [run('first', say('a'), { waitFile: 'go' }, OK), run('second', say('b'), OK)],
    },
    settings: { concurrency: 1, queue_timeout: QUEUE_S, 'pool.warm': 0 },
    program: join(ROOT, 'dist/test/support/quick-service.js'),
    args: ['400'],
  })
  const first = unique('first')
  const served = ask(service, STREAM, first)
  const { cwd } = await prompted(service, first)
  const late = Promise.all(
    WAYS.map(async (way) => [way, await ask(service, way, unique('second'))] as const),
  )
  await waitingAre(service, WAYS.length)
  const longest = async (): Promise<number> => {
    const details: unknown = await (await fetch(`${service.url}/health/details`)).json()
    const pool = isObject(details) ? objectAt(details, 'pool') : undefined
    expect(pool && numberAt(pool, 'waiting')).toBe(WAYS.length)
    return (pool && numberAt(pool, 'longestWaitMs')) ?? Number.NaN
  }
  const before = await longest()
  expect(await longest()).toBeGreaterThan(before)
  for (const [way, heard] of await late) {
    expect(String(heard.error?.message)).toMatch(
      new RegExp(`waited ${QUEUE_S} s in the queue.*queue_timeout`),
    )
    expect(errorType(way.api, heard)).toBe(way.api === 'messages' ? 'api_error' : 'server_error')
    if (way.stream) {
      expect(heard.status).toBe(200)
      expect(heard.frames.length).toBeGreaterThan(3)
      expect(Math.max(...gaps(heard))).toBeLessThan(within(1500))
    } else {
      expect(heard.status).toBe(503)
      expect(Number(heard.headers.get('retry-after'))).toBeGreaterThan(0)
    }
  }
  expect(await depth(service)).toBe(0)
  writeFileSync(join(cwd, 'go'), '')
  expect((await served).text).toBe('a')
  expect(service.prompts()).toEqual([first])
})

/** Silences between the pieces of a reply, the one before the first included. */
function gaps({ pieces }: Heard): number[] {
  return pieces.map(({ atMs }, at) => atMs - (pieces[at - 1]?.atMs ?? 0))
}

test('F51: who leaves the queue is never started, the others keep their order', async () => {
  const service = await start({
    script: { runs: [run('one', say('a'), { waitFile: 'go' }, OK), run('next', say('b'), OK)] },
    settings: { concurrency: 1, 'pool.warm': 0 },
  })
  for (const [api, leaver] of [
    ['chat', 1],
    ['messages', 0],
    ['chat', 2],
  ] as const) {
    const busy = unique('one')
    const first = ask(service, { api, stream: true }, busy)
    const { cwd } = await prompted(service, busy)
    const waiting: { question: string; leave: AbortController; heard: Promise<Heard> }[] = []
    for (const [at, stream] of [false, true, false].entries()) {
      const question = unique('next')
      const leave = new AbortController()
      const way: Way = { api, stream }
      const body = { messages: [{ role: 'user', content: question }] }
      const heard = send(service, way, body, { signal: leave.signal })
      heard.catch(() => undefined)
      waiting.push({ question, leave, heard })
      await waitingAre(service, at + 1)
    }
    waiting[leaver]?.leave.abort()
    await waitingAre(service, 2)
    writeFileSync(join(cwd, 'go'), '')
    await first
    const others = waiting.filter((_, at) => at !== leaver)
    expect((await Promise.all(others.map(({ heard }) => heard))).map(({ text }) => text)).toEqual([
      'b',
      'b',
    ])
    expect(service.prompts().slice(-3)).toEqual([busy, ...others.map(({ question }) => question)])
    expect(agentsOf(service, waiting[leaver]?.question ?? '?')).toEqual([])
  }
})

test.each([1, 5])(
  'who waits for one of %i slots gets it in the order of arrival',
  async (slots) => {
    const service = await start({
      script: { runs: [run('held', { waitFile: 'go' }, say('a'), OK)] },
      settings: { concurrency: slots, 'pool.warm': 0 },
    })
    const arrived: string[] = []
    const replies: Promise<Heard>[] = []
    for (let at = 0; at < slots + 15; at += 1) {
      const question = unique('held')
      replies.push(ask(service, WAYS[at % WAYS.length] ?? STREAM, question))
      if (at < slots) await prompted(service, question)
      else await waitingAre(service, at + 1 - slots)
      arrived.push(question)
    }
    const served = () => service.prompts().length
    const release = (question: string) =>
      writeFileSync(join(agentOf(service, question).cwd, 'go'), '')
    // All slots at once: those who get one start side by side.
    for (const question of arrived.slice(0, slots)) release(question)
    await until('all slots in use again', within(10_000), () => served() >= 2 * slots)
    expect(service.prompts().toSorted()).toEqual(arrived.slice(0, 2 * slots))
    // One at a time, now that of the oldest run and now that of the newest.
    const running = arrived.slice(slots, 2 * slots)
    const order = service.prompts()
    for (const [at, next] of arrived.slice(2 * slots).entries()) {
      release((at % 2 === 0 ? running.shift() : running.pop()) ?? '')
      running.push(next)
      order.push(next)
      await until('the free slot in use again', within(10_000), () => served() >= order.length)
      expect(service.prompts()).toEqual(order)
    }
    for (const question of running) release(question)
    expect((await Promise.all(replies)).map(({ text }) => text)).toEqual(arrived.map(() => 'a'))
  },
)

test('F53: slots of deaf agents come back after timeout and kill grace', async () => {
  const deaf = [{ ignore: ['SIGTERM', 'SIGINT'] }, say('a'), { hang: true }]
  const service = await start({
    script: { runs: [run('deaf', ...deaf), run('fine', say('b'), OK)] },
    settings: { concurrency: 2, timeout: TIMEOUT_S, 'pool.kill_grace': 0.3 },
  })
  const deafs = [unique('deaf'), unique('deaf')]
  const stuck = [ask(service, STREAM, deafs[0] ?? ''), ask(service, WHOLE, deafs[1] ?? '')]
  await Promise.all(deafs.map((question) => prompted(service, question)))
  const fine = await Promise.all([...WAYS, WHOLE].map((way) => ask(service, way, unique('fine'))))
  expect(fine.map(({ text }) => text)).toEqual(fine.map(() => 'b'))
  for (const heard of await Promise.all(stuck)) {
    expect(String(heard.error?.message)).toContain(`within ${TIMEOUT_S} s (setting timeout)`)
  }
  await allGone(
    'the deaf agents',
    2000,
    deafs.map((question) => agentOf(service, question).pid),
  )
  // An ACP process goes when its stdin ends, deaf or not.
  expect(await total(service, 'kills_total', { signal: 'SIGKILL' })).toBe(OVER_ACP ? 0 : 2)
  expect(await total(service, 'runs_total', { outcome: 'timeout' })).toBe(2)
})
