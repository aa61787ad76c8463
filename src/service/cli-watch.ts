// Is Cursor's CLI there, and which version? Asked at start, then only when somebody wants to know: at most every 30 s
// while it is there, every 5 s while it is not.
import { setTimeout as delay } from 'node:timers/promises'
import { Refusal } from '../core/failure.ts'
import type { Logger } from '../core/telemetry.ts'

export type CliState =
  | { readonly at: 'available'; readonly binary: string; readonly version: string }
  | { readonly at: 'missing'; readonly reason: string }

export interface CliWatchParts {
  /** Finds the binary anew: it may have been installed, moved or updated since. */
  readonly find: () => Promise<{ readonly path: string } | { readonly missing: string }>
  /** `--version`, with its own deadline. Rejects with the reason when it hangs or fails. */
  readonly version: (path: string) => Promise<string>
  readonly logger: Logger
  /** Milliseconds, any origin. */
  readonly now: () => number
}

export interface CliWatch {
  /** The last known state; never starts a process. */
  state(): CliState
  /** A state not older than 30 s, 5 s for a missing one; one check at a time. */
  check(): Promise<CliState>
  /** A run just failed in a way that the CLI itself may be the cause of: the next check looks at once. */
  doubt(): void
  /** For a run: a missing CLI is looked for anew, but for half a second at most. */
  current(): Promise<CliState>
  /** @throws Refusal cli-missing when the last known state is missing. */
  require(): { readonly binary: string; readonly version: string }
}

/** Source: design, "Available = the binary is executable and --version last succeeded (cached 30 s)". */
const FRESH_MS = 30_000
/** Source: design, "missing CLI [is] remembered for 5 s in which no process is started". */
const MISSING_FRESH_MS = 5_000
/** A request must fail at once, also where `--version` hangs; the check goes on and the next request profits. */
const REQUEST_WAITS_MS = 500
const UNCHECKED: CliState = { at: 'missing', reason: 'not checked yet' }

export function createCliWatch(parts: CliWatchParts): CliWatch {
  let state = UNCHECKED
  let checkedAtMs = Number.NEGATIVE_INFINITY
  let checking: Promise<CliState> | undefined

  const look = async (): Promise<CliState> => {
    const found = await parts.find()
    if ('missing' in found) return { at: 'missing', reason: found.missing }
    try {
      return { at: 'available', binary: found.path, version: await parts.version(found.path) }
    } catch (error) {
      return { at: 'missing', reason: error instanceof Error ? error.message : String(error) }
    }
  }

  const check = async (): Promise<CliState> => {
    const before = state
    state = await look()
    checkedAtMs = parts.now()
    checking = undefined
    if (before !== UNCHECKED) report(before, state, parts.logger)
    return state
  }

  const checkIfDue = async (): Promise<CliState> => {
    const freshMs = state.at === 'missing' ? MISSING_FRESH_MS : FRESH_MS
    if (parts.now() - checkedAtMs < freshMs) return state
    checking ??= check()
    return checking
  }

  return {
    state: () => state,
    check: checkIfDue,
    async current() {
      if (state.at === 'available') return state
      const limit = new AbortController()
      const late = delay(REQUEST_WAITS_MS, undefined, { signal: limit.signal }).catch(ignore)
      await Promise.race([checkIfDue(), late])
      limit.abort()
      return state
    },
    doubt() {
      checkedAtMs = Number.NEGATIVE_INFINITY
    },
    require() {
      if (state.at === 'available') return state
      throw new Refusal(
        'cli-missing',
        `Cursor's CLI cannot be used: ${state.reason}. Install it (cursor-agent), or point the setting cursor_cli_path at it`,
      )
    },
  }
}

function ignore(): void {
  // The wait was cut short: the check came first.
}

function report(before: CliState, after: CliState, logger: Logger): void {
  if (after.at === 'missing' && before.at === 'available') {
    logger.warn('the CLI is gone', { reason: after.reason })
  }
  if (after.at === 'available' && before.at === 'missing') {
    logger.info('the CLI is back', { version: after.version })
  }
  if (after.at === 'available' && before.at === 'available' && after.version !== before.version) {
    logger.info('the CLI was updated', { from: before.version, to: after.version })
  }
}
