// Which service manager this system has: its unit file and the commands that go with it.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { LAUNCHD_LABEL, launchdPlist, systemdUnit, type UnitFacts } from '../ops/units.ts'
import { cliOutput, findCli } from '../process/cli.ts'
import type { Context } from './context.ts'
import { CommandError, FINAL_EXITS } from './exit-codes.ts'

/** A command with its arguments. A leading `-` on the command, as in systemd, allows it to fail. */
export type Step = readonly [string, ...string[]]

export interface Manager {
  readonly path: string
  readonly text: string
  readonly afterWrite: readonly Step[]
  readonly start: readonly Step[]
  readonly stop: readonly Step[]
  readonly afterRemove: readonly Step[]
  readonly ask: readonly Step[]
  readonly hints: readonly string[]
}

/** Longer than the service's own drain of 30 s and its last kills. */
const STOP_SECONDS = 45
const STEP_MS = 90_000
const UNIT = 'cursor-adapter.service'

/** @throws CommandError where there is neither. */
export function managerFor(
  context: Context,
  config: string | undefined,
  platform = process.platform,
): Manager {
  const { env, entry } = context
  const home = env.HOME ?? homedir()
  // The CLI and the tools that Cursor's agent runs are found through the PATH of whoever installs.
  const kept = ['PATH', 'CURSOR_ADAPTER_HOME', 'CURSOR_CONFIG_DIR', 'XDG_CONFIG_HOME'] as const
  const pairs = kept.map((name) => [name, env[name] ?? ''] as const)
  const facts: UnitFacts = {
    node: process.execPath,
    entry,
    config,
    env: Object.fromEntries(pairs.filter(([, value]) => value !== '')),
    finalExits: FINAL_EXITS,
    stopSeconds: STOP_SECONDS,
  }
  if (platform === 'linux') return systemd(facts, env.XDG_CONFIG_HOME || join(home, '.config'))
  if (platform === 'darwin') return launchd(facts, home)
  throw new CommandError(
    'failed',
    `no service manager is supported on ${platform}; run cursor-adapter by hand`,
  )
}

function systemd(facts: UnitFacts, configHome: string): Manager {
  return {
    path: join(configHome, 'systemd', 'user', UNIT),
    text: systemdUnit(facts),
    afterWrite: [['systemctl', '--user', 'daemon-reload']],
    start: [
      ['systemctl', '--user', 'enable', UNIT],
      ['systemctl', '--user', 'restart', UNIT],
    ],
    stop: [['systemctl', '--user', 'disable', '--now', UNIT]],
    afterRemove: [['systemctl', '--user', 'daemon-reload']],
    ask: [
      ['systemctl', '--user', 'is-enabled', UNIT],
      ['systemctl', '--user', 'is-active', UNIT],
    ],
    hints: [
      'logs: journalctl --user -u cursor-adapter -f',
      'to keep it running after you log out: loginctl enable-linger',
    ],
  }
}

function launchd(facts: UnitFacts, home: string): Manager {
  const path = join(home, 'Library', 'LaunchAgents', `${LAUNCHD_LABEL}.plist`)
  const logFile = join(home, 'Library', 'Logs', 'cursor-adapter.log')
  const domain = `gui/${process.getuid?.() ?? 0}`
  return {
    path,
    text: launchdPlist(facts, logFile),
    // Not loaded yet is fine; loaded with an older text is not.
    afterWrite: [['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    start: [['launchctl', 'bootstrap', domain, path]],
    stop: [['-launchctl', 'bootout', `${domain}/${LAUNCHD_LABEL}`]],
    afterRemove: [],
    ask: [['launchctl', 'print', `${domain}/${LAUNCHD_LABEL}`]],
    hints: [`logs: tail -f ${logFile}`],
  }
}

/** Runs one command and shows it with its output. Without the program it is only shown. */
export async function runStep(
  { env, console }: Context,
  [head, ...args]: Step,
): Promise<'ok' | 'failed' | 'absent'> {
  const name = head.replace(/^-/, '')
  const found = findCli(name, env)
  if ('missing' in found) {
    console.line(`${name} not found; run this yourself: ${[name, ...args].join(' ')}`)
    return 'absent'
  }
  console.line(`$ ${[name, ...args].join(' ')}`)
  const full = Object.fromEntries(
    Object.entries(env).flatMap(([k, v]) => (v === undefined ? [] : [[k, v]])),
  )
  const output = await cliOutput(found.path, args, { timeoutMs: STEP_MS, env: full })
  const said = `${output.stdout}\n${output.stderr}`.trim()
  if (said !== '') console.line(said.replaceAll(/^/gm, '  '))
  return output.ok || head.startsWith('-') ? 'ok' : 'failed'
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
}
