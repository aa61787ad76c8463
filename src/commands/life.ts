// How a running service comes to its end: by a signal, by itself, or by a fault of its own.
import type { Logger } from '../core/telemetry.ts'
import type { RunningService } from '../serve.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import type { StopSignals } from './signals.ts'

const FORCED_MS = 3_000

export interface Life {
  readonly service: RunningService
  readonly signals: StopSignals
  /** The service may end by itself. */
  readonly over: Promise<unknown>
  readonly graceMs: number
  readonly logger: Logger
}

/** Waits for the first reason to end, drains, and hurries at the second. Children are gone in any case. */
export async function untilEnd({
  service,
  signals,
  over,
  graceMs,
  logger,
}: Life): Promise<ExitName> {
  try {
    await Promise.race([signals.first, signals.crash, over])
    logger.info('stopping', { grace_s: graceMs / 1000 })
    const drained = service.close(graceMs).then((): ExitName => 'ok')
    const hurry = signals.second.then((): ExitName => 'forced')
    const outcome = await Promise.race([drained, hurry, signals.crash])
    if (outcome === 'ok') return outcome
    logger.warn('second signal: ending at once')
  } catch (error) {
    await halt(service)
    if (error instanceof CommandError) throw error
    const stack = error instanceof Error ? error.stack : String(error)
    logger.error('internal error', { stack })
    throw new CommandError('failed', 'internal error, see the log', { cause: error })
  }
  await halt(service)
  return 'forced'
}

/** Ends it now; whoever does not end within `FORCED_MS` is left to the next start's sweep. */
export async function halt(service: RunningService): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FORCED_MS)
  })
  await Promise.race([service.close(0), patience])
  clearTimeout(timer)
}
