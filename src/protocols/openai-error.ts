// Failure → error envelope, the same in both of OpenAI's APIs.
import type { ErrorObject } from 'openai/resources/shared'
import { FAILURES } from '../core/failure.ts'
import type { WireFailure } from './protocol.ts'

/**
 * Deviation: `details` in the error object, only where a refusal has some.
 * Source: every client reads `message`, `type` and `code` only (openai SDK 6: `APIError`).
 *
 * In a stream of chat completions the same envelope is one data frame, after which nothing follows: no finish, no
 * `[DONE]`. Source: openai SDK 6 throws `APIError` on a frame with `error`; Qwen and pi show its message; none takes it as
 * a normal end (measured).
 */
export interface ErrorEnvelope {
  error: ErrorObject & { details?: Readonly<Record<string, string>> }
}

export function errorEnvelope({ code, message, details, repeated }: WireFailure): ErrorEnvelope {
  // Source: OpenCode 1.18 sends again whatever says server_error, whatever its status.
  const row = FAILURES[repeated === true ? 'invalid-request' : code]
  return {
    error: {
      message,
      type: row.openaiType,
      param: null,
      code: FAILURES[code].openaiCode,
      ...(details && { details }),
    },
  }
}
