import { afterEach, beforeEach, expect, test } from 'vitest'
import { selfTest } from '../../../src/backends/acp/self-test.ts'
import type { WorkerSettings } from '../../../src/backends/backend.ts'
import { backendFor } from '../../../src/backends/choose.ts'
import { numberAt } from '../../../src/lib/json.ts'
import { DEMO_AGENT, Lab, type Step } from '../../contract/agent-lab.ts'
import { isAlive } from '../../support/until.ts'

let lab: Lab
beforeEach(() => {
  lab = new Lab(backendFor({ backend: 'acp' }), 'acp')
})
afterEach(() => lab.close())

const settings = (
  startup: readonly Step[],
  env: Readonly<Record<string, string>> = {},
): WorkerSettings => lab.settings({ startup, env })

const gone = (): void => {
  for (const fact of lab.journal('start')) expect(isAlive(numberAt(fact, 'pid') ?? 0)).toBe(false)
  expect(lab.leftovers()).toEqual([])
  expect(lab.journal('prompt')).toEqual([])
}

test('a CLI that opens a session passes, without a prompt', async () => {
  const result = await selfTest(DEMO_AGENT, settings([]), 30_000)
  expect(result).toEqual({ ok: true, ms: expect.any(Number) })
  expect(lab.journal('session')).toHaveLength(1)
  gone()
})

test.each<[string, readonly Step[], Readonly<Record<string, string>>, RegExp]>([
  [
    'says something else',
    [{ raw: 'Update available\n' }, { hang: true }],
    {},
    /wrote to its output/,
  ],
  ['exits', [{ stderr: 'Error: unknown command acp\n' }, { exit: 1 }], {}, /unknown command acp/],
  ['hangs', [{ hang: true }], {}, /no session open after 2 s/],
  ['is not logged in', [], { CURSOR_ADAPTER_DEMO_LOGIN: 'missing' }, /agent login/],
])('a CLI that %s fails, and is gone', async (_what, startup, env, reason) => {
  // Only the one that hangs is to reach its deadline.
  const deadlineMs = startup.length === 1 ? 1_500 : 30_000
  const result = await selfTest(DEMO_AGENT, settings(startup, env), deadlineMs)
  expect(result).toMatchObject({ ok: false, reason: expect.stringMatching(reason) })
  gone()
})

test('a missing one fails', async () => {
  const result = await selfTest('/nowhere/cursor-agent', settings([]))
  expect(result).toMatchObject({ ok: false, reason: expect.stringContaining('not found') })
})
