// `doctor --tool-wait`: whether Cursor waits for a tool whose answer is held back, and what is said of it.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import type { Failure } from '../../src/core/events.ts'
import type { HeldTurn } from '../../src/doctor/held-turn.ts'
import { judge } from '../../src/doctor/tool-wait.ts'
import { isObject, parseJson } from '../../src/lib/json.ts'
import { type CliRun, DEMO_ENV, runCli } from '../support/cli.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const base = mkdtempSync(join(tmpdir(), 'tool-wait-test-'))
afterAll(() => rmSync(base, { recursive: true }))

const call = (more: object = {}) => ({ call: { name: 'word_of_the_day', arguments: {}, ...more } })
const played = (...steps: readonly object[]) => [{ init: true }, ...steps, { result: true }]
const SAID = { delta: 'It says: $RESULT' }

interface Examined extends CliRun {
  readonly prompts: number
  /** What the run left in its temporary folder. */
  readonly left: readonly string[]
}

let count = 0
async function examine(
  steps: readonly object[],
  wait: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Examined> {
  count += 1
  const home = join(base, `run-${count}`)
  mkdirSync(home)
  const [script, journal] = [join(base, `script-${count}.json`), join(base, `journal-${count}`)]
  writeFileSync(script, JSON.stringify({ runs: [{ steps }] }))
  const given = {
    ...DEMO_ENV,
    CURSOR_ADAPTER_PORT: '0',
    CURSOR_ADAPTER_DEMO_SCRIPT: script,
    CURSOR_ADAPTER_DEMO_JOURNAL: journal,
    ...env,
  }
  const run = await runCli(['doctor', '--tool-wait', ...wait], { home, env: given })
  const facts = readFileSync(journal, 'utf8').split('\n').map(parseJson).filter(isObject)
  const prompts = facts.filter(({ event }) => event === 'prompt').length
  const left = readdirSync(home).filter((name) => name.startsWith('cursor-adapter-doctor-'))
  return { ...run, prompts, left }
}

describe.each(['acp', 'print'])('on %s', (backend) => {
  const env = { CURSOR_ADAPTER_BACKEND: backend }

  test.concurrent('it waits as long as it is asked to', async () => {
    const { stdout, code, prompts, left } = await examine(played(call(), SAID), ['0.4'], env)
    expect(stdout).toMatch(
      new RegExp(`good +tool wait: Cursor \\(${backend}\\) still waited after [\\d.]+ s`),
    )
    // Less than a minute proves nothing yet.
    expect(stdout).toMatch(/open +tool-wait/)
    expect({ code, prompts, left }).toEqual({ code: 0, prompts: 1, left: [] })
  })

  test.concurrent('it gives up: after how long, and which setting that touches', async () => {
    const steps = played(call({ giveUpMs: 300 }), SAID)
    const { stdout, code, left } = await examine(steps, ['30'], env)
    expect(stdout).toMatch(
      new RegExp(`warning +tool wait: Cursor \\(${backend}\\) gave up after [\\d.]+ s\\n`),
    )
    expect(stdout).toMatch(/fix: nothing is lost: .*bridge\.parked_timeout/)
    expect(stdout).toMatch(/FAILS +tool-wait/)
    expect({ code, left }).toEqual({ code: 0, left: [] })
  })

  test.concurrent('it never asks for the tools: mode bridge does not work with it', async () => {
    const ignores = { ...env, CURSOR_ADAPTER_DEMO_QUIRKS: 'ignores-mcp' }
    const { stdout, code } = await examine(played({ delta: 'no tools' }), ['1'], ignores)
    expect(stdout).toMatch(/bad +tool wait: .* never asked our server for its tools/)
    expect(code).toBe(EXIT.unhealthy.code)
  })

  test.concurrent('a model that does not call it settles nothing', async () => {
    const { stdout } = await examine(played({ delta: 'I would rather not.' }), ['1'], env)
    expect(stdout).toMatch(
      /warning +tool wait: not settled: .* did not call the tool: I would rather/,
    )
    expect(stdout).toMatch(/open +tool-wait/)
  })

  test.concurrent('a run that dies while the tool is held back settles nothing', async () => {
    const dies = [
      { grandchild: {} },
      call({ giveUpMs: 300 }),
      { stderr: 'Error: out of luck\n' },
      { exit: 1 },
    ]
    const { stdout, left } = await examine([{ init: true }, ...dies], ['30'], env)
    expect(stdout).toMatch(
      /warning +tool wait: not settled: the run ended .* after the call: .*out of luck/,
    )
    expect(left).toEqual([])
  })
})

test.concurrent('auto takes what the service would take', async () => {
  const { stdout } = await examine(played(call(), SAID), ['0.2'])
  expect(stdout).toMatch(/good +tool wait: Cursor \(acp\)/)
})

test.concurrent.each(['x', '0', '-1', '4000'])('%s is no time to wait', async (text) => {
  const { code, stderr } = await runCli(['doctor', `--tool-wait=${text}`], { home: base })
  expect(stderr).toMatch(/--tool-wait.*expected seconds, more than 0 and at most 3600/)
  expect(code).toBe(EXIT.usage.code)
})

describe('what is concluded', () => {
  const turn = (change: Partial<HeldTurn>): HeldTurn => ({
    backend: 'acp',
    held: { at: 'not-called' },
    contact: 'called',
    text: 'late',
    failure: undefined,
    ...change,
  })
  const failure: Failure = { type: 'failure', code: 'agent-failed', message: 'no luck' }

  test('more than a minute settles the assumption, whatever came later', () => {
    const answered = { at: 'answered', ms: 75_020, isHeard: true } as const
    expect(judge(turn({ held: answered }))).toEqual({
      at: 'good',
      text: 'Cursor (acp) still waited after 75 s',
      settled: { 'tool-wait': true },
    })
    const late = judge(turn({ held: { at: 'given-up', ms: 180_400, told: true } }))
    expect(late).toMatchObject({ at: 'warning', settled: { 'tool-wait': true } })
    expect(late.fix).toContain('bridge.parked_timeout above 180 has no effect')
    const soon = judge(turn({ held: { at: 'given-up', ms: 59_900, told: true } }))
    expect(soon.settled).toEqual({ 'tool-wait': false })
  })

  test('one that gives up in silence keeps seats: a setting frees them', () => {
    const silent = judge(turn({ held: { at: 'given-up', ms: 60_100, told: false } }))
    expect(silent.text).toContain('gave up after 60.1 s, without telling our server')
    expect(silent.fix).toContain('set bridge.parked_timeout: 60,')
  })

  test('an answer that left no trace is no proof', () => {
    const held = { at: 'answered', ms: 75_000, isHeard: false } as const
    const result = judge(turn({ held }))
    expect(result).toMatchObject({ at: 'warning' })
    expect(result.settled).toBeUndefined()
    expect(result.fix).toContain('--tool-wait 37')
  })

  test('a run that ended, or failed, says nothing of how long it would have waited', () => {
    for (const held of [
      { at: 'left', ms: 2_000 },
      { at: 'given-up', ms: 2_000, told: true },
    ] as const) {
      const result = judge(turn({ held, failure }))
      expect(result.text).toBe('not settled: the run ended 2 s after the call: no luck')
      expect(result.settled).toBeUndefined()
    }
    expect(judge(turn({ contact: 'none', failure })).text).toMatch(/did not call the tool: no luck/)
  })
})
