// The failures the pool itself ends a run with, and the cause each gives for the end of the child.
import type { Failure } from '../core/events.ts'
import type { FailureCode } from '../core/failure.ts'
import type { CancelCause } from '../core/run.ts'
import type { ExitCause } from '../core/telemetry.ts'

function failure(code: FailureCode, message: string): Failure {
  return { type: 'failure', code, message }
}

const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`

export const queueFull = (active: number, waiting: number): Failure =>
  failure(
    'queue-full',
    `${active} requests are running and ${waiting} are waiting, which is all that is allowed ` +
      '(settings concurrency and max_waiting). Try again in a few seconds.',
  )

export const queueTimeout = (ms: number): Failure =>
  failure(
    'queue-timeout',
    `The request waited ${seconds(ms)} in the queue without getting a turn (settings queue_timeout and concurrency).`,
  )

export const shuttingDown = (): Failure =>
  failure('shutting-down', 'The service is shutting down. Try again when it is back.')

export const runTimeout = (ms: number): Failure =>
  failure('run-timeout', `The agent did not finish within ${seconds(ms)} (setting timeout).`)

export const runStalled = (ms: number): Failure =>
  failure('run-stalled', `The agent was silent for ${seconds(ms)} (setting stall_timeout).`)

export const workerDied = (reason: string): Failure =>
  failure('agent-failed', `The worker thread that ran the agent died: ${reason}. Try again.`)

const CANCELLED: Readonly<Record<CancelCause, readonly [Failure, ExitCause]>> = {
  'client-gone': [failure('cancelled', 'The client closed the connection.'), 'cancelled'],
  superseded: [failure('cancelled', 'A newer request took the place of this one.'), 'cancelled'],
  evicted: [
    failure('cancelled', 'Other runs needed its seat (setting bridge.max_parked).'),
    'cancelled',
  ],
  forgotten: [
    failure('cancelled', 'The tool results did not come in time (setting bridge.parked_timeout).'),
    'cancelled',
  ],
  'given-up': [failure('cancelled', 'Cursor gave up a tool call that it waited for.'), 'cancelled'],
  'slow-reader': [failure('cancelled', 'The client stopped reading the answer.'), 'cancelled'],
  shutdown: [shuttingDown(), 'shutdown'],
}

export function cancelled(cause: CancelCause): readonly [Failure, ExitCause] {
  return CANCELLED[cause]
}
