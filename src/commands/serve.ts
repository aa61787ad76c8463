// Start order and end of the service: configuration, binary, port, version; then everything else in the background.
import type { Loaded } from '../config/load.ts'
import { isErrno } from '../lib/errno.ts'
import { keepHeapsSmall } from '../lib/heap.ts'
import { createLogger } from '../ops/log.ts'
import { findCli } from '../process/cli.ts'
import { liveService, removeServiceFile, writeServiceFile } from '../process/service-file.ts'
import { type RunningService, startService } from '../serve.ts'
import { type Context, redactionFor } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import { halt, untilEnd } from './life.ts'
import { stopSignals } from './signals.ts'
import { welcome } from './welcome.ts'

export interface ServeOptions {
  readonly allowMissingCli: boolean
  /**
   * Called once the service listens; `welcomed` resolves when the start's texts are printed. Resolves when the service
   * may end by itself, never for one that stays up; rejects to end it with that error.
   */
  readonly meanwhile?: (service: RunningService, welcomed: Promise<void>) => Promise<void>
}

/** Longest drain: replies still running after it are cut. */
const DRAIN_MS = 30_000

/** Runs until a signal. @throws CommandError when it cannot start. */
export async function serve(
  context: Context,
  loaded: Loaded,
  options: ServeOptions,
): Promise<ExitName> {
  const { config, home } = loaded
  const { env, console, version } = context
  const found = findCli(config.cursor_cli_path, env)
  if ('missing' in found && !options.allowMissingCli) throw cliMissing(found.missing)
  const redact = redactionFor(config, env)
  const logger = createLogger({ level: config.log.level, redact })
  keepHeapsSmall()
  const signals = stopSignals()
  try {
    const service = await startService({ config, home, env, logger, redact, version }).catch(
      listenFailure,
    )
    if (service.cli.at === 'missing' && !options.allowMissingCli) {
      await halt(service)
      throw cliMissing(service.cli.reason)
    }
    console.line(`listening on ${service.url}`)
    announce(home, service, version)
    const needsKey = config.api_key !== null
    const welcomed = welcome(console, logger, {
      service,
      version,
      backend: config.backend,
      needsKey,
    })
    const over = options.meanwhile?.(service, welcomed) ?? signals.first
    const graceMs = Math.min(config.timeout * 1000, DRAIN_MS)
    return await untilEnd({ service, signals, over, graceMs, logger })
  } finally {
    removeServiceFile(home, process.pid)
    signals.release()
  }
}

function announce(home: string, { url }: RunningService, version: string): void {
  // A second service (a demo beside the real one) does not hide the first.
  if (liveService(home) !== undefined) return
  writeServiceFile(home, { pid: process.pid, url, version, startedAt: new Date().toISOString() })
}

function cliMissing(reason: string): CommandError {
  const help =
    "install Cursor's CLI and sign in (agent login), point cursor_cli_path at it, or start with --allow-missing-cli"
  return new CommandError('cliMissing', `Cursor's CLI cannot be used: ${reason}; ${help}`)
}

function listenFailure(error: unknown): never {
  if (!isErrno(error) || error.name !== 'ListenError') throw error
  const exit = error.code === 'EADDRINUSE' ? 'portTaken' : 'cannotListen'
  throw new CommandError(exit, error.message, { cause: error })
}
