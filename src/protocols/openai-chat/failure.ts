// Failure → error envelope and HTTP status of the chat completions API.
import { FAILURES, type FailureCode } from '../../core/failure.ts'
import type { WireFailure } from '../protocol.ts'
import type { ErrorEnvelope } from './wire.ts'

export function chatFailure(failure: WireFailure): ErrorEnvelope {
  const row = FAILURES[failure.code]
  return {
    error: {
      message: failure.message,
      type: row.openaiType,
      param: null,
      code: row.openaiCode,
      ...(failure.details && { details: failure.details }),
    },
  }
}

export function chatStatus(code: FailureCode): number {
  return FAILURES[code].status
}
