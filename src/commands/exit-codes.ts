// Exit codes, one per reason a script or a service manager may want to tell apart. README's table is this one.

export const EXIT = {
  ok: { code: 0, meaning: 'done; also after SIGTERM or Ctrl-C' },
  failed: {
    code: 1,
    meaning: 'the command did not succeed; the last line on standard error says why',
  },
  usage: { code: 2, meaning: 'unknown command or option' },
  config: {
    code: 3,
    meaning: 'a setting is unknown, wrong or out of range, or the config file cannot be read',
  },
  portTaken: { code: 4, meaning: 'the port is in use' },
  cannotListen: { code: 5, meaning: 'the address cannot be listened on for another reason' },
  cliMissing: { code: 6, meaning: "Cursor's CLI was not found or does not answer" },
  notRunning: { code: 7, meaning: 'status: no service is running' },
  unhealthy: {
    code: 8,
    meaning: 'status: the service runs but cannot serve; doctor: a check failed',
  },
  forced: { code: 9, meaning: 'a second signal ended the service before its replies were done' },
  clientMissing: { code: 10, meaning: 'run: the client is not installed' },
} as const
export type ExitName = keyof typeof EXIT

/** A service manager must not restart after these: only a person can mend them. */
export const FINAL_EXITS: readonly number[] = [EXIT.usage, EXIT.config, EXIT.cannotListen].map(
  ({ code }) => code,
)

/** Ends a command with a sentence for standard error; cli.ts turns it into the exit code. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly exit: ExitName
  constructor(exit: ExitName, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.exit = exit
  }
}
