// A service inside this process, for as long as a client runs: on the configured port, or on a free one if that is taken.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Loaded } from '../config/load.ts'
import { isErrno } from '../lib/errno.ts'
import { reachable } from '../ops/inquiry.ts'
import { createLogger, logFile } from '../ops/log.ts'
import { findCli } from '../process/cli.ts'
import { type RunningService, startService } from '../serve.ts'
import { type Context, redactionFor } from './context.ts'
import { CommandError } from './exit-codes.ts'
import { halt } from './life.ts'

export interface Lent {
  /** Root URL, as this machine reaches it. */
  readonly url: string
  /** Ends the service if it was started for this; no agent is left then. */
  giveBack(): Promise<void>
}

/**
 * It is not written into run/service.json: another client must not come to depend on it. Its log goes to
 * `run/lent.log` of our own folder, because the terminal is the client's.
 * @throws CommandError when it cannot start.
 */
export async function lendService(context: Context, loaded: Loaded): Promise<Lent> {
  const { config, home } = loaded
  const { env, version } = context
  const found = findCli(config.cursor_cli_path, env)
  if ('missing' in found) throw cliMissing(found.missing)
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  const redact = redactionFor(config, env)
  const logger = createLogger({
    level: config.log.level,
    redact,
    destination: logFile(join(home, 'run', 'lent.log')),
  })
  const start = (port: number): Promise<RunningService> =>
    startService({ config: { ...config, port }, home, env, logger, redact, version })
  const service = await start(config.port).catch(async (error: unknown) => {
    if (isErrno(error, 'EADDRINUSE')) return await start(0)
    if (!isErrno(error) || error.name !== 'ListenError') throw error
    throw new CommandError('cannotListen', error.message, { cause: error })
  })
  if (service.cli.at === 'missing') {
    await halt(service)
    throw cliMissing(service.cli.reason)
  }
  void service.prewarm()
  return { url: reachable(service.url), giveBack: () => halt(service) }
}

function cliMissing(reason: string): CommandError {
  const help = "install Cursor's CLI and sign in (agent login), or point cursor_cli_path at it"
  return new CommandError('cliMissing', `Cursor's CLI cannot be used: ${reason}; ${help}`)
}
