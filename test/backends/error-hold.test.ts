import { expect, test } from 'vitest'
import { createErrorHold } from '../../src/backends/error-hold.ts'

const DUMP = 'Error: RetriableError: [unavailable] Error'

function played(pieces: readonly string[]) {
  const hold = createErrorHold()
  const shown = pieces.map((piece) => hold.push(piece)).join('')
  return { shown, dump: hold.dump(), rest: hold.release() }
}

test.each([
  ['as the whole answer', [DUMP], ''],
  ['after an empty line', ['Reading.', `\n\n${DUMP}`], 'Reading.'],
  ['after an empty line of its own', ['Reading.', '\n\n', DUMP], 'Reading.\n\n'],
  ['in pieces', ['Reading.\n\nErr', 'or: Retriable', 'Error: [x]'], 'Reading.'],
  ['after an empty line at the very start', ['\n\n', DUMP], '\n\n'],
])('a dump %s is held back', (_what, pieces, shown) => {
  const outcome = played(pieces)
  expect(outcome.shown).toBe(shown)
  expect(outcome.dump?.certain).toBe(true)
})

test.each([
  ['after a single line break', ['Reading.\n', DUMP]],
  ['after a single line break at the very start', ['\n', 'Error: Retriable', 'Error: ']],
  ['in the middle of a line', ['It says ', DUMP]],
  ['followed by long text', [`${DUMP}${'x'.repeat(700)}`]],
  ['of an unknown kind', ['Error: something else']],
])('the same words %s are text', (_what, pieces) => {
  const outcome = played(pieces)
  expect(outcome.dump).toBeUndefined()
  expect(outcome.shown + outcome.rest).toBe(pieces.join(''))
})

test('what was held and turns out to be text comes out whole', () => {
  const hold = createErrorHold()
  expect(hold.push('Error: ')).toBe('')
  expect(hold.push('the file is missing')).toBe('Error: the file is missing')
})
