// The pool as it ships: compiled worker, print backend, and the demo agent as a process of its own.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { isTerminal } from '../../src/core/events.ts'
import type { Run } from '../../src/core/run.ts'
import {
  type Harness,
  job,
  outline,
  PROFILE,
  REAL_WORKER,
  readAll,
  withPool,
} from '../pool/support/pool-harness.ts'
import { until } from '../support/until.ts'

const AGENT = fileURLToPath(new URL('../../dist/src/demo-agent/main.js', import.meta.url))
const profile = { binary: AGENT, cliVersion: 'demo' }
const HELLO = [{ init: true }, { delta: 'hi' }, { recap: true }, { result: true }]
const DEAF = { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] }

/** What the demo agent does, by the word in the prompt. */
const RUNS = [
  { match: 'clean', steps: HELLO },
  { match: 'lingers', steps: [...HELLO, { noExit: true }] },
  { match: 'hung', steps: [{ init: true }, { hang: true }] },
  { match: 'deaf', steps: [DEAF, { init: true }, { delta: 'hi' }, { hang: true }] },
  { match: 'segv', steps: [{ init: true }, { delta: 'hi' }, { signal: 'SIGSEGV' }] },
  { match: 'no-result', steps: [{ init: true }] },
  { match: 'exit-1', steps: [{ init: true }, { exit: 1 }] },
  {
    match: 'family',
    steps: [{ grandchild: { ignoreTerm: true, holdStdout: true, ownGroup: true } }, ...HELLO],
  },
  { match: 'chatty', steps: [{ init: true }, { burst: { events: 1_000_000, size: 200 } }] },
]

interface Options {
  readonly concurrency: number
  readonly warm?: number
  readonly bootMs?: number
  /** Wait for the threads first. */
  readonly loaded?: boolean
}

async function withDemo(options: Options, test: (harness: Harness) => Promise<void>) {
  const { concurrency, warm = 0, bootMs = 0, loaded = false } = options
  const fresh = !loaded
  const script = join(mkdtempSync(join(tmpdir(), 'pool-drill-')), 'script.json')
  writeFileSync(script, JSON.stringify({ runs: RUNS }))
  const env = {
    CURSOR_ADAPTER_DEMO_SCRIPT: script,
    CURSOR_ADAPTER_DEMO_BOOT_MS: String(bootMs),
  }
  const worker = { env, exitGraceMs: 300, killGraceMs: 200 }
  try {
    const maxWaiting = 40
    await withPool({ workerFile: REAL_WORKER, concurrency, maxWaiting, warm, worker, fresh }, test)
  } finally {
    rmSync(dirname(script), { recursive: true, force: true })
  }
}

const say = (word: string, limits = {}) => job(word, { profile, limits })

function texts(steps: readonly string[]): string[] {
  return steps.filter((step) => step !== 'started' && step !== 'activity' && step !== 'unknown')
}

async function play({ pool }: Harness, word: string, limits = {}): Promise<Run> {
  const run = pool.submit(say(word, limits))
  await outline(run)
  await run.settled
  return run
}

test('every way the agent can behave ends once, in time, and leaves neither child nor helper', async () => {
  await withDemo({ concurrency: 4, loaded: true }, async (harness) => {
    // Long enough for a busy machine to start the agent; only the two silent ones use it up.
    const limits = { timeoutMs: 15_000, stallMs: 3_500 }
    const ends = {
      clean: ['hi', 'finish'],
      lingers: ['hi', 'finish'],
      hung: ['failure run-stalled'],
      deaf: ['hi', 'failure run-stalled'],
      segv: ['hi', 'failure agent-failed'],
      'no-result': ['failure agent-failed'],
      'exit-1': ['failure agent-failed'],
      family: ['hi', 'finish'],
    }
    const words = Object.keys(ends)
    const runs = words.map((word) => harness.pool.submit(say(word, limits)))
    const got = await Promise.all(runs.map(async (run) => texts(await outline(run))))
    expect(Object.fromEntries(words.map((word, index) => [word, got[index]]))).toEqual(ends)
    await Promise.all(runs.map((run) => run.settled))
    expect(harness.pids()).toEqual([])
  })
})

test('a slow reader stops the agent, and memory does not grow with what it still wants to say', async () => {
  await withDemo({ concurrency: 1 }, async ({ pool }) => {
    const before = process.memoryUsage().rss
    const run = pool.submit(say('chatty', { timeoutMs: 1_500 }))
    await run.settled
    const grown = process.memoryUsage().rss - before
    const events = await readAll(run)
    expect(events.filter(isTerminal)).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ code: 'run-timeout' })
    // The whole answer is 200 MB; the credit is a quarter of a megabyte.
    expect(grown).toBeLessThan(60 * 1024 * 1024)
  })
})

test('with one profile and gaps as long as the boot, every run but the first is a hit, and much quicker', async () => {
  await withDemo({ concurrency: 3, warm: 1, bootMs: 250 }, async (harness) => {
    const waits: Record<string, number[]> = { cold: [], warm: [] }
    for (let round = 0; round < 6; round += 1) {
      const { start = 'none', launchMs = 0, agentMs = 0 } = (await play(harness, 'clean')).marks()
      waits[start]?.push(launchMs + agentMs)
      // The spare's boot is not visible from outside; a gap is what the case is about.
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    expect(harness.told.warm).toEqual(['miss', ...Array(5).fill('hit')])
    expect(Math.min(...(waits.warm ?? []))).toBeLessThan(Math.min(...(waits.cold ?? [])) / 3)
  })
})

test('after a burst all seats are warm again', async () => {
  await withDemo({ concurrency: 5, warm: 1, bootMs: 600 }, async ({ pool }) => {
    pool.prewarm({ ...PROFILE, ...profile })
    await until('the first spare', 5_000, () => pool.snapshot().children.warm === 1)
    const runs = Array.from({ length: 5 }, () => pool.submit(say('clean')))
    await Promise.all(runs.map(outline))
    await Promise.all(runs.map((run) => run.settled))
    await until('five warm children', 10_000, () => pool.snapshot().children.warm === 5)
  })
})

test('many short runs with cancels and errors leave no process, folder, descriptor or count', async () => {
  await withDemo({ concurrency: 5, warm: 2 }, async (harness) => {
    const words = ['clean', 'lingers', 'segv', 'exit-1', 'no-result', 'deaf', 'clean', 'family']
    const limits = { timeoutMs: 10_000, stallMs: 1_500, queueMs: 60_000 }
    const runs = Array.from({ length: 40 }, async (_, index) => {
      const run = harness.pool.submit(say(words[index % words.length] ?? 'clean', limits))
      if (run.marks().queueMs === undefined && index % 7 === 0) run.cancel('client-gone')
      const events = await readAll(run)
      if (events.filter(isTerminal).length !== 1) throw new Error(`run ${index} did not end once`)
      await run.settled
    })
    await Promise.all(runs)
    expect(harness.pool.snapshot()).toMatchObject({ active: 0, waiting: 0 })
  })
}, 60_000)
