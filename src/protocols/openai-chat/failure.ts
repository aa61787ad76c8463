// HTTP status of the chat completions API. The envelope is in ../openai-error.ts.
import { FAILURES, type FailureCode } from '../../core/failure.ts'

export { errorEnvelope as chatFailure } from '../openai-error.ts'

export function chatStatus(code: FailureCode): number {
  return FAILURES[code].status
}
