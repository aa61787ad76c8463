// Every field case that is due has a test that names it. The cases are faults that users of such services have met; a
// test's comments and names say what each is about.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at)

const DUE = [...range(1, 22), 24, 29, ...range(33, 96)].map(
  (number) => `F${String(number).padStart(2, '0')}`,
)

/** Strings of the test files: names of tests, and of rows that tests are made of. Comments do not count. */
function namedCases(): ReadonlySet<string> {
  const here = import.meta.dirname
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' })
  const named = new Set<string>()
  for (const file of files) {
    if (!file.endsWith('.test.ts') || file === 'field-cases.test.ts') continue
    const source = readFileSync(join(here, file), 'utf8').replaceAll(/^\s*\/\/.*$/gm, '')
    for (const [, text = ''] of source.matchAll(/['"`](F\d\d[^'"`]*)/g)) {
      for (const [id] of (text.split(':')[0] ?? '').matchAll(/F\d\d/g)) named.add(id)
    }
  }
  return named
}

test('every field case that is due is named by a test', () => {
  const named = namedCases()
  expect(DUE.filter((id) => !named.has(id))).toEqual([])
})
