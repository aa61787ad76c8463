// Field case F20: a slow reader slows the agent down and costs no memory; one that never reads is cut.
import { setInterval as every } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { APIS, type Api, ask, PATHS, unique } from '../support/ask.ts'
import { residentMiB } from '../support/memory.ts'
import { within } from '../support/pace.ts'
import { postRaw, type RawClient } from '../support/raw-client.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { OK, run } from '../support/steps.ts'
import { isAlive, until } from '../support/until.ts'

/** 100 MiB of text in the agent's own lines. */
const FLOOD = run('flood', { burst: { events: 105_000, size: 1000 } }, OK)
const SCRIPT = { runs: [FLOOD, run('warm up', { burst: { events: 8000, size: 1000 } }, OK)] }

const flood = (service: Service, api: Api): Promise<RawClient> =>
  postRaw(service.url, PATHS[api], {
    model: 'auto',
    max_tokens: 1_000_000_000,
    stream: true,
    [api === 'responses' ? 'input' : 'messages']: [{ role: 'user', content: unique('flood') }],
  })

async function activeRuns(service: Service): Promise<number | undefined> {
  return service.metric('cursor_adapter_runs_active')
}

const agents = (service: Service): number[] => {
  const facts = service.journal()
  const prompted = facts.filter(
    ({ event, prompt }) => event === 'prompt' && String(prompt).startsWith('flood'),
  )
  return prompted.map(({ pid }) => Number(pid))
}

/** Over ACP the process is there for the next run. */
const isStopped = (service: Service, pid: number): boolean => {
  if (!OVER_ACP) return !isAlive(pid)
  return service.journal().some((fact) => fact.event === 'cancel' && fact.pid === pid)
}

test('F20: memory stays bounded behind slow readers, and the agents wait', {
  timeout: 90_000,
}, async () => {
  const service = await startService({
    script: SCRIPT,
    settings: { 'pool.warm': 0, concurrency: 6 },
  })
  // Over ACP every thread loads its part with its first run.
  const warmUps = OVER_ACP ? [...APIS, ...APIS] : []
  await Promise.all(warmUps.map((api) => ask(service, { api, stream: true }, unique('warm up'))))
  for (const api of APIS) await ask(service, { api, stream: true }, unique('warm up'))
  const beforeMiB = residentMiB(service.pid)
  const clients = await Promise.all([...APIS, ...APIS].map((api) => flood(service, api)))
  const [slowest, ...others] = clients
  let mostMiB = 0
  await until('all agents to be at work', within(10_000), () => {
    mostMiB = Math.max(mostMiB, residentMiB(service.pid))
    return agents(service).length === clients.length
  })
  let ticks = 0
  for await (const _ of every(100)) {
    // 10 kB/s, and nothing at all from the others.
    slowest?.read(1000)
    mostMiB = Math.max(mostMiB, residentMiB(service.pid))
    ticks += 1
    if (ticks === 40) break
  }
  expect(slowest?.received()).toBeGreaterThan(20_000)
  expect(others.every(({ socket }) => socket.bytesRead < 1_000_000)).toBe(true)
  // Nobody was cut and nobody has finished: the agents sit on the rest of their text.
  expect(agents(service)).toHaveLength(clients.length)
  expect(agents(service).every(isAlive)).toBe(true)
  expect(mostMiB - beforeMiB).toBeLessThan(clients.length * 12)
  for (const { socket } of clients) socket.destroy()
  await until('the agents to be gone', within(4000), () =>
    agents(service).every((pid) => isStopped(service, pid)),
  )
  await until('no run to be active', 5000, async () => (await activeRuns(service)) === 0)
  await service.stop()
})

test('F20: a client that never reads is cut and its agent stopped, a slow one beside it is not', {
  timeout: 90_000,
}, async () => {
  const service = await startService({
    script: SCRIPT,
    settings: { 'pool.warm': 0, 'limits.slow_reader': 2 },
  })
  const never = await flood(service, 'messages')
  await until('its agent to be at work', within(10_000), () => agents(service).length === 1)
  const [first] = agents(service)
  const steady = await flood(service, 'chat')
  const reading = setInterval(() => {
    for (let chunks = 0; chunks < 40; chunks += 1) steady.read(16 * 1024)
  }, 20)
  await until(
    'the first agent to be stopped',
    within(12_000),
    () => first !== undefined && isStopped(service, first),
  )
  await until('one run to be left', 5000, async () => (await activeRuns(service)) === 1)
  expect(steady.received()).toBeGreaterThan(100_000)
  clearInterval(reading)
  steady.socket.destroy()
  never.socket.resume()
  await until('the cut to arrive', 3000, () => never.socket.closed)
  await until('no run to be active', 5000, async () => (await activeRuns(service)) === 0)
  expect(await service.metrics()).toMatch(
    /cursor_adapter_runs_total\{[^}]*outcome="cancelled"\} [12]/,
  )
  await service.stop()
})
