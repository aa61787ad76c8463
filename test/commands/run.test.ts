// `run` with a stand-in for the clients, and the real service behind it.

import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../src/lib/json.ts'
import { DEMO_ENV, runCli } from '../support/cli.ts'
import { CLI, nothingLeft, startService } from '../support/service.ts'
import { until } from '../support/until.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const FAKE = join(import.meta.dirname, '../fixtures/programs/fake-client.mjs')
const SECRET = 'a-very-secret-key'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'run-test-'))
  mkdirSync(join(home, 'bin'))
})
const started: ChildProcess[] = []
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  rmSync(home, { recursive: true, force: true })
})

const notesFile = (): string => join(home, 'notes.json')
const environment = (program: string, more: Readonly<Record<string, string>>) => {
  if (!existsSync(join(home, 'bin', program))) symlinkSync(FAKE, join(home, 'bin', program))
  const path = `${join(home, 'bin')}:${dirname(process.execPath)}`
  return { PATH: path, NOTES: notesFile(), CURSOR_ADAPTER_PORT: '0', ...DEMO_ENV, ...more }
}
const run = (program: string, args: readonly string[], more: Record<string, string> = {}) =>
  runCli(['run', ...args], { home, env: environment(program, more) })

interface Notes {
  readonly args: unknown
  readonly env: JsonObject
  readonly health: unknown
  readonly reply: JsonObject
  readonly folder: unknown
}

function notes(): Notes {
  const value = parseJson(readFileSync(notesFile(), 'utf8'))
  if (!isObject(value)) throw new Error('the client wrote nothing')
  const { args, health, folder } = value
  return {
    args,
    health,
    folder,
    env: objectAt(value, 'env') ?? {},
    reply: objectAt(value, 'reply') ?? {},
  }
}

test.each([
  ['claude-code', 'claude', ['-p', 'hi', '--model', 'x']],
  ['qwen-code', 'qwen', ['--yolo', 'hi']],
])(
  '%s is started on a service of its own, answers come, and nothing is left',
  async (name, program, args) => {
    const journal = join(home, 'journal.jsonl')
    const { code, stdout, stderr } = await run(program, [name, ...args], {
      ENDING: '3',
      CURSOR_ADAPTER_DEMO_JOURNAL: journal,
    })
    expect(stderr).toBe('')
    expect(stdout).toBe('')
    expect(code).toBe(3)
    const seen = notes()
    expect(seen.args).toEqual(expect.arrayContaining(args))
    expect(seen.health).toMatchObject({ status: 'ok' })
    expect(seen.reply).toMatchObject({ choices: [{ message: { role: 'assistant' } }] })
    const base = stringAt(seen.env, 'ANTHROPIC_BASE_URL') ?? stringAt(seen.env, 'OPENAI_BASE_URL')
    await expect(fetch(`${base}/health`)).rejects.toThrow()
    expect(existsSync(join(home, '.cursor-adapter/run/service.json'))).toBe(false)
    const facts = readFileSync(journal, 'utf8').split('\n').map(parseJson).filter(isObject)
    expect(facts.length).toBeGreaterThan(0)
    await nothingLeft(facts, join(home, `cursor-adapter-${process.getuid?.() ?? 'user'}`))
  },
)

test('Claude Code gets the switches, and no key of another service', async () => {
  await run('claude', ['claude-code'], { ANTHROPIC_API_KEY: 'sk-ant-other', FOO: 'kept' })
  const { env } = notes()
  expect(env).toMatchObject({
    ANTHROPIC_AUTH_TOKEN: 'unused',
    ENABLE_TOOL_SEARCH: 'false',
    CLAUDE_CODE_GATEWAY_HINT_HEADERS: '1',
    FOO: 'kept',
  })
  expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
})

test.each([
  ['claude-code', 'claude'],
  ['codex', 'codex'],
  ['opencode', 'opencode'],
  ['qwen-code', 'qwen'],
  ['hermes', 'hermes'],
])('%s gets the access key in its environment, never in its arguments', async (name, program) => {
  const { code } = await run(program, [name], { CURSOR_ADAPTER_API_KEY: SECRET })
  expect(code).toBe(0)
  const { args, env } = notes()
  expect(JSON.stringify(args)).not.toContain(SECRET)
  expect(Object.values(env)).toContain(SECRET)
})

