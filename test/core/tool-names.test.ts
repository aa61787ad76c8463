// Names of a client's tools on their way to Cursor and back.
import { expect, test } from 'vitest'
import { toolNames } from '../../src/core/tool-names.ts'

const named = (...names: readonly string[]) =>
  toolNames(names.map((name) => ({ name, description: '', parameters: {} })))
const offered = (...names: readonly string[]): string[] =>
  named(...names).offered.map((one) => one.offered)

test('safe names stay as they are, in their order', () => {
  expect(offered('Read', 'mcp__github__list-issues', 'a_b')).toEqual([
    'Read',
    'mcp__github__list-issues',
    'a_b',
  ])
})

test.each(['a b', 'a.b', 'ä', '', 'x'.repeat(54), '工具', '../../etc'])(
  '%j is made safe, always in the same way, and found again',
  (name) => {
    const [safe = ''] = offered(name)
    expect(safe).toMatch(/^[A-Za-z0-9_-]{1,53}$/)
    expect(offered('other', name)[1]).toBe(safe)
    expect(named(name).find(safe)?.name).toBe(name)
  },
)

test('names that look alike once they are safe stay apart', () => {
  const names = ['a b', 'a.b', 'a_b', 'a/b']
  expect(new Set(offered(...names)).size).toBe(names.length)
  // One that is already named like the safe form of another.
  const [safe = ''] = offered('a b')
  const both = named('a b', safe)
  expect(both.offered.map((one) => both.find(one.offered)?.name)).toEqual(['a b', safe])
})

test('of equal names the first counts', () => {
  expect(offered('Read', 'Read')).toEqual(['Read'])
})

test.each([
  'Read',
  'client-Read',
  'MCP: Read',
  'MCP:Read',
  'mcp__client__Read',
  'MCP: client-Read',
])('Cursor may say %j', (heard) => {
  expect(named('Read', 'Bash').find(heard)?.name).toBe('Read')
})

test('a tool that is itself named like ours with its server keeps its name', () => {
  const names = named('x', 'client-x', 'mcp__client__x')
  for (const name of ['x', 'client-x', 'mcp__client__x']) {
    expect(names.find(name)?.name).toBe(name)
  }
})

test.each(['Write', 'github-Read', 'mcp__github__Read', 'read'])('%j is none of them', (heard) => {
  expect(named('Read').find(heard)).toBeUndefined()
})
