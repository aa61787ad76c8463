import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { launchdPlist, systemdUnit, UNIT_MARK, type UnitFacts } from '../../src/ops/units.ts'

const folder = mkdtempSync(join(tmpdir(), 'units-test-'))
afterAll(() => rmSync(folder, { recursive: true }))

const installed = (name: string) => spawnSync(name, ['--version']).error === undefined

/** Everything that needs quoting somewhere: spaces, quotes, %, $, backslash, angle brackets, &, umlauts. */
const odd: UnitFacts = {
  node: process.execPath,
  entry: '/opt/my tools/100% "new"/$HOME\\x/cli.js',
  config: "/home/jörg/a&b<c>'d'.yaml",
  env: { PATH: '/usr/bin:/opt/my tools/bin', CURSOR_ADAPTER_HOME: '/x/%h' },
  finalExits: [2, 3, 5],
  stopSeconds: 45,
}

test('the unit starts serve with quoted words, restarts on failure and ends the service alone', () => {
  const text = systemdUnit(odd)
  expect(text).toContain(UNIT_MARK)
  expect(text).toContain(
    `ExecStart="${process.execPath}" "/opt/my tools/100%% \\"new\\"/$$HOME\\\\x/cli.js" "serve" "--config" "/home/jörg/a&b<c>'d'.yaml"`,
  )
  expect(text).toContain('Environment="PATH=/usr/bin:/opt/my tools/bin"')
  expect(text).toContain('Environment="CURSOR_ADAPTER_HOME=/x/%%h"')
  expect(text).toMatch(/^Restart=on-failure$/m)
  expect(text).toMatch(/^RestartPreventExitStatus=2 3 5$/m)
  expect(text).toMatch(/^KillMode=mixed$/m)
  expect(text).toMatch(/^TimeoutStopSec=45$/m)
})

test('a word with a line break is refused: it could add directives', () => {
  expect(() => systemdUnit({ ...odd, env: { A: 'x\nExecStartPre=/bin/true' } })).toThrow(
    /line break/,
  )
})

test.skipIf(!installed('systemd-analyze'))(
  'systemd accepts the unit without a word (skipped where systemd-analyze is not installed)',
  () => {
    const path = join(folder, 'cursor-adapter.service')
    writeFileSync(path, systemdUnit({ ...odd, entry: '/bin/true' }))
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['--user', 'verify', path], {
      encoding: 'utf8',
      env: { ...process.env, XDG_RUNTIME_DIR: folder },
    })
    const said = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('cursor-adapter'))
    expect(said).toEqual([])
    expect(status).toBe(0)
  },
)

test('the agent starts serve, restarts on failure only, and leaves time to stop', () => {
  const text = launchdPlist(odd, '/Users/jörg/Library/Logs/a&b.log')
  expect(text).toContain('<string>/opt/my tools/100% "new"/$HOME\\x/cli.js</string>')
  expect(text).toContain("<string>/home/jörg/a&amp;b&lt;c&gt;'d'.yaml</string>")
  expect(text).toContain('<key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>')
  expect(text).toContain('<key>ExitTimeOut</key><integer>45</integer>')
})

test.skipIf(!installed('plistutil'))(
  'plistutil reads the same words back (skipped where it is not installed)',
  () => {
    const path = join(folder, 'agent.plist')
    writeFileSync(path, launchdPlist(odd, '/tmp/x.log'))
    const text = execFileSync('plistutil', ['-i', path, '-f', 'xml'], { encoding: 'utf8' })
    for (const word of [odd.entry, 'serve', '--config', odd.config ?? '', odd.env.PATH ?? '']) {
      expect(text).toContain(
        `<string>${word.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}</string>`,
      )
    }
    expect(text).toMatch(/<key>SuccessfulExit<\/key>\s*<false\/>/)
  },
)
