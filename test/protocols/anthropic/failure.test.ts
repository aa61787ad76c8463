import type { ErrorType } from '@anthropic-ai/sdk/resources/shared'
import { expect, test } from 'vitest'
import { FAILURE_CODES } from '../../../src/core/failure.ts'
import { messagesFailure, messagesStatus } from '../../../src/protocols/anthropic/failure.ts'

/** The official list as far as we use it, and `request_too_large`, which the documentation has and the types lack. */
const KNOWN: readonly (ErrorType | 'request_too_large')[] = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'timeout_error',
  'api_error',
  'overloaded_error',
  'request_too_large',
]

test.each(FAILURE_CODES)('the type for %s is one the API documents', (code) => {
  expect(KNOWN).toContain(messagesFailure({ code, message: 'm' }).error.type)
})

test('a full queue is an overload: 529', () => {
  expect(messagesStatus('queue-full')).toBe(529)
  expect(messagesStatus('cursor-rate-limited')).toBe(429)
})

test('the envelope is the one of the API', () => {
  expect(messagesFailure({ code: 'run-timeout', message: 'm' })).toEqual({
    type: 'error',
    error: { type: 'timeout_error', message: 'm' },
    request_id: null,
  })
})
