import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { defaultConfig, type LoadInput, loadConfig } from '../../src/config/load.ts'
import { ConfigError } from '../../src/config/problem.ts'
import { SETTINGS } from '../../src/config/settings.ts'

const folder = mkdtempSync(join(tmpdir(), 'config-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

let count = 0
function fileWith(text: string): string {
  count += 1
  const path = join(folder, `config-${count}.yaml`)
  writeFileSync(path, text)
  return path
}

const load = (input: Partial<LoadInput> = {}) => loadConfig({ env: {}, userHome: folder, ...input })

function problemsOf(input: Partial<LoadInput>): readonly string[] {
  try {
    load(input)
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
  return []
}

test('without any source every setting has its default', () => {
  const { config, sources, file, home } = load()
  expect(config).toEqual(defaultConfig())
  expect(config).toMatchObject({
    port: 8976,
    host: '127.0.0.1',
    api_key: null,
    timeout: 300,
    concurrency: 5,
    pool: { warm: 1, kill_grace: 0.5, restarts: '5/60' },
    workspace: { default: 'scratch', roots: [], scratch_root: 'auto' },
    log: { level: 'info' },
  })
  expect(sources.size).toBe(0)
  expect(file).toBeUndefined()
  expect(home).toBe(join(folder, '.cursor-adapter'))
})

test('a flag beats the environment, which beats the file, which beats the default', () => {
  const file = fileWith('port: 1001\ntimeout: 11\nconcurrency: 2\npool:\n  warm: 3\n')
  const { config, sources } = load({
    file,
    env: { CURSOR_ADAPTER_PORT: '1002', CURSOR_ADAPTER_TIMEOUT: '12' },
    flags: { port: '1003', timeout: undefined },
  })
  expect(config).toMatchObject({ port: 1003, timeout: 12, concurrency: 2, pool: { warm: 3 } })
  expect(sources.get('port')).toBe('flag --port')
  expect(sources.get('timeout')).toBe('variable CURSOR_ADAPTER_TIMEOUT')
  expect(sources.get('pool.warm')).toBe(`config file ${file}`)
})

test('the usual file is read from our own folder, which CURSOR_ADAPTER_HOME can move', () => {
  writeFileSync(join(folder, 'config.yaml'), 'port: 4242\n')
  const { config, home } = load({ env: { CURSOR_ADAPTER_HOME: folder } })
  expect(config.port).toBe(4242)
  expect(home).toBe(folder)
})

test('the configuration cannot be changed, nested values included', () => {
  const { config } = load({ file: fileWith('workspace:\n  roots: [/srv]\n') })
  expect(Object.isFrozen(config.pool)).toBe(true)
  expect(Object.isFrozen(config.workspace.roots)).toBe(true)
})

test('a leading ~ is the home folder, in lists too', () => {
  const file = fileWith(
    'cursor_cli_path: ~/bin/agent\nworkspace:\n  default: ~/work\n  roots: ["~", ~/a]\n',
  )
  const { config } = load({ file })
  expect(config.cursor_cli_path).toBe(join(folder, 'bin/agent'))
  expect(config.workspace).toMatchObject({
    default: join(folder, 'work'),
    roots: [folder, join(folder, 'a')],
  })
})

test('lists, maps and booleans can be given in variables; an empty variable counts as not set', () => {
  const { config } = load({
    env: {
      CURSOR_ADAPTER_ALLOWED_HOSTS: 'box.local, box',
      CURSOR_ADAPTER_MODELS_ALIASES: '{"gpt-*":"auto"}',
      CURSOR_ADAPTER_RETRIES_JOIN: 'false',
      CURSOR_ADAPTER_PORT: '',
    },
  })
  expect(config.allowed_hosts).toEqual(['box.local', 'box'])
  expect(config.models.aliases).toEqual({ 'gpt-*': 'auto' })
  expect(config.retries.join).toBe(false)
  expect(config.port).toBe(8976)
})

const NUMERIC = SETTINGS.filter(({ kind }) => kind === 'integer' || kind === 'number')
const zeroAllowed = new Set([
  'port',
  'max_waiting',
  'pool.warm',
  'pool.exit_grace',
  'pool.nice',
  'bridge.max_parked',
  'bridge.group_ms',
  'retries.grace',
])
const BAD = NUMERIC.flatMap(({ key, env, form, kind }) =>
  ['abc', '-5', '1.5', '0', '1e3', '99999999']
    .filter((value) => !(value === '1.5' && kind === 'number'))
    .filter((value) => !(value === '0' && zeroAllowed.has(key)))
    .map((value) => ({ key, env, form, value })),
)

test.each(BAD)('$key refuses $value and names the range', ({ key, env, form, value }) => {
  const [problem, ...more] = problemsOf({ env: { [env]: value } })
  expect(more).toEqual([])
  expect(problem).toContain(`${key}: `)
  expect(problem).toContain(value)
  expect(problem).toContain(env)
  expect(problem).toContain(form)
})

test.each([
  ['a text for a number', 'port: "8976"\n', /port: '8976' from config file .*whole number/],
  ['nothing for a number', 'port:\n', /port: null/],
  ['a word outside the list', 'usage: maybe\n', /usage: 'maybe'.*one of prompt, cursor/],
  ['a relative root', 'workspace:\n  roots: [here]\n', /workspace\.roots: \["here"\]/],
  ['a group that is a value', 'pool: 3\n', /pool: .*group/],
  ['a list at the top', '- port\n', /top level/],
  ['text that is not YAML', 'port: [1\n', /line 2/],
  ['an unknown key', 'prot: 1\n', /prot: unknown setting.*did you mean port\?/],
  ['an unknown key in a group', 'pool:\n  wrm: 1\n', /pool\.wrm: unknown.*pool\.warm/],
  ['an alias without anchor', 'api_key: *sk-hidden\n', /unknown alias$/],
  ['a backend that is not there yet', 'backend: sdk\n', /not in this version: sdk/],
])('a config file with %s stops the start', (_what, text, expected) => {
  const problems = problemsOf({ file: fileWith(text) })
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatch(expected)
})

test('all problems are named at once', () => {
  const file = fileWith('port: x\nlimits:\n  body_mb: 0\nfoo: 1\n')
  expect(problemsOf({ file, env: { CURSOR_ADAPTER_TIMEOUT: 'no' } })).toHaveLength(4)
})

test('a named config file must exist', () => {
  const file = join(folder, 'absent.yaml')
  expect(problemsOf({ file })).toEqual([`config file ${file} does not exist`])
})

test('an unknown variable with our prefix stops the start, those of the demo agent and our folder do not', () => {
  expect(problemsOf({ env: { CURSOR_ADAPTER_POTR: '1' } })[0]).toMatch(
    /CURSOR_ADAPTER_POTR: unknown.*CURSOR_ADAPTER_PORT/,
  )
  const env = {
    CURSOR_ADAPTER_HOME: folder,
    CURSOR_ADAPTER_CHILD: 'abc',
    CURSOR_ADAPTER_DEMO_BOOT_MS: '1',
  }
  expect(problemsOf({ env })).toEqual([])
})

test('a secret is never echoed, and an empty one is refused', () => {
  const [bad] = problemsOf({ env: { CURSOR_ADAPTER_API_KEY: 'top secret' } })
  expect(bad).toMatch(/^api_key: its value \(not shown\) from variable CURSOR_ADAPTER_API_KEY/)
  expect(bad).not.toContain('top secret')
  expect(problemsOf({ env: { CURSOR_ADAPTER_API_KEY: '' } })).toHaveLength(1)
})

test.each(['0.0.0.0', '::', '192.168.1.4', 'box.local', '[::]'])(
  'listening on %s needs a key',
  (host) => {
    expect(problemsOf({ flags: { host } })[0]).toMatch(/api_key must be set/)
    expect(problemsOf({ flags: { host }, env: { CURSOR_ADAPTER_API_KEY: 'k1' } })).toEqual([])
  },
)

test.each(['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost'])(
  'listening on %s needs no key',
  (host) => {
    expect(problemsOf({ flags: { host } })).toEqual([])
  },
)
