// Runs that wait for their client: they give their slot back and keep their seat.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Run } from '../../src/core/run.ts'
import { within } from '../support/pace.ts'
import { until } from '../support/until.ts'
import { type Harness, job, outline, readAll, withPool } from './support/pool-harness.ts'

/** Says `ready` and then nothing, until the file exists. */
const untilFile = (file: string): string =>
  `echo ready; while [ ! -e '${file}' ]; do sleep 0.02; done; echo done`

interface Waiting {
  readonly run: Run
  /** Its client's result is there. */
  readonly answer: () => void
}

async function startParked(
  { pool, folder }: Harness,
  name: string,
  limits: {
    readonly timeoutMs?: number
    readonly stallMs?: number
    readonly queueMs?: number
  } = {},
): Promise<Waiting> {
  const file = join(folder, name)
  const run = pool.submit(job(untilFile(file), { limits }))
  expect(await run.next()).toMatchObject({ events: [{ text: 'ready' }] })
  expect(run.park?.()).toBe(true)
  return { run, answer: () => writeFileSync(file, '') }
}

test('a parked run frees its slot, keeps its child, and goes on when it has a slot again', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const { pool } = harness
    const { run, answer } = await startParked(harness, 'a')
    expect(pool.snapshot()).toMatchObject({
      active: 0,
      parked: 1,
      children: { parked: 1, busy: 0 },
    })
    expect(await outline(pool.submit(job('echo other')))).toEqual(['other', 'finish'])
    expect(await run.unpark?.()).toBe(true)
    expect(pool.snapshot()).toMatchObject({ active: 1, parked: 0 })
    answer()
    expect(await outline(run)).toEqual(['done', 'finish'])
  })
})

test('a run that goes on is served before those that are new', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const { pool, folder } = harness
    const parked = await startParked(harness, 'a')
    const busy = pool.submit(job(untilFile(join(folder, 'b'))))
    await busy.next()
    const order: string[] = []
    const later = pool.submit(job('echo later'))
    const read = later.next().then(() => order.push('new'))
    const resumed = parked.run.unpark?.().then(() => order.push('parked'))
    expect(pool.snapshot().waiting).toBe(2)
    writeFileSync(join(folder, 'b'), '')
    await readAll(busy)
    await resumed
    parked.answer()
    expect(await outline(parked.run)).toEqual(['done', 'finish'])
    await read
    expect(order).toEqual(['parked', 'new'])
    await readAll(later)
  })
})

test('nothing is put off while a run that was parked waits for its slot', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const { run, answer } = await startParked(harness, 'a', { queueMs: within(5_000) })
    const { pool } = harness
    const busy = pool.submit(job('#calm'))
    await until('the other has the slot', 5_000, () => pool.snapshot().active === 1)
    expect(await run.unpark?.()).toBe(true)
    expect(await outline(busy)).toEqual(['finish'])
    answer()
    expect(await outline(run)).toEqual(['done', 'finish'])
  })
})

test('one more than may be parked costs the longest-parked run', async () => {
  await withPool({ concurrency: 2, maxParked: 2 }, async (harness) => {
    const { pool } = harness
    const first = await startParked(harness, 'a')
    const second = await startParked(harness, 'b')
    expect(pool.snapshot()).toMatchObject({ active: 0, parked: 2 })
    const third = await startParked(harness, 'c')
    expect(await outline(first.run)).toEqual(['failure cancelled'])
    await first.run.settled
    expect(pool.snapshot()).toMatchObject({ active: 0, parked: 2 })
    expect(await first.run.unpark?.()).toBe(false)
    for (const { run, answer } of [second, third]) {
      expect(await run.unpark?.()).toBe(true)
      answer()
      expect(await outline(run)).toEqual(['done', 'finish'])
    }
  })
})

test('with no room for parked runs at all, parking ends the run', async () => {
  await withPool({ concurrency: 1, maxParked: 0 }, async (harness) => {
    const { run } = await startParked(harness, 'a')
    expect(await outline(run)).toEqual(['failure cancelled'])
  })
})

test('many runs park and go on at once: nobody waits for ever, and no seat is missing', async () => {
  await withPool({ concurrency: 2, maxParked: 6 }, async (harness) => {
    const { pool } = harness
    const play = async (name: string): Promise<string[]> => {
      const { run, answer } = await startParked(harness, name)
      expect(await run.unpark?.()).toBe(true)
      expect(run.park?.()).toBe(true)
      expect(await run.unpark?.()).toBe(true)
      answer()
      return outline(run)
    }
    const ends = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(play))
    expect(ends).toEqual(ends.map(() => ['done', 'finish']))
    expect(pool.snapshot()).toMatchObject({ waiting: 0, parked: 0 })
  })
})

test('neither the time limit nor the stall limit counts while a run is parked, and both count anew after it', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const timeoutMs = within(400)
    const stallMs = within(200)
    const { run } = await startParked(harness, 'a', { timeoutMs, stallMs })
    const parkedMs = performance.now()
    await until('both limits to be over', within(5_000), () => {
      return performance.now() - parkedMs > timeoutMs + stallMs
    })
    expect(await run.unpark?.()).toBe(true)
    const resumedMs = performance.now()
    expect(await outline(run)).toEqual(['failure run-stalled'])
    expect(performance.now() - resumedMs).toBeGreaterThanOrEqual(stallMs - 5)
  })
})

test('a run that gets no slot again ends with the reason', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const { pool, folder } = harness
    const { run } = await startParked(harness, 'a', { queueMs: 80 })
    const busy = pool.submit(job(untilFile(join(folder, 'b'))))
    await busy.next()
    expect(await run.unpark?.()).toBe(false)
    expect(await outline(run)).toEqual(['failure queue-timeout'])
    writeFileSync(join(folder, 'b'), '')
    await readAll(busy)
  })
})

test('a parked run that is cancelled, or whose child is killed, ends and leaves nothing', async () => {
  await withPool({ concurrency: 2, maxParked: 2 }, async (harness) => {
    const { pool, pids } = harness
    const cancelled = await startParked(harness, 'a')
    cancelled.run.cancel('forgotten')
    await cancelled.run.settled
    expect(pool.snapshot()).toMatchObject({ active: 0, parked: 0 })
    const killed = await startParked(harness, 'b')
    for (const pid of pids()) process.kill(pid, 'SIGKILL')
    await killed.run.settled
    expect((await outline(killed.run)).at(-1)).toBe('failure agent-failed')
    expect(await killed.run.unpark?.()).toBe(false)
  })
})

test('a run that parks while the pool closes ends at once', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async ({ pool, folder }) => {
    const run = pool.submit(job(untilFile(join(folder, 'a'))))
    await run.next()
    const closed = pool.close(30_000)
    expect(run.park?.()).toBe(true)
    expect(await outline(run)).toEqual(['failure shutting-down'])
    await closed
  })
})

test('a pool that closes does not wait for parked runs', async () => {
  await withPool({ concurrency: 1, maxParked: 1 }, async (harness) => {
    const { run } = await startParked(harness, 'a')
    const closed = harness.pool.close(30_000)
    expect(await outline(run)).toEqual(['failure shutting-down'])
    await closed
  })
})
