// `service` with stand-ins for systemctl that write down how they were called.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { paint } from '../../src/commands/console.ts'
import { EXIT } from '../../src/commands/exit-codes.ts'
import { managerFor } from '../../src/commands/manager.ts'
import { runCli } from '../support/cli.ts'

// Whole processes on a machine that others may be using: the limit is for hangs, not for speed.
vi.setConfig({ testTimeout: 60_000 })

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'service-test-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const unit = () => join(home, '.config/systemd/user/cursor-adapter.service')
const calls = () => readFileSync(join(home, 'calls'), 'utf8').trim().split('\n')

function systemctl(body = 'exit 0'): Record<string, string> {
  mkdirSync(join(home, 'bin'), { recursive: true })
  writeFileSync(join(home, 'bin/systemctl'), `#!/bin/sh\necho "$@" >> ${home}/calls\n${body}\n`)
  chmodSync(join(home, 'bin/systemctl'), 0o755)
  return { PATH: join(home, 'bin') }
}

const service = (args: string, env: Record<string, string> = {}) =>
  runCli(['service', ...args.split(' ')], { home, env })

describe.skipIf(process.platform !== 'linux')('on Linux (systemd)', () => {
  test('a dry run shows the unit and the commands and changes nothing', async () => {
    const { code, stdout } = await service('install --dry-run', systemctl())
    expect(stdout).toContain(`would write ${unit()}`)
    expect(stdout).toMatch(/ExecStart=.*cli\.js" "serve"/)
    expect(stdout).toContain('systemctl --user enable cursor-adapter.service')
    expect(existsSync(unit())).toBe(false)
    expect(existsSync(join(home, 'calls'))).toBe(false)
    expect(code).toBe(0)
  })

  test('install writes the unit with the present PATH and starts it; twice is as good as once', async () => {
    const env = systemctl()
    const first = await service('install', env)
    expect(first.code).toBe(0)
    expect(readFileSync(unit(), 'utf8')).toContain(`Environment="PATH=${env.PATH}"`)
    const steps = [
      'daemon-reload',
      'enable cursor-adapter.service',
      'restart cursor-adapter.service',
    ]
    expect(calls()).toEqual(steps.map((step) => `--user ${step}`))
    const second = await service('install', env)
    expect(second.stdout).toContain('is up to date')
    expect(second.code).toBe(0)
  })

  test('uninstall stops it and removes the unit; nothing to remove is fine', async () => {
    const env = systemctl()
    await service('install', env)
    const gone = await service('uninstall', env)
    expect(gone.code).toBe(0)
    expect(existsSync(unit())).toBe(false)
    expect(calls()).toContain('--user disable --now cursor-adapter.service')
    const again = await service('uninstall', env)
    expect(again.stdout).toMatch(/not installed/)
    expect(again.code).toBe(0)
  })

  test('without systemctl the unit is written and the commands are left to the user', async () => {
    const { code, stdout } = await service('install')
    expect(existsSync(unit())).toBe(true)
    expect(stdout).toMatch(/systemctl not found; run this yourself: systemctl --user enable/)
    expect(code).toBe(0)
  })

  test('a unit that somebody else wrote is neither overwritten nor removed', async () => {
    mkdirSync(dirname(unit()), { recursive: true })
    writeFileSync(unit(), '[Service]\nExecStart=/bin/true\n')
    for (const command of ['install', 'uninstall']) {
      const { code, stderr } = await service(command, systemctl())
      expect(stderr).toMatch(/was not written by this command/)
      expect(code).toBe(EXIT.failed.code)
    }
    expect(readFileSync(unit(), 'utf8')).toContain('/bin/true')
    expect(existsSync(join(home, 'calls'))).toBe(false)
  })

  test('a step that fails ends the command with what systemctl said', async () => {
    const env = systemctl('case "$2" in enable) echo "no bus" >&2; exit 1;; esac')
    const { code, stdout, stderr } = await service('install', env)
    expect(stdout).toContain('no bus')
    expect(stderr).toMatch(/systemctl --user enable .* did not succeed/)
    expect(code).toBe(EXIT.failed.code)
  })

  test('status tells installed and running apart', async () => {
    expect((await service('status', systemctl())).code).toBe(EXIT.notRunning.code)
    await service('install', systemctl())
    expect((await service('status', systemctl('echo active'))).code).toBe(0)
    const stopped = await service('status', systemctl('echo inactive; exit 3'))
    expect(stopped.stdout).toMatch(/installed: [\s\S]*inactive/)
    expect(stopped.code).toBe(EXIT.notRunning.code)
  })

  test('install refuses a configuration the service would not start with', async () => {
    const file = join(home, 'bad.yaml')
    writeFileSync(file, 'port: x\n')
    const { code } = await service(`install --config ${file}`, systemctl())
    expect(code).toBe(EXIT.config.code)
    expect(existsSync(unit())).toBe(false)
  })
})

test('on macOS an agent in the user domain is loaded anew, in a folder of the user', () => {
  const console = {
    line: () => undefined,
    write: () => undefined,
    note: () => undefined,
    paint: paint(false),
  }
  const context = {
    env: { HOME: '/Users/ada', PATH: '/bin' },
    console,
    version: '1',
    entry: '/x/cli.js',
  }
  const manager = managerFor(context, undefined, 'darwin')
  expect(manager.path).toBe('/Users/ada/Library/LaunchAgents/local.cursor-adapter.plist')
  expect(manager.start[0]?.slice(0, 2)).toEqual(['launchctl', 'bootstrap'])
  expect(manager.afterWrite[0]?.[0]).toBe('-launchctl')
})
