// Start order and end of the service: configuration, binary, port, version; then everything else in the background.
import type { Loaded } from '../config/load.ts'
import type { Logger } from '../core/telemetry.ts'
import { isErrno } from '../lib/errno.ts'
import { createLogger } from '../ops/log.ts'
import { findCli } from '../process/cli.ts'
import { liveService, removeServiceFile, writeServiceFile } from '../process/service-file.ts'
import { type RunningService, startService } from '../serve.ts'
import { type Context, redactionFor } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import { type StopSignals, stopSignals } from './signals.ts'
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
const FORCED_MS = 3_000

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
  const logger = createLogger({ level: config.log.level, redact: redactionFor(config, env) })
  const signals = stopSignals()
  let ended: ExitName
  try {
    const service = await startService({ config, home, env, logger, version }).catch(listenFailure)
    if (service.cli.at === 'missing' && !options.allowMissingCli) {
      await service.close(0)
      throw cliMissing(service.cli.reason)
    }
    console.line(`listening on ${service.url}`)
    announce(home, service, version)
    const welcomed = welcome(console, logger, {
      service,
      version,
      needsKey: config.api_key !== null,
    })
    const graceMs = Math.min(config.timeout * 1000, DRAIN_MS)
    try {
      await Promise.race([signals.first, options.meanwhile?.(service, welcomed) ?? signals.first])
    } finally {
      ended = await stop(service, signals, graceMs, logger)
    }
    return ended
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

async function stop(
  service: RunningService,
  signals: StopSignals,
  graceMs: number,
  logger: Logger,
): Promise<ExitName> {
  logger.info('stopping', { grace_s: graceMs / 1000 })
  const drained = service.close(graceMs).then((): ExitName => 'ok')
  const outcome = await Promise.race([drained, signals.second.then((): ExitName => 'forced')])
  if (outcome === 'ok') return outcome
  logger.warn('second signal: ending at once')
  const patience = new Promise((resolve) => setTimeout(resolve, FORCED_MS).unref())
  await Promise.race([service.close(0), patience])
  return outcome
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
