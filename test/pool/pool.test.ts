// The pool end to end: real threads, real processes.
import { expect, test } from 'vitest'
import { job, outline, withPool } from './support/pool-harness.ts'

test('a run plays its script in a child of its own and ends with its only terminal event', async () => {
  await withPool({}, async ({ pool, told }) => {
    const run = pool.submit(job('echo one; echo two'))
    expect(await outline(run)).toEqual(['one', 'two', 'finish'])
    expect(await run.next()).toBeUndefined()
    await run.settled
    expect(run.marks()).toMatchObject({ start: 'cold' })
    expect(told.exits).toEqual(['done'])
  })
})
