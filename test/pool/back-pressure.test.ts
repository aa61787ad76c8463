// A slow reader stops the child; memory in between stays bounded; the clocks know who is to blame.
import { expect, test } from 'vitest'
import type { AgentEvent } from '../../src/core/events.ts'
import type { Run } from '../../src/core/run.ts'
import { until } from '../support/until.ts'
import { job, outline, readAll, withPool } from './support/pool-harness.ts'

/** Writes 10 MB as 10,000 lines and says on stderr's file how far it came. */
const FLOOD = (file: string): string =>
  `i=0; line=$(printf '%01000d' 0); while [ $i -lt 10000 ]; do echo "$line"; i=$((i+1)); ` +
  `[ $((i % 100)) = 0 ] && echo $i > ${file}; done`

function textLength(events: readonly AgentEvent[]): number {
  return events.reduce(
    (sum, event) => sum + (event.type === 'text-delta' ? event.text.length : 0),
    0,
  )
}

async function steady(read: () => number): Promise<number> {
  let last = -1
  let since = Date.now()
  await until('the child to stop writing', 10_000, () => {
    const now = read()
    if (now !== last) since = Date.now()
    last = now
    return now > 0 && Date.now() - since > 200
  })
  return last
}

test('a child whose reader takes nothing is stopped after the credit, and goes on when it is read', async () => {
  await withPool(
    { concurrency: 1, worker: { creditBytes: 128 * 1024 } },
    async ({ pool, folder }) => {
      const { readFileSync, existsSync } = await import('node:fs')
      const file = `${folder}/progress`
      const run = pool.submit(job(FLOOD(file)))
      const lines = await steady(() => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0))
      // The credit, what the pipe and the stream hold, and one read.
      expect(lines * 1000).toBeLessThan(1_000_000)
      const events = await readAll(run)
      expect(textLength(events)).toBe(10_000 * 1000)
      expect(events.at(-1)).toMatchObject({ type: 'finish' })
    },
  )
})

test('a slow reader does not make a run stall, but does not stop its deadline either', async () => {
  const options = { concurrency: 1, worker: { creditBytes: 64 * 1024 } }
  await withPool(options, async ({ pool, folder }) => {
    const limits = { stallMs: 700, timeoutMs: 2_000 }
    const run = pool.submit(job(FLOOD(`${folder}/progress`), { limits }))
    await run.settled
    const events = await readAll(run)
    expect(events.at(-1)).toMatchObject({ code: 'run-timeout' })
    expect(textLength(events)).toBeGreaterThan(32 * 1024)
  })
})

test('a run whose reader never comes back can be cancelled while its child is held up', async () => {
  await withPool(
    { concurrency: 1, worker: { creditBytes: 1024 } },
    async ({ pool, folder, told }) => {
      const run: Run = pool.submit(job(FLOOD(`${folder}/progress`)))
      await until('some output', 15_000, () => run.marks().agentMs !== undefined)
      run.cancel('slow-reader')
      await run.settled
      expect(told.exits).toEqual(['cancelled'])
      expect((await outline(run)).at(-1)).toBe('failure cancelled')
    },
  )
})

test('an answer of any length comes through whole with the smallest credit', async () => {
  await withPool({ concurrency: 1, worker: { creditBytes: 1 } }, async ({ pool }) => {
    const run = pool.submit(job('i=0; while [ $i -lt 500 ]; do echo $i; i=$((i+1)); done'))
    // Lines that come in great number are one text.
    const text = (await outline(run)).join('')
    expect(text).toBe(`${Array.from({ length: 500 }, (_, i) => `${i}`).join('')}finish`)
  })
})
