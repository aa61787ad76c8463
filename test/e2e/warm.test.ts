// Cold, warm and resumed starts as the figures tell them apart, and what a process of ACP mode opens ahead of need.
import { afterAll, expect, test, vi } from 'vitest'
import { backendFor } from '../../src/backends/choose.ts'
import { profileKey } from '../../src/core/job.ts'
import { numberAt } from '../../src/lib/json.ts'
import { HeldChild } from '../../workers/held-child.ts'
import { Lab } from '../contract/agent-lab.ts'
import { unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { total, totalIn } from '../support/series.ts'
import {
  BACKEND,
  OVER_ACP,
  type Service,
  type ServiceOptions,
  startService,
} from '../support/service.ts'
import { delta, OK } from '../support/steps.ts'
import { promptFacts, quiet, Talk } from '../support/talk.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const SCRIPT = { runs: [{ steps: [{ init: true }, delta('understood'), OK] }] }
const grows = (name: string, mib: number): object => ({
  match: `^${name} #`,
  steps: [{ init: true }, { grow: mib }, delta('understood'), OK],
})
const started: Service[] = []
afterAll(async () => {
  for (const service of started) await service.stop()
})

async function start(settings: ServiceOptions['settings']): Promise<Service> {
  const keep = { 'pool.exit_grace': 20, concurrency: 2 }
  const service = await startService({ script: SCRIPT, settings: { ...keep, ...settings } })
  started.push(service)
  return service
}

const aSpare = (service: Service): Promise<void> =>
  until('a spare', within(20_000), async () => {
    return ((await service.metric('cursor_adapter_children{state="warm"}')) ?? 0) > 0
  })

test('cold, warm and resumed are counted apart, under the backend’s name', async () => {
  const cold = await start({ 'pool.warm': 0 })
  expect((await new Talk(cold).say(unique('cold'))).start).toBe('cold')
  const warm = await start({ 'pool.warm': 1 })
  await aSpare(warm)
  const talk = new Talk(warm)
  expect((await talk.sayAndSettle(unique('warm'))).start).toBe('warm')
  expect((await talk.sayAndSettle('and again')).start).toBe('resumed')
  const texts = {
    cold: await cold.metrics(),
    warm: await warm.metrics(),
    resumed: await warm.metrics(),
  }
  for (const [how, text] of Object.entries(texts)) {
    const labels = { backend: BACKEND, start: how }
    for (const name of ['first_token_seconds_count', 'agent_first_event_seconds_count']) {
      expect(totalIn(text, name, labels), `${name} ${how}`).toBe(1)
    }
  }
  expect(totalIn(texts.cold, 'warm_starts_total', { result: 'miss' })).toBe(1)
  expect(totalIn(texts.warm, 'warm_starts_total', { result: 'hit' })).toBeGreaterThanOrEqual(1)
  expect(totalIn(texts.warm, 'session_turns_total', { how: 'fresh' })).toBe(1)
  expect(totalIn(texts.warm, 'session_turns_total', { how: 'resumed' })).toBe(1)
  expect(totalIn(texts.warm, 'launch_seconds_count', { backend: BACKEND })).toBeGreaterThan(0)
})

test.runIf(OVER_ACP)(
  'after a run the next session is open before anybody asks for it',
  async () => {
    const service = await start({ 'pool.warm': 0, concurrency: 1 })
    await new Talk(service).say(unique('one'))
    await quiet(service)
    const opened = () => service.journal().filter(({ event }) => event === 'session')
    await until('a session ahead of need', within(20_000), () => opened().length === 2)
    const { session, pid } = opened().at(-1) ?? {}
    const heard = await new Talk(service).say(unique('another'))
    expect(heard.start).toBe('warm')
    expect(promptFacts(service).at(-1)).toMatchObject({ session, pid })
  },
)

test.runIf(OVER_ACP)('a process that has served its runs is recycled, and counted so', async () => {
  const service = await start({ 'pool.warm': 0, concurrency: 1, 'pool.recycle_after': 2 })
  for (let turn = 0; turn < 5; turn += 1) {
    expect((await new Talk(service).say(unique('turn'))).status).toBe(200)
  }
  const pids = promptFacts(service).map(({ pid }) => pid)
  expect(new Set(pids).size).toBe(3)
  await until('them to be counted', within(5000), async () => {
    return totalIn(await service.metrics(), 'child_exits_total', { cause: 'recycled' }) === 2
  })
})

// Where there is no /proc the service does not know how large its agents are.
test.runIf(OVER_ACP && process.platform === 'linux')(
  'a process that has grown above 1 GiB is replaced after its run, one below is kept',
  async () => {
    const service = await start({ 'pool.warm': 0, concurrency: 1 })
    service.setScript({ runs: [grows('much', 600), grows('too much', 512), ...SCRIPT.runs] })
    const much = new Talk(service)
    expect((await much.sayAndSettle(unique('much'))).text).toBe('understood')
    expect((await much.sayAndSettle(unique('plain'))).start).toBe('resumed')
    // 600 MiB and 512 more: its second growth takes it over the limit, and that run still ends well.
    const tooMuch = new Talk(service)
    expect((await tooMuch.sayAndSettle(unique('too much'))).text).toBe('understood')
    const [big, ...same] = promptFacts(service).map(({ pid }) => pid)
    expect(same).toEqual([big, big])
    const sizes = service.journal().flatMap((fact) => numberAt(fact, 'residentBytes') ?? [])
    expect(sizes.map((bytes) => bytes > 1024 ** 3)).toEqual([false, true])
    // A conversation of its own, and the one whose session went with it.
    await new Talk(service).sayAndSettle(unique('another'))
    expect((await tooMuch.sayAndSettle(unique('go on'))).text).toBe('understood')
    const [, , , other, moved] = promptFacts(service)
    expect(other?.pid).not.toBe(big)
    expect(moved?.pid).toBe(other?.pid)
    expect(moved?.text).toContain('too much #')
    expect(isAlive(big ?? 0)).toBe(false)
    expect(service.journal()).toContainEqual({ event: 'exit', pid: big, code: 0 })
    const exits = (cause: string) => total(service, 'child_exits_total', { cause })
    expect([await exits('recycled'), await exits('crashed')]).toEqual([1, 0])
  },
)

test.runIf(OVER_ACP)('a process is worn out by age', async () => {
  const backend = backendFor({ backend: 'acp' })
  const lab = new Lab(backend, 'acp')
  const profile = lab.profile()
  const parts = { backend, settings: lab.settings({}), post: () => undefined }
  vi.useFakeTimers({ toFake: ['hrtime'] })
  try {
    const child = new HeldChild(parts, profile, profileKey(profile), 'spare')
    const agent = await child.launched
    if ('type' in agent) throw new Error(agent.message)
    await agent.ready
    expect(child.isWornOut).toBe(false)
    vi.advanceTimersByTime(3_600_001)
    expect(child.isWornOut).toBe(true)
    await child.close('recycled')
  } finally {
    vi.useRealTimers()
    await lab.close()
  }
})
