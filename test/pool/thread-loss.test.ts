// A worker thread that dies or hangs: the run fails, the child does not stay, the seat is replaced.
import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { job, outline, withPool } from './support/pool-harness.ts'

test('a thread that dies under a run fails that run only, and its child is ended', async () => {
  await withPool({ concurrency: 2 }, async ({ pool, told, folder }) => {
    const go = `${folder}/go`
    const healthy = pool.submit(job(`echo a; until [ -e ${go} ]; do sleep 0.02; done; echo b`))
    expect((await healthy.next())?.events).toHaveLength(1)
    const doomed = pool.submit(job('#throw'))
    expect(await outline(doomed)).toEqual(['failure agent-failed'])
    await doomed.settled
    expect(told.exits).toEqual(['crashed'])
    writeFileSync(go, '')
    expect(await outline(healthy)).toEqual(['b', 'finish'])
    const next = await Promise.all([1, 2].map(() => outline(pool.submit(job('echo again')))))
    expect(next).toEqual([
      ['again', 'finish'],
      ['again', 'finish'],
    ])
  })
})

test('a thread that hangs is terminated after the graces, its deaf child killed, its slot given back', async () => {
  await withPool({ concurrency: 1 }, async ({ pool, told, pids }) => {
    const stuck = pool.submit(job('#freeze', { limits: { timeoutMs: 200 } }))
    expect(await outline(stuck)).toEqual(['failure run-timeout'])
    expect(pids()).toHaveLength(1)
    await stuck.settled
    expect(pids()).toEqual([])
    expect(told.exits).toEqual(['timeout'])
    expect(told.log).toContain('a worker thread is stuck and gets terminated')
    expect(await outline(pool.submit(job('echo again')))).toEqual(['again', 'finish'])
  })
})

test('threads that die one after the other are replaced every time', async () => {
  await withPool({ concurrency: 1 }, async ({ pool }) => {
    for (let round = 0; round < 3; round += 1) {
      expect(await outline(pool.submit(job('#throw')))).toEqual(['failure agent-failed'])
    }
    expect(await outline(pool.submit(job('echo fine')))).toEqual(['fine', 'finish'])
  })
})

test('a thread that dies takes its spare with it, and another is made', async () => {
  await withPool({ concurrency: 2, warm: 1 }, async ({ pool, pids }) => {
    await pool.submit(job('echo a')).settled
    // Two runs at once started the threads: a second spare may come in the same moment.
    await until('a spare', 15_000, () => pool.snapshot().children.warm >= 1)
    const [spare] = pids()
    // The spare's own thread plays this one, the script is another profile's.
    const doomed = [1, 2].map(() => pool.submit(job('#throw', { profile: { model: 'other' } })))
    await Promise.all(doomed.map((run) => run.settled))
    await until('another spare', 15_000, () => pool.snapshot().children.warm >= 1)
    expect(pids()).not.toContain(spare)
  })
})
