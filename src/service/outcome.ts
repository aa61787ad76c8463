// Terminal event → outcome label of the metrics. Pure.
import type { Terminal } from '../core/events.ts'
import type { FailureCode } from '../core/failure.ts'
import type { RunOutcome } from '../core/telemetry.ts'

const OUTCOMES: Readonly<Partial<Record<FailureCode, RunOutcome>>> = {
  'run-timeout': 'timeout',
  'run-stalled': 'stalled',
  cancelled: 'cancelled',
}

/** Failures that say no before any agent is involved. */
const REFUSALS: ReadonlySet<FailureCode> = new Set([
  'queue-full',
  'queue-timeout',
  'shutting-down',
  'cli-missing',
  'cursor-not-logged-in',
  'cursor-quota',
])

/** `hadChild`: an agent took the prompt. */
export function outcomeOf(terminal: Terminal, hadChild: boolean): RunOutcome {
  if (terminal.type === 'finish') return 'success'
  if (!hadChild && REFUSALS.has(terminal.code)) return 'refused'
  return OUTCOMES[terminal.code] ?? 'failed'
}
