// Every way a run can end: one terminal event, the child gone, the slot back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isTerminal } from '../../src/core/events.ts'
import type { JobLimits, LaunchProfile } from '../../src/core/job.ts'
import { until } from '../support/until.ts'
import { job, NONE, openPool, outline, readAll, withPool } from './support/pool-harness.ts'

interface Ending {
  readonly name: string
  readonly script: string
  readonly ends: readonly string[]
  readonly exits: readonly string[]
  readonly profile?: Partial<LaunchProfile>
  readonly limits?: Partial<JobLimits>
}

const DEAF = "trap '' TERM INT HUP;"
const FOREVER = 'while :; do sleep 0.05; done'

const ENDINGS: readonly Ending[] = [
  { name: 'a clean exit', script: 'echo a', ends: ['a', 'finish'], exits: ['done'] },
  {
    name: 'an exit with an error',
    script: 'echo a; exit 70',
    ends: ['a', 'failure agent-failed'],
    exits: ['crashed'],
  },
  {
    name: 'death by a signal',
    script: 'echo a; kill -SEGV $$',
    ends: ['a', 'failure agent-failed'],
    exits: ['crashed'],
  },
  {
    name: 'silence from the start',
    script: FOREVER,
    limits: { stallMs: 800 },
    ends: ['failure run-stalled'],
    exits: ['stalled'],
  },
  {
    name: 'silence after a word, deaf to signals',
    script: `${DEAF} echo a; ${FOREVER}`,
    limits: { stallMs: 800 },
    ends: ['a', 'failure run-stalled'],
    exits: ['stalled'],
  },
  {
    name: 'silence while a tool is open, which only the whole deadline ends',
    script: `echo tool+c1; ${FOREVER}`,
    limits: { stallMs: 700, timeoutMs: 1_600 },
    ends: ['tool-start', 'tool-end', 'failure run-timeout'],
    exits: ['timeout'],
  },
  {
    name: 'silence after a tool has ended',
    script: `echo tool+c1; echo tool-c1; ${FOREVER}`,
    limits: { stallMs: 800 },
    ends: ['tool-start', 'tool-end', 'failure run-stalled'],
    exits: ['stalled'],
  },
  {
    name: 'a deaf child at its deadline',
    script: `${DEAF} ${FOREVER}`,
    limits: { timeoutMs: 300 },
    ends: ['failure run-timeout'],
    exits: ['timeout'],
  },
  {
    name: 'a child that leaves a deaf grandchild behind',
    script: `(${DEAF} ${FOREVER}) & echo a`,
    ends: ['a', 'finish'],
    exits: ['done'],
  },
  {
    name: 'a bug in a backend',
    script: '#backend-throws',
    ends: ['failure internal'],
    exits: ['crashed'],
  },
  {
    name: 'the same race twice',
    script: 'exit 75',
    ends: ['failure agent-failed'],
    exits: ['crashed', 'crashed'],
  },
  {
    name: 'a race after visible words',
    script: 'echo a; sleep 0.05; exit 75',
    ends: ['a', 'failure agent-failed'],
    exits: ['crashed'],
  },
  {
    name: 'a CLI that cannot be started',
    script: '',
    profile: { model: 'unlaunchable', binary: '/gone' },
    ends: ['failure cli-missing'],
    exits: [],
  },
]

describe('in one slot, one after the other', () => {
  let harness: Awaited<ReturnType<typeof openPool>>
  beforeAll(async () => {
    harness = await openPool({ concurrency: 1 })
  })
  afterAll(() => harness.close())

  test.each(ENDINGS)('$name ends with exactly one terminal event', async (ending) => {
    const { pool, told } = harness
    const { profile = {}, limits = {} } = ending
    told.exits.length = 0
    const run = pool.submit(job(ending.script, { profile, limits }))
    expect(await outline(run)).toEqual(ending.ends)
    expect(await run.next()).toBeUndefined()
    await run.settled
    expect(pool.snapshot()).toMatchObject({ active: 0, waiting: 0, children: NONE })
    expect(told.exits).toEqual(ending.exits)
    // The slot is of use again.
    const next = pool.submit(job('echo next'))
    expect(await outline(next)).toEqual(['next', 'finish'])
    await next.settled
  })
})

