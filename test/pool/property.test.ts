// Whatever comes, in whatever order: each run ends once, order is kept, and nothing is left.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTerminal } from '../../src/core/events.ts'
import type { Run } from '../../src/core/run.ts'
import type { AgentPool } from '../../src/pool/pool.ts'
import { job, NONE, withPool } from './support/pool-harness.ts'

const DEAF = "trap '' TERM; while :; do sleep 0.02; done"
const SCRIPTS = {
  short: 'echo a',
  slow: 'echo a; sleep 0.1; echo b',
  fails: 'echo a; exit 70',
  dies: 'kill -KILL $$',
  races: 'exit 75',
  deaf: `echo a; ${DEAF}`,
  silent: 'sleep 30',
  long: 'i=0; while [ $i -lt 2000 ]; do echo $i; i=$((i+1)); done',
  crash: '#throw',
} as const

const step = fc.record({
  script: fc.constantFrom(...Object.values(SCRIPTS)),
  model: fc.constantFrom('a', 'b'),
  reusable: fc.boolean(),
  /** After so many batches, or at once, or never. */
  cancelAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  gapMs: fc.integer({ min: 0, max: 20 }),
})
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never

async function follow(run: Run, cancelAfter: number | undefined): Promise<void> {
  if (cancelAfter === 0) run.cancel('client-gone')
  let terminals = 0
  let batches = 0
  for (let batch = await run.next(); batch !== undefined; batch = await run.next()) {
    batches += 1
    expect(terminals).toBe(0)
    terminals += batch.events.filter(isTerminal).length
    if (batches === cancelAfter) run.cancel('client-gone')
  }
  expect(terminals).toBe(1)
  await run.settled
}

async function playAll(pool: AgentPool, steps: readonly Step[]): Promise<void> {
  const ends: Promise<void>[] = []
  for (const { script, model, reusable, cancelAfter, gapMs } of steps) {
    const profile = { model, backend: reusable ? ('acp' as const) : ('print' as const) }
    const limits = { timeoutMs: 600, stallMs: 400, queueMs: 3_000 }
    ends.push(follow(pool.submit(job(script, { profile, limits })), cancelAfter))
    if (gapMs > 5) await new Promise((resolve) => setTimeout(resolve, gapMs))
  }
  await Promise.all(ends)
}

test('every run of a random sequence ends exactly once and the pool is empty after it', async () => {
  await withPool(
    { concurrency: 3, maxWaiting: 6, warm: 2, worker: { exitGraceMs: 100 } },
    async ({ pool }) => {
      const property = fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 12 }),
        async (steps) => {
          await playAll(pool, steps)
          const { active, waiting, children } = pool.snapshot()
          expect({ active, waiting }).toEqual({ active: 0, waiting: 0 })
          expect({ ...children, warm: 0, idle: 0, starting: 0, closing: 0 }).toEqual(NONE)
        },
      )
      await fc.assert(property, { numRuns: 8, interruptAfterTimeLimit: 12_000 })
    },
  )
}, 40_000)
