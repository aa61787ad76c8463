import { expect, test } from 'vitest'
import { nearest } from '../../src/backends/nearest.ts'

const MODELS = ['auto', 'gpt-5.2', 'gpt-5.2-codex', 'opus-4.6', 'sonnet-4.6', 'sonnet-4.6-thinking']

test.each([
  ['sonnet-4.7', ['sonnet-4.6', 'sonnet-4.6-thinking']],
  ['GPT-5.2-Codex-high', ['gpt-5.2-codex', 'gpt-5.2']],
  ['opus', ['opus-4.6']],
])('%s is closest to %j', (wanted, expected) => {
  expect(nearest(wanted, MODELS, expected.length)).toEqual(expected)
})

test('no more names than there are, and none for none', () => {
  expect(nearest('x', ['a'], 3)).toEqual(['a'])
  expect(nearest('x', [], 3)).toEqual([])
})
