// Failures of the Responses API. The envelope is in ../openai-error.ts.
import { FAILURES, type FailureCode } from '../../core/failure.ts'
import type { WireFailure } from '../protocol.ts'
import type { Response } from './wire.ts'

export { errorEnvelope as responsesFailure } from '../openai-error.ts'

export function responsesStatus(code: FailureCode): number {
  return FAILURES[code].status
}

/** The `error` of a response that failed in its stream. */
export function responseError(failure: WireFailure): NonNullable<Response['error']> {
  return { code: FAILURES[failure.code].openaiCode, message: failure.message }
}
