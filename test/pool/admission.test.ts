// Who gets a slot, who waits, who is refused.
import { expect, test } from 'vitest'
import type { Run } from '../../src/core/run.ts'
import { isAlive, until } from '../support/until.ts'
import { END_MARK, job, outline, readAll, withPool } from './support/pool-harness.ts'

const BUSY = 'sleep 30'

async function endOf(run: Run): Promise<void> {
  run.cancel('client-gone')
  await run.settled
}

test('one more than may run and wait is refused at once, the others play in order', async () => {
  await withPool({ concurrency: 1, maxWaiting: 2 }, async ({ pool }) => {
    const order: string[] = []
    const runs = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      name,
      run: pool.submit(job(`echo ${name}`)),
    }))
    expect(pool.snapshot()).toMatchObject({ active: 1, waiting: 2 })
    const ends = await Promise.all(
      runs.map(async ({ name, run }) => {
        const end = (await outline(run)).at(-1)
        if (end === 'finish') order.push(name)
        return end
      }),
    )
    expect(ends).toEqual(['finish', 'finish', 'finish', 'failure queue-full', 'failure queue-full'])
    expect(order).toEqual(['a', 'b', 'c'])
  })
})

test('a run that waits longer than its queue limit fails, is never started, and leaves the queue', async () => {
  await withPool({ concurrency: 1 }, async ({ pool, told }) => {
    const busy = pool.submit(job(BUSY))
    const waiting = pool.submit(job('echo late', { limits: { queueMs: 80 } }))
    expect(pool.snapshot()).toMatchObject({ active: 1, waiting: 1 })
    const [end] = await readAll(waiting)
    expect(end).toMatchObject({ code: 'queue-timeout', message: /queue_timeout/ })
    expect(pool.snapshot()).toMatchObject({ active: 1, waiting: 0 })
    await waiting.settled
    await endOf(busy)
    expect(told.exits).toEqual(['cancelled'])
    expect(waiting.marks().queueMs).toBeUndefined()
  })
})

test('a run cancelled while waiting never starts and the order of the others is kept', async () => {
  await withPool({ concurrency: 1 }, async ({ pool, told }) => {
    const busy = pool.submit(job(`echo up; ${BUSY}`))
    // A cancel may overtake a task that has just been handed out: then there is no child whose exit could be told.
    await busy.next()
    const order: string[] = []
    const runs = ['a', 'b', 'c'].map((name) => pool.submit(job(`echo ${name}`)))
    const ends = runs.map(async (run) => {
      const steps = await outline(run)
      order.push(steps[0] ?? '')
    })
    expect(pool.snapshot().waiting).toBe(3)
    runs[1]?.cancel('client-gone')
    expect(pool.snapshot().waiting).toBe(2)
    await endOf(busy)
    await Promise.all(ends)
    expect(order).toEqual(['failure cancelled', 'a', 'c'])
    await Promise.all(runs.map((run) => run.settled))
    expect(told.exits).toEqual(['cancelled', 'done', 'done'])
  })
})

test('never more runs are active than there are slots', async () => {
  await withPool({ concurrency: 2, maxWaiting: 20 }, async ({ pool, pids }) => {
    const runs = Array.from({ length: 8 }, () => pool.submit(job('echo a; sleep 0.02')))
    let most = 0
    const watch = setInterval(() => {
      most = Math.max(most, pids().length)
      expect(pool.snapshot().active).toBeLessThanOrEqual(2)
    }, 2)
    await Promise.all(runs.map(outline))
    await Promise.all(runs.map((run) => run.settled))
    clearInterval(watch)
    expect(most).toBeLessThanOrEqual(2)
    expect(pool.snapshot()).toMatchObject({ active: 0, waiting: 0 })
  })
})

test('slots taken by deaf children come back after timeout and kill grace, and those waiting play', async () => {
  await withPool({ concurrency: 2 }, async ({ pool, told }) => {
    const deaf = "trap '' TERM; while :; do sleep 0.05; done"
    const stuck = [1, 2].map(() => pool.submit(job(deaf, { limits: { timeoutMs: 150 } })))
    const waiting = [1, 2, 3, 4, 5].map((n) => pool.submit(job(`echo ${n}`)))
    const ends = await Promise.all([...stuck, ...waiting].map(outline))
    expect(ends.slice(0, 2)).toEqual([['failure run-timeout'], ['failure run-timeout']])
    expect(ends.slice(2)).toEqual([1, 2, 3, 4, 5].map((n) => [`${n}`, 'finish']))
    await Promise.all(waiting.map((run) => run.settled))
    expect(told.exits.toSorted()).toEqual([...Array(5).fill('done'), 'timeout', 'timeout'])
  })
})

test('a slot is given back only when the child is gone, not when the answer is complete', async () => {
  await withPool({ concurrency: 1, worker: { exitGraceMs: 400 } }, async ({ pool, pids }) => {
    const lingering = pool.submit(job(`echo a; echo ${END_MARK}; sleep 30`))
    const next = pool.submit(job('echo b'))
    expect(await outline(lingering)).toEqual(['a', 'finish'])
    expect(next.marks().queueMs).toBeUndefined()
    const [pid] = pids()
    await until('the next run to start', 15_000, () => next.marks().queueMs !== undefined)
    expect(isAlive(pid ?? 0)).toBe(false)
    expect(await outline(next)).toEqual(['b', 'finish'])
  })
})

test('load is high from the first run that waits until none is left', async () => {
  const told: boolean[] = []
  const onLoad = (isHigh: boolean): void => void told.push(isHigh)
  await withPool({ concurrency: 1, onLoad }, async ({ pool }) => {
    // Once for the thread.
    await until('the thread was told of', 5_000, () => told.length === 1)
    await pool.submit(job('echo alone')).settled
    expect(told).toEqual([false])
    const runs = ['a', 'b', 'c'].map((name) => pool.submit(job(`echo ${name}`)))
    expect(told).toEqual([false, true])
    await Promise.all(runs.map((run) => run.settled))
    expect(told).toEqual([false, true, false])
  })
})
