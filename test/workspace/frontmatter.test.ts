import { expect, test } from 'vitest'
import { parseDocument, splitList } from '../../src/workspace/frontmatter.ts'

const headOf = (text: string) => Object.fromEntries(parseDocument(`---\n${text}\n---\nbody\n`).head)

test.each([
  ['a plain value', 'name: tidy', { name: 'tidy' }],
  ['quotes', `description: "one: two"`, { description: 'one: two' }],
  ['a comment behind a value', 'name: tidy # mine', { name: 'tidy' }],
  ['a list in brackets', 'globs: ["*.ts", src/**/*.js]', { globs: ['*.ts', 'src/**/*.js'] }],
  ['an indented list', 'globs:\n  - "*.ts"\n  - b', { globs: ['*.ts', 'b'] }],
  ['a list at the margin', 'globs:\n- a\n- b\nname: x', { globs: ['a', 'b'], name: 'x' }],
  [
    'a folded block',
    'description: >-\n  one\n  two\nname: x',
    { description: 'one two', name: 'x' },
  ],
  ['a literal block', 'description: |\n  one\n  two', { description: 'one\ntwo' }],
  ['a value over two lines', 'description: one\n  two', { description: 'one two' }],
  ['capitals in a key', 'Allowed-Tools: Read', { 'allowed-tools': 'Read' }],
  ['lines that are no entries', '!!\n= x\nname: y', { name: 'y' }],
])('reads %s', (_what, text, expected) => {
  expect(headOf(text)).toEqual(expected)
})

test('separates head and body, whatever the line ends and the byte order mark', () => {
  const { head, body } = parseDocument('\uFEFF---\r\nname: a\r\n---\r\n\r\n# T\r\n\r\ntext\r\n\r\n')
  expect(head.get('name')).toBe('a')
  expect(body).toBe('# T\n\ntext')
})

test.each(['# no head\n', '---\nname: never closed\n', ''])('takes %j as all body', (text) => {
  expect(parseDocument(text)).toEqual({ head: new Map(), body: text.trim() })
})

test('splits a list only between its entries', () => {
  expect(splitList('Read, Bash(git add:*, b), "*.{ts,js}", src/*.{a,b}')).toEqual([
    'Read',
    'Bash(git add:*, b)',
    '*.{ts,js}',
    'src/*.{a,b}',
  ])
})
