// The systemd user unit and the launchd agent as text. Pure. Both run the service as its user, restart it when it
// fails, and leave the ending of its children to itself: it knows process groups, the service manager does not.

export interface UnitFacts {
  /** Absolute path of the Node binary. */
  readonly node: string
  /** Absolute path of dist/src/cli.js. */
  readonly entry: string
  /** Absolute path for `--config`, if any. */
  readonly config: string | undefined
  /** Variables the service needs; PATH above all, which service managers keep short. Never secrets. */
  readonly env: Readonly<Record<string, string>>
  /** Exit codes after which a restart is of no use. */
  readonly finalExits: readonly number[]
  /** Time from SIGTERM until the manager kills what is left; longer than the service's own drain. */
  readonly stopSeconds: number
}

/** First line of the files we write; others are never overwritten or removed. */
export const UNIT_MARK = 'Written by cursor-adapter service install'
export const LAUNCHD_LABEL = 'local.cursor-adapter'

const command = ({ node, entry, config }: UnitFacts): readonly string[] => [
  node,
  entry,
  'serve',
  ...(config === undefined ? [] : ['--config', config]),
]

/**
 * Source: systemd.service(5), systemd.kill(5), systemd.exec(5). KillMode=mixed sends SIGTERM to the service alone and
 * SIGKILL to whatever is left in its control group when it has ended. OOMPolicy=continue: an agent that runs out of
 * memory must not take the service down.
 */
export function systemdUnit(facts: UnitFacts): string {
  const environment = Object.entries(facts.env).map(
    ([name, value]) => `Environment=${systemdQuoted(`${name}=${value}`)}`,
  )
  return [
    `# ${UNIT_MARK}; changes are lost with the next install. Use a drop-in (systemctl --user edit cursor-adapter).`,
    '[Unit]',
    "Description=cursor-adapter: Cursor's agent for command-line AI tools",
    'StartLimitIntervalSec=300',
    'StartLimitBurst=10',
    '',
    '[Service]',
    'Type=exec',
    `ExecStart=${command(facts)
      .map((word) => systemdQuoted(word).replaceAll('$', '$$$$'))
      .join(' ')}`,
    ...environment,
    'Restart=on-failure',
    'RestartSec=2',
    `RestartPreventExitStatus=${facts.finalExits.join(' ')}`,
    'KillMode=mixed',
    'KillSignal=SIGTERM',
    `TimeoutStopSec=${facts.stopSeconds}`,
    'OOMPolicy=continue',
    '',
    '[Install]',
    'WantedBy=default.target',
    '',
  ].join('\n')
}

/** One word, quoted; `%` would be a specifier. @throws Error for a line break, which no quoting can carry. */
function systemdQuoted(word: string): string {
  if (/[\n\r\0]/.test(word))
    throw new Error(`a unit file cannot hold a line break: ${JSON.stringify(word)}`)
  return `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%')}"`
}

/**
 * Source: launchd.plist(5). KeepAlive on failure only, at most every 10 s; launchd has no list of exit codes that end
 * it, so a wrong setting is tried again every 10 s and said in the log each time.
 */
export function launchdPlist(facts: UnitFacts, logFile: string): string {
  const words = command(facts).map((word) => `      <string>${xml(word)}</string>`)
  const variables = Object.entries(facts.env).map(
    ([name, value]) => `      <key>${xml(name)}</key><string>${xml(value)}</string>`,
  )
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<!-- ${UNIT_MARK}; changes are lost with the next install. -->`,
    '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">',
    '  <dict>',
    `    <key>Label</key><string>${LAUNCHD_LABEL}</string>`,
    '    <key>ProgramArguments</key>',
    '    <array>',
    ...words,
    '    </array>',
    '    <key>EnvironmentVariables</key>',
    '    <dict>',
    ...variables,
    '    </dict>',
    '    <key>RunAtLoad</key><true/>',
    '    <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>',
    '    <key>ThrottleInterval</key><integer>10</integer>',
    `    <key>ExitTimeOut</key><integer>${facts.stopSeconds}</integer>`,
    `    <key>StandardOutPath</key><string>${xml(logFile)}</string>`,
    `    <key>StandardErrorPath</key><string>${xml(logFile)}</string>`,
    '  </dict>',
    '</plist>',
    '',
  ].join('\n')
}

function xml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
