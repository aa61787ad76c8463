// `setup` as a user types it, in a home of its own.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CLIENTS } from '../../src/clients/clients.ts'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { runCli } from '../support/cli.ts'
import { startService } from '../support/service.ts'
import { until } from '../support/until.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

const SECRET = 'a-very-secret-key'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'setup-test-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const setup = (args: string, env: Record<string, string> = {}) =>
  runCli(['setup', ...args.split(' ').filter((arg) => arg !== '')], { home, env })

test('without a name every client is listed', async () => {
  const { code, stdout } = await setup('')
  expect(code).toBe(0)
  expect(stdout.trim().split('\n')).toHaveLength(CLIENTS.length)
  for (const { name, title } of CLIENTS)
    expect(stdout).toMatch(new RegExp(`^${name} +${title}`, 'm'))
})

test('every client is told the configured address and the key by its name only', async () => {
  mkdirSync(join(home, '.cursor-adapter'))
  writeFileSync(join(home, '.cursor-adapter/config.yaml'), `port: 4711\napi_key: ${SECRET}\n`)
  for (const { name } of CLIENTS) {
    const { code, stdout, stderr } = await setup(name)
    expect(code, stderr).toBe(0)
    expect(stdout, name).toContain('http://127.0.0.1:4711')
    expect(stdout, name).not.toContain('\u001b')
    expect(stdout + stderr).not.toContain(SECRET)
    expect(stderr).toContain('CURSOR_ADAPTER_API_KEY')
  }
})

test('Claude Code is told to show all tools and to say what kind of request it sends', async () => {
  const { stdout } = await setup('claude-code')
  expect(stdout).toContain('export ANTHROPIC_BASE_URL=http://127.0.0.1:8976\n')
  expect(stdout).toContain('export ENABLE_TOOL_SEARCH=false\n')
  expect(stdout).toContain('export CLAUDE_CODE_GATEWAY_HINT_HEADERS=1\n')
})

const FILES = [
  {
    name: 'claude-code',
    path: '.claude/settings.json',
    before: '{\n    "theme": "dark",\n    "env": {"FOO": "1"}\n}',
    has: '"ANTHROPIC_BASE_URL": "http://127.0.0.1:8976"',
    withKey: '"apiKeyHelper": "printenv CURSOR_ADAPTER_API_KEY"',
  },
  {
    name: 'opencode',
    path: '.config/opencode/opencode.jsonc',
    before: '{\n  // mine\n  "theme": "x",\n}\n',
    has: '"baseURL": "http://127.0.0.1:8976/v1"',
    withKey: '"apiKey": "{env:CURSOR_ADAPTER_API_KEY}"',
  },
  {
    name: 'codex',
    path: '.codex/config.toml',
    before: 'model = "gpt-5.5"\n\n[tui]\nnotifications = true\n',
    has: 'base_url = "http://127.0.0.1:8976/v1"',
    withKey: 'env_key = "CURSOR_ADAPTER_API_KEY"',
  },
  {
    name: 'hermes',
    path: '.hermes/config.yaml',
    before: '# mine\nmodel:\n    default: anthropic/opus\ntoolsets: [all]\n',
    has: 'base_url: http://127.0.0.1:8976/v1',
    withKey: 'api_key: \u0024{CURSOR_ADAPTER_API_KEY}',
  },
]

test.each(FILES)(
  '$name: written into its own file, once; undone it is what it was',
  async ({ name, path, before, has, withKey }) => {
    const file = join(home, path)
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, before)
    const read = (): string => readFileSync(file, 'utf8')

    const dry = await setup(`${name} --dry-run`)
    expect(dry.stdout).toContain(`would change ${file}`)
    expect(dry.stdout).toContain(has)
    expect(read()).toBe(before)

    const written = await setup(`${name} --write`)
    expect(written.code, written.stderr).toBe(0)
    const after = read()
    expect(after).toContain(has)
    const again = await setup(`${name} --write`)
    expect(again.stdout).toContain('is up to date')
    expect(read()).toBe(after)

    const keyed = await setup(`${name} --write`, { CURSOR_ADAPTER_API_KEY: SECRET })
    expect(keyed.stderr).toContain('set CURSOR_ADAPTER_API_KEY')
    expect(read()).toContain(withKey)
    expect(read()).not.toContain(SECRET)
    const keyless = await setup(`${name} --write`)
    expect(keyless.code).toBe(0)
    expect(read()).toBe(after)

    const undone = await setup(`${name} --undo`)
    expect(undone.stdout).toContain('as it was before')
    expect(read()).toBe(before)
    expect(readdirSync(join(home, '.cursor-adapter/setup'))).toEqual([])
    expect((await setup(`${name} --undo`)).code).toBe(0)
  },
)

test('the running service says where it is and which models it has', async () => {
  const service = await startService()
  const own = join(service.folder, 'adapter')
  await until('the service file', 15_000, () => existsSync(join(own, 'run/service.json')))
  const { stdout } = await setup('opencode', { CURSOR_ADAPTER_HOME: own })
  expect(stdout).toContain(`"baseURL": "${service.url}/v1"`)
  expect(stdout).toContain('"gpt-5.5-high": {')
  expect(stdout).toContain('"name": "GPT-5.5 High"')
  expect(stdout).toContain('"context": 272000')
  await service.stop()
})

test('a client without any configuration yet has none after undo', async () => {
  await setup('codex --write --model gpt-5.5')
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toMatch(/^model = "gpt-5\.5"\n/)
  const { stdout } = await setup('codex --undo')
  expect(stdout).toContain('was not there before')
  expect(existsSync(join(home, '.codex'))).toBe(false)
})

test('a file in a form that cannot be edited is left as it is', async () => {
  mkdirSync(join(home, '.codex'))
  writeFileSync(join(home, '.codex/config.toml'), 'model_providers = {}\n')
  const { code, stderr } = await setup('codex --write')
  expect(code).toBe(EXIT.failed.code)
  expect(stderr).toMatch(/config\.toml is left as it is: line 1: /)
  expect(readFileSync(join(home, '.codex/config.toml'), 'utf8')).toBe('model_providers = {}\n')
})

test.each([
  ['an unknown client', 'claud-code', /did you mean claude-code\?/],
  ['writing for a client whose file is not written', 'aider --write', /has no file/],
  ['writing and undoing at once', 'codex --write --undo', /conflict|cannot be used with/],
])('%s is a mistake of the caller', async (_what, args, said) => {
  const { code, stderr } = await setup(args)
  expect(code).toBe(EXIT.usage.code)
  expect(stderr).toMatch(said)
})
