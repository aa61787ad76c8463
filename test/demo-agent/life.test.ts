// Reading the prompt, timing, signals, and every way the process can end.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../support/until.ts'
import { linesOf, runAgent, STREAM, startAgent, textOf } from './run-agent.ts'

const ECHO = { runs: [{ steps: [{ echo: true }] }] }

test('the prompt is all of stdin to its end, byte for byte, and is in the journal', async () => {
  const prompt = `ä\r\n"😀" ${'long '.repeat(50_000)}\n\n`
  const { stdout, journal } = await runAgent({ script: ECHO, stdin: prompt })
  expect(textOf(linesOf(stdout)[0] ?? {})).toBe(prompt)
  expect(journal).toMatchObject([
    { event: 'start', argv: STREAM, env: { PATH: null, CURSOR_ADAPTER_DEMO_PACE_MS: '0' } },
    { event: 'prompt', prompt, bytes: Buffer.byteLength(prompt) },
    { event: 'exit', code: 0 },
  ])
})

test('nothing happens while the pipe is open, with and without a prompt in argv', async () => {
  const agents = [[], ['two', 'words']].map((words) => {
    return startAgent({ script: ECHO, args: [...STREAM, ...words] })
  })
  for (const agent of agents) {
    agent.child.stdin.write('from ')
    await until('the start', 10_000, () => agent.journal().length > 0)
  }
  // Proving a negative needs a little time; both agents share it.
  await delay(300)
  expect(agents.map((agent) => agent.stdout())).toEqual(['', ''])
  for (const agent of agents) agent.child.stdin.end('stdin')
  const prompts = await Promise.all(
    agents.map(async (agent) => linesOf((await agent.ended).stdout)),
  )
  expect(prompts.map(([line]) => textOf(line ?? {}))).toEqual(['from stdin', 'two words'])
})

test('a version that does not read stdin takes the prompt from argv and waits for nothing', async () => {
  const agent = startAgent({ script: ECHO, args: [...STREAM, 'hi'], env: { STDIN: 'ignored' } })
  expect(textOf(linesOf((await agent.ended).stdout)[0] ?? {})).toBe('hi')
})

test('boot, think and linger times are kept', async () => {
  const startedMs = performance.now()
  const agent = startAgent({
    script: { runs: [{ steps: [{ init: true }, { result: true }] }] },
    env: { BOOT_MS: '400', THINK_MS: '300', LINGER_MS: '300' },
    stdin: 'x',
  })
  await until('the result', 15_000, () => agent.stdout().includes('"result"'))
  const resultMs = performance.now() - startedMs
  const { code } = await agent.ended
  expect(code).toBe(0)
  expect(resultMs).toBeGreaterThanOrEqual(690)
  expect(performance.now() - startedMs - resultMs).toBeGreaterThanOrEqual(200)
})

test.each([
  { signal: 'SIGTERM', code: 143 },
  { signal: 'SIGINT', code: 130 },
] as const)('$signal ends it with exit code $code', async ({ signal, code }) => {
  const agent = startAgent({})
  await until('the start', 10_000, () => agent.journal().length > 0)
  agent.child.kill(signal)
  expect(await agent.ended).toMatchObject({ code, signal: null })
  expect(agent.journal().slice(-2)).toMatchObject([
    { event: 'signal', signal },
    { event: 'exit', code },
  ])
})

test('SIGTERM is heard while nobody reads its output', async () => {
  const agent = startAgent({
    script: { runs: [{ steps: [{ burst: { events: 1_000_000, size: 100 } }] }] },
    stdin: 'x',
  })
  agent.child.stdout.pause()
  await until('the prompt', 10_000, () => agent.journal().length > 1)
  agent.child.kill('SIGTERM')
  const exited = new Promise((resolve) => agent.child.once('exit', resolve))
  expect(await exited).toBe(143)
})

test('ignored signals are noted and survived', async () => {
  const agent = startAgent({
    script: { startup: [{ ignore: ['SIGTERM', 'SIGUSR2'] }, { raw: 'deaf' }], runs: [] },
  })
  await until('deafness', 10_000, () => agent.stdout() === 'deaf')
  agent.child.kill('SIGTERM')
  agent.child.kill('SIGUSR2')
  const signals = (): unknown[] => {
    const facts = agent.journal().filter((fact) => fact.event === 'signal')
    return facts.map((fact) => fact.signal)
  }
  await until('both signals', 10_000, () => signals().length === 2)
  expect(new Set(signals())).toEqual(new Set(['SIGTERM', 'SIGUSR2']))
  expect(agent.child.exitCode).toBeNull()
})

const ENDINGS: readonly {
  readonly name: string
  readonly steps: readonly unknown[]
  readonly code: number | null
  readonly signal: string | null
}[] = [
  { name: 'an exit code', steps: [{ raw: 'x' }, { exit: 7 }, { raw: 'y' }], code: 7, signal: null },
  { name: 'a crash', steps: [{ raw: 'x' }, { signal: 'SIGKILL' }], code: null, signal: 'SIGKILL' },
  {
    name: 'SIGTERM to itself',
    steps: [{ raw: 'x' }, { signal: 'SIGTERM' }],
    code: null,
    signal: 'SIGTERM',
  },
]

test.concurrent.each(ENDINGS)(
  'it can die by $name, output first',
  async ({ steps, code, signal }) => {
    const ended = await runAgent({ script: { runs: [{ steps }] } })
    expect(ended.stdout.toString()).toBe('x')
    expect(ended).toMatchObject({ code, signal })
  },
)

test.each([{ hang: true }, { noExit: true }])('%o keeps it alive', async (step) => {
  const agent = startAgent({ script: { runs: [{ steps: [{ raw: 'x' }, step] }] }, stdin: 'x' })
  await until('its output', 10_000, () => agent.stdout() === 'x')
  await delay(150)
  expect(agent.child.exitCode).toBeNull()
})

test.each([
  { name: 'a burst', steps: [{ burst: { events: 100_000_000 } }] },
  { name: 'paced deltas', steps: [{ burst: { events: 1_000_000, perSecond: 200 } }] },
  { name: 'stamps', steps: [{ stamps: { events: 100_000_000 } }] },
  { name: 'single deltas', steps: [{ repeat: 100_000_000, steps: [{ delta: 'x' }] }] },
])('it dies when the reader of $name goes away', async ({ steps }) => {
  const agent = startAgent({ script: { runs: [{ steps }] }, stdin: 'x' })
  await until('some output', 10_000, () => agent.stdout().length > 100)
  agent.child.stdout.destroy()
  expect((await agent.ended).code).toBe(1)
})