test('Codex and OpenCode are pointed at the service by settings for this run', async () => {
  await run('codex', ['--model', 'gpt-5.5', 'codex', 'exec', '--json', 'hi'])
  const codex = notes().args
  expect(codex).toEqual(
    expect.arrayContaining([
      'model="gpt-5.5"',
      'model_provider="cursor-adapter"',
      'exec',
      '--json',
    ]),
  )
  expect(JSON.stringify(codex)).toMatch(/base_url=\\"http:\/\/127\.0\.0\.1:\d+\/v1\\"/)
  await run('opencode', ['opencode', 'run', 'hi'])
  const content = parseJson(stringAt(notes().env, 'OPENCODE_CONFIG_CONTENT') ?? '')
  expect(content).toMatchObject({
    model: 'cursor/auto',
    provider: { cursor: { models: { auto: { limit: { context: 200_000 } } } } },
  })
})

test('Hermes gets settings of this run in a folder that is gone afterwards', async () => {
  await run('hermes', ['hermes', 'chat'])
  const { args, env, folder } = notes()
  expect(args).toEqual(['chat'])
  expect(folder).toMatch(
    /^model:\n {2}provider: custom\n {2}base_url: http:\/\/127\.0\.0\.1:\d+\/v1\n/,
  )
  expect(existsSync(stringAt(env, 'HERMES_MANAGED_DIR') ?? '')).toBe(false)
})

test('a service that is up is used, and stays up', async () => {
  const service = await startService()
  await until('the service file', 15_000, () =>
    existsSync(join(service.folder, 'adapter/run/service.json')),
  )
  const more = { CURSOR_ADAPTER_HOME: join(service.folder, 'adapter') }
  const { code } = await run('claude', ['claude-code'], more)
  expect(code).toBe(0)
  expect(notes().env).toMatchObject({ ANTHROPIC_BASE_URL: service.url })
  expect(service.prompts().some((prompt) => prompt.includes('hello'))).toBe(true)
  expect((await fetch(`${service.url}/health`)).status).toBe(200)
  await service.stop()
})

test('a configured port that something else has taken is left to it', async () => {
  const server = createServer((_request, response) => response.end('not ours'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = String(typeof address === 'object' ? address?.port : '')
  const { code } = await run('claude', ['claude-code'], { CURSOR_ADAPTER_PORT: port })
  server.close()
  expect(code).toBe(0)
  expect(notes().health).toMatchObject({ status: 'ok' })
  expect(notes().env.ANTHROPIC_BASE_URL).not.toContain(`:${port}`)
})

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s goes to the client, whose exit code counts',
  async (signal) => {
    const child = spawn(process.execPath, [CLI, 'run', 'claude-code'], {
      env: { HOME: home, TMPDIR: home, ...environment('claude', { ENDING: signal }) },
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    started.push(child)
    const exited = new Promise((resolve) => child.on('exit', resolve))
    await until('the client to be up', 30_000, () => existsSync(notesFile()))
    child.kill(signal)
    expect(await exited).toBe(42)
  },
)

test('a client that a signal ended counts as 128 and its number', async () => {
  expect((await run('claude', ['claude-code'], { ENDING: 'kill' })).code).toBe(137)
})

test('a client that is not installed is named with the way to install it', async () => {
  const { code, stderr } = await runCli(['run', 'codex'], { home, env: DEMO_ENV })
  expect(code).toBe(EXIT.clientMissing.code)
  expect(stderr).toContain('Codex is not installed')
  expect(stderr).toContain('npm install -g @openai/codex')
})

test('without a service and without the CLI it says what to install, and starts no client', async () => {
  const { code, stderr } = await run('claude', ['claude-code'], {
    CURSOR_ADAPTER_CURSOR_CLI_PATH: '/nowhere/agent',
  })
  expect(code).toBe(EXIT.cliMissing.code)
  expect(stderr).toContain('agent login')
  expect(existsSync(notesFile())).toBe(false)
})

test('a client that can only be set up is refused', async () => {
  const { code, stderr } = await run('aider', ['aider'])
  expect(code).toBe(EXIT.usage.code)
  expect(stderr).toContain('cursor-adapter setup aider')
})