test('chatter without an end is cut at the deadline, whatever the reader has not taken comes first', async () => {
  await withPool({ concurrency: 1 }, async ({ pool }) => {
    const run = pool.submit(job('while :; do echo x; done', { limits: { timeoutMs: 1_500 } }))
    const events = await readAll(run)
    expect(events.filter(isTerminal)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'failure', code: 'run-timeout' })
    expect(events.length).toBeGreaterThan(100)
  })
})

test.each(['client-gone', 'superseded', 'slow-reader'] as const)(
  'a run cancelled for %s ends as cancelled at once and its deaf child soon after',
  async (cause) => {
    await withPool({ concurrency: 1 }, async ({ pool, told }) => {
      const run = pool.submit(job(`${DEAF} echo a; ${FOREVER}`))
      expect((await run.next())?.events).toEqual([{ type: 'text-delta', text: 'a' }])
      run.cancel(cause)
      run.cancel('shutdown')
      expect(await outline(run)).toEqual(['failure cancelled'])
      await run.settled
      expect(told.exits).toEqual(['cancelled'])
      expect(told.signals).toEqual(['SIGTERM', 'SIGKILL'])
    })
  },
)

test('a run cancelled right after it was submitted ends without a word', async () => {
  await withPool({ concurrency: 1 }, async ({ pool }) => {
    for (let round = 0; round < 5; round += 1) {
      const run = pool.submit(job(`echo a; ${FOREVER}`))
      run.cancel('client-gone')
      expect(await outline(run)).toEqual(['failure cancelled'])
      await run.settled
    }
  })
})

test('a failure that says how to try again is tried once more in the same slot, unseen', async () => {
  await withPool({ concurrency: 1 }, async ({ pool, folder, told }) => {
    const flag = `${folder}/was-here`
    const run = pool.submit(
      job(`echo quiet sign; if [ -e ${flag} ]; then echo well; else touch ${flag}; exit 75; fi`),
    )
    expect((await outline(run)).filter((step) => step !== 'activity')).toEqual(['well', 'finish'])
    await run.settled
    expect(told.exits).toEqual(['crashed', 'done'])
  })
})

test('a CLI that does not read stdin gets its prompt in argv, and is not asked again', async () => {
  await withPool({ concurrency: 1, warm: 1 }, async ({ pool, told }) => {
    const script = 'if [ "$VIA" = argv ]; then echo by $VIA; else exit 76; fi'
    expect(await outline(pool.submit(job(script)))).toEqual(['by argv', 'finish'])
    expect(pool.promptViaFor('/bin/sh', '1')).toBe('argv')
    expect(pool.promptViaFor('/bin/sh', '2')).toBe('stdin')
    const again = pool.submit(job(script))
    expect(await outline(again)).toEqual(['by argv', 'finish'])
    await again.settled
    expect(told.exits.filter((cause) => cause !== 'discarded')).toEqual(['crashed', 'done', 'done'])
    const long = await readAll(pool.submit(job('#'.repeat(101 * 1024))))
    expect(long).toHaveLength(1)
    expect(long[0]).toMatchObject({
      code: 'agent-failed',
      message: /too long for its command line/,
    })
  })
})

test('not being logged in is remembered for a while, in which no process is started', async () => {
  await withPool({ concurrency: 1, warm: 1 }, async ({ pool, told }) => {
    const first = pool.submit(job('exit 77'))
    const second = pool.submit(job('echo never'))
    expect(await outline(first)).toEqual(['failure cursor-not-logged-in'])
    expect(await outline(second)).toEqual(['failure cursor-not-logged-in'])
    expect(await outline(pool.submit(job('echo never')))).toEqual(['failure cursor-not-logged-in'])
    await second.settled
    await until('no child', 15_000, () =>
      Object.values(pool.snapshot().children).every((n) => n === 0),
    )
    const launched = told.launches.length
    expect(await outline(pool.submit(job('echo never')))).toEqual(['failure cursor-not-logged-in'])
    expect(told.launches).toHaveLength(launched)
    // Another binary is none of its business.
    const other = pool.submit(job('echo fine', { profile: { binary: '/bin/other-sh' } }))
    expect(await outline(other)).toEqual(['fine', 'finish'])
  })
})
