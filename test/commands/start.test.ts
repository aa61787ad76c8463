import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { isAlive, until } from '../support/until.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const home = mkdtempSync(join(tmpdir(), 'start-test-'))
afterAll(() => rmSync(home, { recursive: true }))

const run = (args: readonly string[], env: Record<string, string> = {}) =>
  runCli(args, { home, env })

function program(name: string, body: string): string {
  const path = join(home, name)
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

function plainFile(name: string): string {
  const path = join(home, name)
  writeFileSync(path, '')
  return path
}

test.concurrent.each([
  ['--version', /^\d+\.\d+\.\d+\n$/],
  ['--help', /Examples:[\s\S]*Exit codes:/],
  ['serve --help', /--port[\s\S]*--allow-missing-cli|--allow-missing-cli[\s\S]*--port/],
  ['demo --help', /--once/],
  ['doctor --help', /--prompt/],
  ['models --help', /Examples/],
  ['status --help', /Examples/],
  ['service --help', /uninstall/],
  ['service install --help', /--dry-run/],
])('%s explains itself on standard output and succeeds', async (line, expected) => {
  const { code, stdout, stderr } = await run(line.split(' '))
  expect(stdout).toMatch(expected)
  expect(stderr).toBe('')
  expect(code).toBe(0)
})

test.concurrent.each([
  ['doctr', /unknown command 'doctr'; did you mean doctor\?/],
  ['frobnicate', /unknown command 'frobnicate'; commands: serve, /],
  ['serve --prot 1', /unknown option '--prot'[\s\S]*--port/],
  ['serve extra', /too many arguments/],
  ['service', /install/],
])('%s ends with the usage code and a hint', async (line, expected) => {
  const { code, stdout, stderr } = await run(line.split(' '))
  expect(stderr).toMatch(expected)
  expect(stdout).toBe('')
  expect(code).toBe(EXIT.usage.code)
})

test.concurrent('a bad setting stops the start before anything else, with its own code', async () => {
  const { code, stdout, stderr } = await run(['--port', 'abc'], { CURSOR_ADAPTER_TIMEOUT: '0' })
  expect(stderr).toMatch(/port: 'abc' from flag --port .*whole number from 0 to 65535/)
  expect(stderr).toMatch(/timeout: 0 from variable CURSOR_ADAPTER_TIMEOUT .*from 1 to/)
  expect(stdout).toBe('')
  expect(code).toBe(EXIT.config.code)
})

test.concurrent('listening on all interfaces without a key is refused', async () => {
  const { code, stderr } = await run(['--host', '0.0.0.0'], DEMO_ENV)
  expect(stderr).toMatch(/api_key must be set/)
  expect(code).toBe(EXIT.config.code)
})

test.concurrent.each([
  ['nowhere on the PATH', () => 'auto', /no cursor-agent or agent on the PATH/],
  ['absent', () => join(home, 'absent'), /does not exist/],
  ['not executable', () => plainFile('plain'), /is not executable/],
  [
    'ending with an error',
    () => program('failing', 'echo broken >&2; exit 3'),
    /exit code 3: broken/,
  ],
  ['crashing', () => program('crashing', 'kill -SEGV $$'), /SIGSEGV/],
])(
  'a CLI that is %s stops the start with the reason and what to do',
  async (_what, make, reason) => {
    const { code, stdout, stderr } = await run(['--port', '0'], {
      CURSOR_ADAPTER_CURSOR_CLI_PATH: make(),
    })
    expect(stderr).toMatch(reason)
    expect(stderr).toMatch(/cursor_cli_path.*--allow-missing-cli/)
    expect(stdout).not.toContain('listening')
    expect(code).toBe(EXIT.cliMissing.code)
  },
)

test.concurrent('a taken port ends the start, names address and port, and starts no agent', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const mark = join(home, 'asked')
  const cli = program('noting', `/usr/bin/touch ${mark}; echo 2026.10.01-abc`)
  try {
    const result = await run(['--port', String(port)], { CURSOR_ADAPTER_CURSOR_CLI_PATH: cli })
    expect(result.stderr).toContain(`127.0.0.1:${port}`)
    expect(result.code).toBe(EXIT.portTaken.code)
    expect(existsSync(mark)).toBe(false)
  } finally {
    other.close()
  }
})

test.concurrent('a CLI that hangs on --version is killed whole and counts as missing', {
  timeout: 60_000,
}, async () => {
  const pidFile = join(home, 'hanging-pid')
  const cli = program('hanging', `echo $$ > ${pidFile}; exec /bin/sleep 300`)
  const result = await run(['--port', '0'], { CURSOR_ADAPTER_CURSOR_CLI_PATH: cli })
  expect(result.stderr).toMatch(/no answer within 10 s/)
  expect(result.code).toBe(EXIT.cliMissing.code)
  const pid = Number(readFileSync(pidFile, 'utf8'))
  await until('the hanging program to be gone', 2000, () => !isAlive(pid))
})

test.concurrent('demo --once asks itself one streamed question, prints the answer and ends with 0', async () => {
  const env = { CURSOR_ADAPTER_DEMO_PACE_MS: '0' }
  const { code, stdout, stderr } = await run(['demo', '--once', '--port', '0'], env)
  expect(stdout).toMatch(/no account is used/)
  expect(stdout).toMatch(/listening on http:\/\/127\.0\.0\.1:\d+\n/)
  expect(stdout).toMatch(/models \(\d+\):\n {2}auto/)
  expect(stdout).toMatch(/POST http:\S+\/v1\/chat\/completions[\s\S]*demo agent[\s\S]*\(streamed/)
  expect(stderr).not.toContain('"level":"error"')
  expect(code).toBe(0)
})
