import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { createConsole, wantsColour } from '../../src/commands/console.ts'

test.each([
  ['a terminal', {}, true, true],
  ['a pipe', {}, false, false],
  ['a terminal with NO_COLOR', { NO_COLOR: '1' }, true, false],
  ['a terminal with an empty NO_COLOR', { NO_COLOR: '' }, true, true],
  ['a dumb terminal', { TERM: 'dumb' }, true, false],
  ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, false, true],
  ['FORCE_COLOR=0', { FORCE_COLOR: '0' }, true, false],
  ['NO_COLOR against FORCE_COLOR', { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
])('%s: colours as expected', (_what, env, isTty, expected) => {
  expect(wantsColour(env, isTty)).toBe(expected)
})

test('a reader that went away is no error, any other fault of the output is', () => {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  createConsole(stdout, stderr, {})
  const gone = Object.assign(new Error('gone'), { code: 'EPIPE' })
  expect(() => stdout.emit('error', gone)).not.toThrow()
  expect(() => stdout.emit('error', new Error('disk full'))).toThrow('disk full')
})
