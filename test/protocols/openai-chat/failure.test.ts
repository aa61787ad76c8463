import { expect, test } from 'vitest'
import { chatFailure, chatStatus } from '../../../src/protocols/openai-chat/failure.ts'

test('the envelope is the one of the API', () => {
  expect(chatFailure({ code: 'cursor-not-logged-in', message: 'run `agent login`' })).toEqual({
    error: {
      message: 'run `agent login`',
      type: 'server_error',
      param: null,
      code: 'cursor_not_logged_in',
    },
  })
})

test('a full queue is 429 here', () => {
  expect(chatStatus('queue-full')).toBe(429)
})
