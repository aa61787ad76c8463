import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { seedConfig } from '../../src/workspace/cursor-home.ts'
import { SEALED_PERMISSIONS } from '../../src/workspace/sealed-room.ts'

let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'cursor-home-test-'))
})
afterEach(() => {
  rmSync(base, { recursive: true })
})

function write(path: string, text: string): void {
  const file = join(base, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text, { mode: 0o644 })
}
const read = (path: string): string => readFileSync(join(base, path), 'utf8')
const seed = (env: NodeJS.ProcessEnv, sealed = false): Promise<void> =>
  seedConfig(join(base, 'target'), { HOME: join(base, 'home'), ...env }, { sealed })

const CONFIG =
  '{"version":1,"permissions":{"allow":["Shell(ls)"]},"authInfo":{"email":"a@b"},"model":{}}'

function userFolder(path: string): void {
  write(`${path}/cli-config.json`, CONFIG)
  write(`${path}/acp-config.json`, 'acp')
  write(`${path}/agent-cli-state.json`, 'state')
  write(`${path}/permissions.json`, 'permissions')
  write(`${path}/auth.json`, 'login')
  write(`${path}/mcp.json`, 'mcp')
  write(`${path}/rules/one.mdc`, 'rule')
  write(`${path}/skills/review/SKILL.md`, 'skill')
  write(`${path}/chats/secret/store.db`, 'other work')
}

describe('mode agent', () => {
  test.each([
    [
      'the configured folder',
      'configured',
      { CURSOR_CONFIG_DIR: 'configured', XDG_CONFIG_HOME: 'xdg' },
    ],
    ['the XDG folder', 'xdg/cursor', { XDG_CONFIG_HOME: 'xdg' }],
    ['the home folder', 'home/.cursor', {}],
  ])('the private folder holds what %s holds', async (_name, source, env) => {
    userFolder(source)
    const at = Object.fromEntries(Object.entries(env).map(([key, path]) => [key, join(base, path)]))
    await seed(at)
    expect(readdirSync(join(base, 'target')).sort().join(' ')).toBe(
      'acp-config.json agent-cli-state.json auth.json cli-config.json mcp.json permissions.json ' +
        'projects rules skills',
    )
    expect(read('target/cli-config.json')).toBe(CONFIG)
    expect(read('target/auth.json')).toBe('login')
    expect(read('target/rules/one.mdc')).toBe('rule')
    expect(lstatSync(join(base, 'target/rules')).isSymbolicLink()).toBe(true)
    expect(statSync(join(base, 'target/auth.json')).mode & 0o777).toBe(0o600)
  })

  test('an XDG folder that does not exist does not hide the home folder', async () => {
    userFolder('home/.cursor')
    await seed({ XDG_CONFIG_HOME: join(base, 'nowhere') })
    expect(read('target/cli-config.json')).toBe(CONFIG)
  })

  test('what a child writes never reaches the user’s folder', async () => {
    userFolder('home/.cursor')
    await seed({})
    for (const name of ['cli-config.json', 'auth.json', 'acp-config.json', 'permissions.json']) {
      writeFileSync(join(base, 'target', name), 'rewritten')
    }
    expect(read('home/.cursor/cli-config.json')).toBe(CONFIG)
    expect(read('home/.cursor/auth.json')).toBe('login')
  })
})

test.each([false, true])('a login below ~/.config/cursor is found (sealed: %j)', async (sealed) => {
  write('home/.cursor/cli-config.json', CONFIG)
  write('home/.config/cursor/auth.json', 'login')
  await seed({}, sealed)
  expect(read('target/auth.json')).toBe('login')
})

test('a sealed room has the login and the network settings, and nothing else of the user', async () => {
  userFolder('home/.cursor')
  await seed({}, true)
  expect(readdirSync(join(base, 'target')).sort()).toEqual([
    'auth.json',
    'cli-config.json',
    'projects',
  ])
  expect(JSON.parse(read('target/cli-config.json'))).toEqual({
    version: 1,
    authInfo: { email: 'a@b' },
    permissions: SEALED_PERMISSIONS,
    approvalMode: 'allowlist',
  })
})

test('a sealed room without any configuration to take over denies the same', async () => {
  await seed({}, true)
  const config: unknown = JSON.parse(read('target/cli-config.json'))
  expect(config).toMatchObject({ permissions: SEALED_PERMISSIONS })
})

test.each([
  ['no folder at all', undefined],
  ['a torn configuration', '{"version":1,"permi'],
])('%s gives a configuration in which no command is allowed', async (_name, text) => {
  if (text !== undefined) write('home/.cursor/cli-config.json', text)
  await seed({})
  expect(JSON.parse(read('target/cli-config.json'))).toMatchObject({ permissions: { allow: [] } })
  expect(existsSync(join(base, 'home'))).toBe(text !== undefined)
  await seed({})
})

test('ten folders at once are ten folders', async () => {
  userFolder('home/.cursor')
  const targets = Array.from({ length: 10 }, (_, i) => join(base, `target-${i}`))
  const env = { HOME: join(base, 'home') }
  await Promise.all(targets.map((target) => seedConfig(target, env, { sealed: false })))
  for (const target of targets)
    expect(readFileSync(join(target, 'auth.json'), 'utf8')).toBe('login')
})
