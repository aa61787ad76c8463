// Failure → error envelope and HTTP status of the Responses API.
import { FAILURES, type FailureCode } from '../../core/failure.ts'
import type { WireFailure } from '../protocol.ts'
import type { ErrorEnvelope, Response } from './wire.ts'

export function responsesFailure(failure: WireFailure): ErrorEnvelope {
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

export function responsesStatus(code: FailureCode): number {
  return FAILURES[code].status
}

/** The `error` of a response that failed in its stream. */
export function responseError(failure: WireFailure): NonNullable<Response['error']> {
  return { code: FAILURES[failure.code].openaiCode, message: failure.message }
}
