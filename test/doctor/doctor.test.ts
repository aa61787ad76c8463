import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { judgeNode } from '../../src/doctor/node-version.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const home = mkdtempSync(join(tmpdir(), 'doctor-test-'))
afterAll(() => rmSync(home, { recursive: true }))

const free = { CURSOR_ADAPTER_PORT: '0' }
const examine = (env: Record<string, string> = {}, args: readonly string[] = []) =>
  runCli(['doctor', ...args], { home, env: { ...DEMO_ENV, ...free, ...env } })

function program(name: string, body: string): string {
  const path = join(home, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

test.each([
  ['18.20.1', 'bad'],
  ['20.18.3', 'bad'],
  ['20.19.0', 'good'],
  ['24.1.0', 'good'],
])('Node %s is %s', (version, at) => {
  expect(judgeNode(version).at).toBe(at)
})

test.concurrent('all is well with a working CLI, and no prompt is sent unasked', async () => {
  const journal = join(home, 'journal')
  const { code, stdout } = await examine({ CURSOR_ADAPTER_DEMO_JOURNAL: journal })
  expect(stdout).toMatch(/good +cursor cli: .*2026\.10\.01-demo000/)
  expect(stdout).toMatch(/good +login/)
  expect(stdout).toMatch(/good +models: \d+ models/)
  expect(stdout).toMatch(/good +private config folder/)
  expect(stdout).toMatch(/skipped +warm prompt: .*--prompt/)
  expect(stdout).toMatch(/holds +login-in-private-config/)
  expect(stdout).toMatch(/open +prompt-on-stdin/)
  expect(stdout).toMatch(/ 0 bad/)
  expect(readFileSync(journal, 'utf8')).not.toContain('"event":"prompt"')
  expect(code).toBe(0)
})

test.concurrent('--prompt sends one to a parked process and settles what that shows', async () => {
  const { code, stdout } = await examine({ CURSOR_ADAPTER_DEMO_PACE_MS: '0' }, ['--prompt'])
  expect(stdout).toMatch(/good +warm prompt: answered from a parked process; first event \d+ ms/)
  for (const name of ['parked-on-stdin', 'prompt-on-stdin', 'result-event', 'usage-reported']) {
    expect(stdout).toMatch(new RegExp(`holds +${name}`))
  }
  expect(stdout).toMatch(/open +parked-ten-minutes/)
  expect(code).toBe(0)
})

test.concurrent('ACP mode: a session without a prompt, and the words for models there', async () => {
  const { stdout } = await examine()
  expect(stdout).toMatch(/good +acp mode: session open after \d+ ms; \d+ models, base names/)
  expect(stdout).toMatch(/holds +acp-session/)
  const bracketed = await examine({ CURSOR_ADAPTER_DEMO_QUIRKS: 'bracket-models' })
  expect(bracketed.stdout).toMatch(/good +acp mode: .* models, variants in brackets: default\[\], /)
  const cli = program(
    'no-acp',
    'case "$1" in --version) echo 2026.01.01-abc;; *) echo hello;; esac',
  )
  const { stdout: without } = await examine({ CURSOR_ADAPTER_CURSOR_CLI_PATH: cli })
  expect(without).toMatch(/warning +acp mode: no session: it wrote: hello/)
  expect(without).toMatch(/FAILS +acp-session/)
})

test.concurrent.each([
  ['quokka-41', 'proven', /good +resumed chats: proven for version/],
  ['which word?', 'broken', /warning +resumed chats: broken: .* it said: which word\?/],
])('--prompt asks a resumed chat for a word; %s is kept as %s', async (said, verdict, line) => {
  const own = join(home, `resume-${verdict}`)
  const script = join(home, `resume-${verdict}.json`)
  const answer = (text: string) => [{ init: true }, { delta: text }, { result: true }]
  const runs = [
    { match: '^Remember', steps: answer('noted') },
    { match: '^Which word', steps: answer(said) },
    { steps: answer('ready') },
  ]
  writeFileSync(script, JSON.stringify({ runs }))
  const version = '2026.10.01-abc1234'
  const journal = join(home, `resume-${verdict}.journal`)
  const env = {
    CURSOR_ADAPTER_HOME: own,
    CURSOR_ADAPTER_DEMO_VERSION: version,
    CURSOR_ADAPTER_DEMO_SCRIPT: script,
    CURSOR_ADAPTER_DEMO_JOURNAL: journal,
  }
  const { stdout } = await examine(env, ['--prompt'])
  expect(stdout).toMatch(line)
  expect(readFileSync(journal, 'utf8')).toMatch(/"--resume","[0-9a-f-]{36}"/)
  const state: unknown = JSON.parse(readFileSync(join(own, 'state.json'), 'utf8'))
  expect(state).toEqual({ cliVersions: { [version]: { resume: verdict } } })
  // Without the flag it only tells what is known.
  expect((await examine(env)).stdout).toMatch(new RegExp(`skipped +resumed chats: ${verdict} for`))
})

test.concurrent('a version that does not read stdin is told apart from a failing one', async () => {
  const cli = program(
    'no-stdin',
    'case "$1" in --version) echo 2026.10.01-abc;; models) echo "auto - Auto";; -p) cat >/dev/null; echo "Error: No prompt provided for print mode" >&2; exit 1;; esac',
  )
  const env = { CURSOR_ADAPTER_CURSOR_CLI_PATH: cli, PATH: '/usr/bin:/bin' }
  const { stdout } = await examine(env, ['--prompt'])
  expect(stdout).toMatch(/warning +warm prompt: no answer: Error: No prompt provided/)
  expect(stdout).toMatch(/FAILS +prompt-on-stdin/)
})

test.concurrent('without a login it says so, and how to sign in', async () => {
  const { code, stdout } = await examine({ CURSOR_ADAPTER_DEMO_LOGIN: 'missing' })
  expect(stdout).toMatch(/bad +login: .*\n.*why: .*\n.*fix: sign in: agent login/)
  expect(stdout).toMatch(/bad +models/)
  expect(stdout).toMatch(/skipped +private config folder: no login/)
  expect(code).toBe(EXIT.unhealthy.code)
})

test.concurrent('a missing CLI is one finding, not five', async () => {
  const { code, stdout } = await examine({ CURSOR_ADAPTER_CURSOR_CLI_PATH: '/nowhere/agent' })
  expect(stdout).toMatch(/bad +cursor cli: .*does not exist\n.*why.*\n.*fix: .*cursor_cli_path/)
  expect(stdout).toMatch(/, 1 bad/)
  expect(code).toBe(EXIT.unhealthy.code)
})

test.concurrent('another product under the same name is noticed', async () => {
  const cli = program('other', 'echo "agent v7"')
  const { stdout } = await examine({ CURSOR_ADAPTER_CURSOR_CLI_PATH: cli })
  expect(stdout).toMatch(/warning +cursor cli: .*'agent v7'/)
  expect(stdout).toMatch(/FAILS +version-form/)
})

test.concurrent('a bad configuration is a finding, and the rest is still checked', async () => {
  const { code, stdout } = await examine({ CURSOR_ADAPTER_TIMEOUT: 'x' })
  expect(stdout).toMatch(/bad +config: timeout: 'x'/)
  expect(stdout).toMatch(/good +node/)
  expect(code).toBe(EXIT.unhealthy.code)
})

test.concurrent('a port used by another program is told with the way out', async () => {
  const other = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  try {
    const { stdout } = await examine({ CURSOR_ADAPTER_PORT: String(port) })
    expect(stdout).toMatch(new RegExp(`bad +port: 127.0.0.1:${port} is used by another program`))
  } finally {
    other.close()
  }
})
