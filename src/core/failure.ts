// Every way a request can fail: one table from code to HTTP status, wire types and retry advice.
// Which envelope it is put into is the protocols' business.

export const FAILURE_CODES = [
  'invalid-request',
  'context-too-long',
  'superseded',
  'unauthorized',
  'forbidden',
  'model-not-allowed',
  'not-found',
  'model-not-found',
  'previous-response-not-found',
  'method-not-allowed',
  'body-too-large',
  'unsupported-media-type',
  'queue-full',
  'cursor-rate-limited',
  'cursor-quota',
  'agent-failed',
  'internal',
  'cursor-unreachable',
  'bridge-not-contacted',
  'cursor-not-logged-in',
  'cli-missing',
  'shutting-down',
  'queue-timeout',
  'run-timeout',
  'run-stalled',
  'cancelled',
] as const
export type FailureCode = (typeof FAILURE_CODES)[number]

export interface FailureRow {
  readonly status: number
  /** Set where the Messages API uses another status than the OpenAI ones (529 for a full queue). */
  readonly anthropicStatus?: number
  readonly openaiType: string
  readonly openaiCode: string
  readonly anthropicType: string
  /** `x-should-retry: false` is sent: a retry cannot mend it. */
  readonly noRetry: boolean
  /** Seconds for `Retry-After`; undefined = none is sent. */
  readonly retryAfterS: number | undefined
}

const invalid = (openaiCode: string, status = 400, anthropicType = 'invalid_request_error') => ({
  status,
  openaiType: 'invalid_request_error',
  openaiCode,
  anthropicType,
  noRetry: true,
  retryAfterS: undefined,
})
const server = (openaiCode: string, status: number, noRetry: boolean, retryAfterS?: number) => ({
  status,
  openaiType: 'server_error',
  openaiCode,
  anthropicType: 'api_error',
  noRetry,
  retryAfterS,
})
const permission = (openaiCode: string): FailureRow => ({
  status: 403,
  openaiType: 'permission_error',
  openaiCode,
  anthropicType: 'permission_error',
  noRetry: true,
  retryAfterS: undefined,
})

export const FAILURES: Readonly<Record<FailureCode, FailureRow>> = {
  'invalid-request': invalid('invalid_request'),
  'context-too-long': invalid('context_length_exceeded'),
  superseded: invalid('superseded'),
  unauthorized: {
    status: 401,
    openaiType: 'authentication_error',
    openaiCode: 'invalid_api_key',
    anthropicType: 'authentication_error',
    noRetry: true,
    retryAfterS: undefined,
  },
  forbidden: permission('forbidden'),
  'model-not-allowed': permission('model_not_allowed'),
  'not-found': invalid('not_found', 404, 'not_found_error'),
  'model-not-found': invalid('model_not_found', 404, 'not_found_error'),
  'previous-response-not-found': invalid('previous_response_not_found', 404, 'not_found_error'),
  'method-not-allowed': invalid('method_not_allowed', 405),
  'body-too-large': invalid('body_too_large', 413, 'request_too_large'),
  'unsupported-media-type': invalid('unsupported_media_type', 415),
  'queue-full': {
    status: 429,
    anthropicStatus: 529,
    openaiType: 'rate_limit_error',
    openaiCode: 'queue_full',
    anthropicType: 'overloaded_error',
    noRetry: false,
    retryAfterS: 5,
  },
  'cursor-rate-limited': {
    status: 429,
    openaiType: 'rate_limit_error',
    openaiCode: 'rate_limit_exceeded',
    anthropicType: 'rate_limit_error',
    noRetry: false,
    retryAfterS: 10,
  },
  'cursor-quota': {
    status: 429,
    openaiType: 'insufficient_quota',
    openaiCode: 'insufficient_quota',
    anthropicType: 'rate_limit_error',
    noRetry: true,
    // Never a 429 without Retry-After: Codex gives up for good. Source: measured with Codex 0.171.0.
    retryAfterS: 30,
  },
  'agent-failed': server('agent_failed', 500, false),
  internal: server('internal_error', 500, false),
  'cursor-unreachable': server('cursor_unreachable', 502, false),
  'bridge-not-contacted': server('bridge_not_contacted', 502, false),
  'cursor-not-logged-in': server('cursor_not_logged_in', 503, true),
  'cli-missing': server('cli_missing', 503, true),
  'shutting-down': server('shutting_down', 503, false, 5),
  'queue-timeout': server('queue_timeout', 503, false, 10),
  'run-timeout': { ...server('timeout', 504, false), anthropicType: 'timeout_error' },
  'run-stalled': { ...server('timeout', 504, false), anthropicType: 'timeout_error' },
  // No reply is sent for it; the row exists so that the table is total (499 as nginx logs it).
  cancelled: server('cancelled', 499, true),
}

/**
 * A request that is refused or failed before an event stream exists. Thrown by `protocols/*\/request.ts`, guard,
 * plan and pool admission; turned into the protocol's envelope by http. Never crosses a thread (class and code
 * of an Error are lost there): in a run, failures are events.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: FailureCode
  readonly retryAfterS: number | undefined
  /** Extra fields for the error envelope's `details`, e.g. `{ error_code: 'thread_unsupported_request' }`. */
  readonly details: Readonly<Record<string, string>> | undefined
  /**
   * The same request failed before, after work was done: the answer must be one that this protocol's clients do
   * not send again (chat and Responses: 400 with this code and text; Messages: the usual status with NR).
   */
  readonly repeated: boolean
  constructor(
    code: FailureCode,
    message: string,
    options: {
      readonly retryAfterS?: number
      readonly details?: Readonly<Record<string, string>>
      readonly repeated?: boolean
      readonly cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.code = code
    this.retryAfterS = options.retryAfterS
    this.details = options.details
    this.repeated = options.repeated ?? false
  }
}
