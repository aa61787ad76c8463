// What the rooms report about themselves. ops/metrics.ts and ops/log.ts implement it; tests use `silentTelemetry`.
// Label values come from closed lists only; gauges are read at scrape time from `Pool.snapshot()` and cannot drift.
import type { UnknownKind } from './events.ts'
import type { BackendName, Mode } from './job.ts'
import type { Api } from './turn.ts'

export const RUN_OUTCOMES = [
  'success',
  'failed',
  'timeout',
  'stalled',
  'cancelled',
  'refused',
] as const
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

export const EXIT_CAUSES = [
  'done',
  'cancelled',
  'timeout',
  'stalled',
  'crashed',
  'recycled',
  'shutdown',
  'discarded',
  'swept',
] as const
/** Why a child of ours ended: the first cause, later ones are its consequences. */
export type ExitCause = (typeof EXIT_CAUSES)[number]

export const CHILD_STATES = ['starting', 'warm', 'busy', 'parked', 'idle', 'closing'] as const
export type ChildState = (typeof CHILD_STATES)[number]

export const STARTS = ['warm', 'cold', 'resumed', 'moved', 'joined', 'replayed'] as const
/** How a reply got its agent; sent as `x-cursor-adapter-start`. */
export type Start = (typeof STARTS)[number]

export const RETRY_KINDS = ['replayed', 'joined', 'failed-again', 'anew', 'superseded'] as const
export type RetryKind = (typeof RETRY_KINDS)[number]

export const TURN_KINDS = ['fresh', 'resumed', 'moved', 'replayed', 'joined'] as const
export type TurnKind = (typeof TURN_KINDS)[number]

export interface Telemetry {
  /** Request complete → first content byte handed to the socket. */
  firstToken(labels: { api: Api; backend: BackendName; start: Start }, seconds: number): void
  /** Our own time: parse to job; slot granted to prompt written without the launch; event read to bytes handed over. */
  overhead(phase: 'accept' | 'dispatch' | 'relay', seconds: number): void
  /** Prompt written → first event. */
  agentFirstEvent(labels: { backend: BackendName; start: Start }, seconds: number): void
  launched(backend: BackendName, seconds: number): void
  queueWaited(seconds: number): void
  runEnded(
    labels: { api: Api; backend: BackendName; mode: Mode; outcome: RunOutcome },
    seconds: number,
  ): void
  warmStart(result: 'hit' | 'miss'): void
  childExited(cause: ExitCause): void
  killed(signal: 'SIGTERM' | 'SIGKILL'): void
  orphansReaped(count: number): void
  tokens(
    kind: 'input' | 'output' | 'cache_read' | 'cache_write',
    source: 'cursor' | 'estimate',
    count: number,
  ): void
  /** `tool` is a public tool name; unknown ones are folded into `other` by the implementation. */
  toolCall(tool: string, host: 'cursor' | 'client' | 'subagent'): void
  sessionTurn(how: TurnKind): void
  retry(how: RetryKind): void
  unknownEvent(kind: UnknownKind): void
  httpRequest(route: string, status: number): void
  /** Mode bridge: a call of the client's tools named our scratch folder; `corrected`: it was sent back to Cursor. */
  scratchPath(corrected: boolean): void
}

const nothing = (): void => undefined

export const silentTelemetry: Telemetry = {
  firstToken: nothing,
  overhead: nothing,
  agentFirstEvent: nothing,
  launched: nothing,
  queueWaited: nothing,
  runEnded: nothing,
  warmStart: nothing,
  childExited: nothing,
  killed: nothing,
  orphansReaped: nothing,
  tokens: nothing,
  toolCall: nothing,
  sessionTurn: nothing,
  retry: nothing,
  unknownEvent: nothing,
  httpRequest: nothing,
  scratchPath: nothing,
}

export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>

/** One JSON line per fact. Fields never hold prompts, keys, or paths of the user's home. */
export interface Logger {
  debug(message: string, fields?: LogFields): void
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

export const silentLogger: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing }
