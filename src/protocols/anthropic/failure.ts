// Failure → error envelope and HTTP status of the Messages API.
import { FAILURES, type FailureCode } from '../../core/failure.ts'
import type { WireFailure } from '../protocol.ts'
import type { ErrorEnvelope } from './wire.ts'

export function messagesFailure(failure: WireFailure): ErrorEnvelope {
  return {
    type: 'error',
    error: {
      type: FAILURES[failure.code].anthropicType,
      message: failure.message,
      ...(failure.details && { details: failure.details }),
    },
    request_id: null,
  }
}

/** 529 where this API knows an overload that other APIs call 429. */
export function messagesStatus(code: FailureCode): number {
  const row = FAILURES[code]
  return row.anthropicStatus ?? row.status
}
