// One JSON line per fact on standard error, redacted. Never a prompt: callers pass facts, not texts of conversations.
import { type DestinationStream, destination as fileDestination, type Level, pino } from 'pino'
import type { LogFields, Logger } from '../core/telemetry.ts'

export interface LogOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error'
  /** See ops/redact.ts; applied to messages and to every text field. */
  readonly redact: (text: string) => string
  /** Default: standard error, written without blocking and flushed when the process ends. */
  readonly destination?: DestinationStream
}

/**
 * Lines go out together, this many ms late at most: each write of its own takes a round trip through the thread pool
 * (measured: a sixth of the main thread's time per short request).
 */
const GATHERED = { minLength: 4096, periodicFlush: 50 }

/** A logger whose suppressed levels cost one comparison. */
export function createLogger({ level, redact, destination }: LogOptions): Logger {
  const sink = pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: () => `,"time":"${new Date().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination ?? fileDestination({ dest: 2, sync: false, ...GATHERED }),
  )
  const clean = (fields: LogFields): LogFields => {
    const cleaned: Record<string, LogFields[string]> = {}
    for (const [name, value] of Object.entries(fields)) {
      cleaned[name] = typeof value === 'string' ? redact(value) : value
    }
    return cleaned
  }
  const write =
    (at: Level) =>
    (message: string, fields: LogFields = {}): void => {
      if (sink.isLevelEnabled(at)) sink[at](clean(fields), redact(message))
    }
  return { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
}

/** A file that is written anew, readable by the user only. */
export function logFile(path: string): DestinationStream {
  return fileDestination({ dest: path, append: false, mode: 0o600, sync: false })
}
