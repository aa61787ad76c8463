// What a run ends with that somebody no longer wants.
import type { Failure } from '../core/events.ts'

export const cancelled: Failure = {
  type: 'failure',
  code: 'cancelled',
  message: 'The run was cancelled.',
}
