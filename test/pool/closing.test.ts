// The orderly end of a pool.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { job, NONE, outline, PROFILE, withPool } from './support/pool-harness.ts'

const options = { concurrency: 2, warm: 1, firstProfile: PROFILE }

test('closing lets active runs end within the grace, refuses waiting and new ones, ends spares', async () => {
  await withPool({ ...options, concurrency: 1 }, async ({ pool, pids, folder }) => {
    const go = `${folder}/go`
    const active = pool.submit(job(`echo a; until [ -e ${go} ]; do sleep 0.02; done; echo b`))
    const waiting = pool.submit(job('echo never'))
    expect((await active.next())?.events).toHaveLength(1)
    const closed = pool.close(5_000)
    expect(await outline(waiting)).toEqual(['failure shutting-down'])
    expect(await outline(pool.submit(job('echo never')))).toEqual(['failure shutting-down'])
    writeFileSync(go, '')
    expect(await outline(active)).toEqual(['b', 'finish'])
    await closed
    expect(pids()).toEqual([])
  })
})

test('what is still active after the grace is ended as shut down', async () => {
  await withPool(options, async ({ pool, told }) => {
    const active = pool.submit(job("trap '' TERM; echo a; while :; do sleep 0.05; done"))
    expect((await active.next())?.events).toHaveLength(1)
    await pool.close(50)
    expect(await outline(active)).toEqual(['failure shutting-down'])
    expect(told.exits).toContain('shutdown')
  })
})

test('a second call without grace hastens the first', async () => {
  await withPool(options, async ({ pool }) => {
    const active = pool.submit(job('echo a; sleep 30'))
    expect((await active.next())?.events).toHaveLength(1)
    const slow = pool.close(60_000)
    await pool.close(0)
    await slow
    expect(await outline(active)).toEqual(['failure shutting-down'])
  })
})

test('closing with running, queued and warm children leaves nothing', async () => {
  await withPool({ ...options, warm: 2, concurrency: 3 }, async ({ pool }) => {
    // The threads were started by three runs at once: that burst may still ask for a third.
    await until('spares', 15_000, () => pool.snapshot().children.warm >= 2)
    const other = { profile: { model: 'other' } }
    const runs = Array.from({ length: 8 }, () => pool.submit(job('echo a; sleep 30', other)))
    await runs[0]?.next()
    await pool.close(0)
    const ends = await Promise.all(runs.map(async (run) => (await outline(run)).at(-1)))
    expect(new Set(ends)).toEqual(new Set(['failure shutting-down']))
    expect(pool.snapshot()).toMatchObject({ active: 0, waiting: 0, children: NONE })
  })
})

test('a pool that is closed before its threads are up ends all the same', async () => {
  for (let round = 0; round < 3; round += 1) await withPool(options, async () => {})
})

test('a thread is not terminated while Node loads its modules: that would end the whole process', {
  timeout: 60_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pool-test-'))
  const program = new URL('../../dist/test/pool/support/close-at-once.js', import.meta.url)
  try {
    const args = [fileURLToPath(program), folder, '30']
    // Rejects with what Node says when the program dies.
    const { stdout } = await promisify(execFile)(process.execPath, args)
    expect(stdout).toBe('closed\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
