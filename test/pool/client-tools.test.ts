// Sessions of mode bridge through the pool as it ships: tokens, warm starts with the tools already listed, lost threads.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ClientTools } from '../../src/core/client-tools.ts'
import type { LaunchProfile } from '../../src/core/job.ts'
import type { Run } from '../../src/core/run.ts'
import { openStation, type Station, tool } from '../mcp/station.ts'
import { within } from '../support/pace.ts'
import { until } from '../support/until.ts'
import { job, outline, REAL_WORKER, withPool } from './support/pool-harness.ts'

const AGENT = fileURLToPath(new URL('../../dist/src/demo-agent/main.js', import.meta.url))
const STEPS = [
  { call: { name: 'Read', arguments: { text: '$PROMPT' } } },
  { delta: 'said: $RESULT' },
  { result: true },
]

let station: Station
let folder: string
beforeEach(async () => {
  station = await openStation()
  folder = mkdtempSync(join(tmpdir(), 'pool-tools-'))
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ runs: [{ steps: STEPS }] }))
})
afterEach(async () => {
  await station.close()
  rmSync(folder, { recursive: true, force: true })
})

const profiled = (backend: 'print' | 'acp', names: readonly string[]): Partial<LaunchProfile> => ({
  backend,
  binary: AGENT,
  mode: 'bridge',
  digest: names.join(),
  offer: { endpoint: station.url, tools: names.map((name) => tool(name)) },
})

/** Answers the calls of a run as soon as its token is known. */
async function serve(run: Run): Promise<string> {
  await until('the token', within(20_000), () => run.toolToken?.() !== undefined)
  const token = run.toolToken?.() ?? ''
  station.endpoint.listen(token, (call) =>
    call.answer({
      isError: false,
      content: [{ type: 'text', text: JSON.stringify(call.arguments) }],
    }),
  )
  return token
}

describe.each(['print', 'acp'] as const)('%s', (backend) => {
  test('a second conversation with the same tools starts warm, its tools already listed', async () => {
    const env = { CURSOR_ADAPTER_DEMO_SCRIPT: join(folder, 'script.json') }
    const options = {
      workerFile: REAL_WORKER,
      worker: { env },
      concurrency: 2,
      warm: 1,
      clientTools: station.endpoint,
      fresh: true,
    }
    await withPool(options, async ({ pool }) => {
      const profile = profiled(backend, ['Read', 'Bash'])
      const first = pool.submit(job('one', { profile }))
      const [one] = await Promise.all([serve(first), outline(first)])
      await first.settled
      const listed = (): boolean => {
        const { warm, idle } = pool.snapshot().children
        return warm + idle > 0 && station.contacts().includes('listed')
      }
      await until('a spare that has listed', within(20_000), listed)
      const second = pool.submit(job('two', { profile }))
      const [two, events] = await Promise.all([serve(second), outline(second)])
      expect(events.join(' ')).toContain('said: {"text":"two"}')
      expect(second.marks().start).toBe('warm')
      expect(two).not.toBe(one)
    })
    await until('no token left', within(5_000), () => station.endpoint.size === 0)
  })
})

test('tokens of a thread that is lost are closed', async () => {
  const open = new Set<string>()
  const clientTools: ClientTools = {
    open: (token) => void open.add(token),
    close: (token) => void open.delete(token),
    offer: () => undefined,
    listen: () => undefined,
    contact: () => 'none',
    isUpToDate: () => true,
  }
  await withPool({ concurrency: 1, clientTools }, async ({ pool }) => {
    const profile = { offer: { endpoint: 'a token', tools: [] } }
    const healthy = pool.submit(job('echo a; sleep 60', { profile }))
    await healthy.next()
    expect([...open]).toEqual(['a token'])
    healthy.cancel('client-gone')
    await healthy.settled
    expect(await outline(pool.submit(job('#throw', { profile })))).toEqual(['failure agent-failed'])
    await until('the token to be closed', within(5_000), () => open.size === 0)
  })
})
