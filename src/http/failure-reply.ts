// A refusal or failure before the first byte: status, headers and envelope.
import { FAILURES, type FailureCode, Refusal } from '../core/failure.ts'
import type { Protocol, WireFailure } from '../protocols/protocol.ts'

export interface FailureReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A failure as this file needs it: a Refusal, or a run's `failure` event. */
export type Failed = WireFailure & {
  readonly retryAfterS?: number | undefined
}

const INTERNAL: Failed = {
  code: 'internal',
  message: 'Internal error in cursor-adapter; its log has the details under this request id.',
}

/** What the client may know of anything thrown: a Refusal as it stands, nothing of anything else. */
export function failedOf(error: unknown): Failed {
  return error instanceof Refusal ? error : INTERNAL
}

export function failureReply(protocol: Protocol, failed: Failed): FailureReply {
  return {
    status: statusOf(protocol, failed),
    headers: {
      'content-type': 'application/json; charset=utf-8',
      ...(failed.repeated === true ? NO_RETRY : retryHeaders(failed.code, failed.retryAfterS)),
    },
    body: JSON.stringify(protocol.failure(failed)),
  }
}

const NO_RETRY = { 'x-should-retry': 'false' }

/**
 * Source: clients of OpenAI's APIs repeat every 5xx and ignore `x-should-retry` (OpenCode, Cline, Qwen, pi, Codex), and none
 * repeats a 400; Claude Code obeys the header, but tries variants of a request after a 400 (measured, November 2026).
 */
function statusOf(protocol: Protocol, failed: Failed): number {
  if (failed.repeated === true && protocol.api !== 'messages') return 400
  return protocol.status(failed.code)
}

/**
 * `Retry-After` is 1 to 30 s: clients give up on longer ones.
 * Source: measured with the clients of 2026 (Claude Code at 90 s, Codex on a 429 without any).
 */
function retryHeaders(
  code: FailureCode,
  retryAfterS: number | undefined,
): Readonly<Record<string, string>> {
  const row = FAILURES[code]
  const seconds = retryAfterS ?? row.retryAfterS
  return {
    ...(row.noRetry ? NO_RETRY : {}),
    ...(seconds === undefined
      ? {}
      : { 'retry-after': String(Math.min(30, Math.max(1, Math.ceil(seconds)))) }),
  }
}
