// Spares: hits, affinity, how many, how long, and when not.
import { expect, test } from 'vitest'
import type { LaunchProfile } from '../../src/core/job.ts'
import { isAlive, until } from '../support/until.ts'
import { type Harness, job, outline, PROFILE, withPool } from './support/pool-harness.ts'

async function play({ pool }: Harness, script = 'echo a', profile: Partial<LaunchProfile> = {}) {
  const run = pool.submit(job(script, { profile }))
  const steps = await outline(run)
  await run.settled
  return { steps, start: run.marks().start, launchMs: run.marks().launchMs }
}

async function warm({ pool }: Harness, count: number): Promise<void> {
  await until(`${count} warm children`, 15_000, () => pool.snapshot().children.warm === count)
}

test('with one profile every run but the first takes a spare', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    const starts: (string | undefined)[] = []
    for (let round = 0; round < 6; round += 1) {
      const { start, steps } = await play(harness)
      expect(steps).toEqual(['a', 'finish'])
      starts.push(start)
      await warm(harness, 1)
    }
    expect(starts).toEqual(['cold', ...Array(5).fill('warm')])
    expect(harness.told.warm).toEqual(['miss', ...Array(5).fill('hit')])
  })
})

test('a profile named at start is warm before the first run', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    harness.pool.prewarm(PROFILE)
    await warm(harness, 1)
    expect(await play(harness)).toMatchObject({ start: 'warm', launchMs: 0 })
  })
})

test('a spare never gets a prompt of another profile, and a busy seat does not hold up the next spare', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    harness.pool.prewarm(PROFILE)
    await warm(harness, 1)
    const [spare] = harness.pids()
    const busy = harness.pool.submit(job('echo $$; sleep 0.5'))
    const pid = (await busy.next())?.events[0]
    expect(pid).toEqual({ type: 'text-delta', text: String(spare) })
    await warm(harness, 1)
    const other = await play(harness, 'echo $$', { model: 'other' })
    expect(other.start).toBe('cold')
    expect((await outline(busy)).at(-1)).toBe('finish')
  })
})

test('reusable children of profiles A B C are found again: A B C A B are two repeats without a launch', async () => {
  await withPool({ fresh: true, concurrency: 3 }, async (harness) => {
    const starts: (string | undefined)[] = []
    const sandboxes = { a: 'default', b: 'enabled', c: 'disabled' } as const
    for (const name of ['a', 'b', 'c', 'a', 'b', 'c', 'c', 'a'] as const) {
      const profile = { backend: 'acp', sandbox: sandboxes[name] } as const
      starts.push((await play(harness, 'echo $$', profile)).start)
    }
    expect(starts).toEqual(['cold', 'cold', 'cold', 'warm', 'warm', 'warm', 'warm', 'warm'])
    expect(harness.pool.snapshot().children).toMatchObject({ idle: 3 })
  })
})

test('one reusable child serves profiles that differ only in what is chosen per session', async () => {
  await withPool({ fresh: true, concurrency: 3 }, async (harness) => {
    const starts: (string | undefined)[] = []
    for (const model of ['a', 'b', 'c', 'a']) {
      starts.push((await play(harness, 'echo $$', { backend: 'acp', model })).start)
    }
    expect(starts).toEqual(['cold', 'warm', 'warm', 'warm'])
    expect(harness.pool.snapshot().children).toMatchObject({ idle: 1 })
  })
})

test('with three spares the profiles A B C A B find one each', async () => {
  await withPool({ fresh: true, concurrency: 4, warm: 3 }, async (harness) => {
    const starts: (string | undefined)[] = []
    for (const model of ['a', 'b', 'c', 'a', 'b']) {
      const { start } = await play(harness, 'echo a', { model })
      starts.push(start)
      await warm(harness, 3)
    }
    expect(starts.slice(3)).toEqual(['warm', 'warm'])
  })
})

test('after a burst every seat is warm again', async () => {
  await withPool({ fresh: true, concurrency: 4, warm: 1 }, async (harness) => {
    const { pool } = harness
    const runs = Array.from({ length: 4 }, () => pool.submit(job('echo a; sleep 0.1')))
    await Promise.all(runs.map(outline))
    await warm(harness, 4)
    const again = Array.from({ length: 4 }, () => pool.submit(job('echo b')))
    await Promise.all(again.map(outline))
    expect(again.map((run) => run.marks().start)).toEqual(Array(4).fill('warm'))
  })
})

test('a spare that grows old is replaced', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1, warmIdleMs: 400 }, async (harness) => {
    const { pool, told, pids } = harness
    pool.prewarm(PROFILE)
    await until('a spare', 115_000, () => pids().length === 1)
    const [old] = pids()
    await until('it to be let go', 115_000, () => told.exits.includes('recycled'))
    await until('another', 115_000, () => pids().some((pid) => pid !== old))
  })
})

test('a new version of the CLI drops the spares of the old one', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    harness.pool.prewarm(PROFILE)
    await warm(harness, 1)
    const [old] = harness.pids()
    expect((await play(harness, 'echo a', { cliVersion: '2' })).start).toBe('cold')
    await warm(harness, 1)
    // It is let go by its own seat, while the run and the new spare may be in the other one.
    await until('the old spare to be gone', 15_000, () => !isAlive(old ?? 0))
    expect((await play(harness, 'echo a', { cliVersion: '2' })).start).toBe('warm')
  })
})

test('spares that speak before their prompt switch warming off for their binary, until its version changes', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    const { pool, told } = harness
    pool.prewarm({ ...PROFILE, model: 'spoils' })
    await until('warming to be off', 15_000, () => '/bin/sh' in pool.snapshot().warmingOff)
    expect(pool.snapshot().warmingOff).toEqual({ '/bin/sh': 'it spoke' })
    await until('no child', 10_000, () => harness.pids().length === 0)
    expect(told.exits).toEqual(['discarded', 'discarded'])
    expect((await play(harness)).steps).toEqual(['a', 'finish'])
    expect(pool.snapshot().children.warm).toBe(0)
    await play(harness, 'echo a', { cliVersion: '2' })
    await warm(harness, 1)
  })
})

test('a spare that dies is noticed and replaced', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1 }, async (harness) => {
    harness.pool.prewarm(PROFILE)
    await warm(harness, 1)
    const [first] = harness.pids()
    if (first === undefined) throw new Error('no spare in the ledger')
    process.kill(first, 'SIGKILL')
    await until('another spare', 15_000, () => {
      const pids = harness.pids()
      return pids.length === 1 && pids[0] !== first && harness.pool.snapshot().children.warm === 1
    })
    expect((await play(harness)).start).toBe('warm')
  })
})

test('a CLI that cannot be started is not tried for spares again and again', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 1, warmIdleMs: 200 }, async (harness) => {
    const { pool, told } = harness
    pool.prewarm({ ...PROFILE, model: 'unlaunchable' })
    await until('warming to be off', 15_000, () => '/bin/sh' in pool.snapshot().warmingOff)
    expect(told.launches).toEqual([])
    expect(pool.snapshot().warmingOff['/bin/sh']).toBe('cannot be started')
  })
})

test('with warm 0 no spare is ever made', async () => {
  await withPool({ fresh: true, concurrency: 2, warm: 0 }, async (harness) => {
    harness.pool.prewarm(PROFILE)
    for (let round = 0; round < 3; round += 1) expect((await play(harness)).start).toBe('cold')
    expect(harness.told.exits).toEqual(['done', 'done', 'done'])
  })
})
