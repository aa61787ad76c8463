// The README's table of settings is the schema's.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SETTINGS } from '../../src/config/settings.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

function shown(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

test('the README lists every setting with its default and meaning', () => {
  const table = /<!-- settings:start -->\n([\s\S]*?)\n<!-- settings:end -->/.exec(README)?.[1] ?? ''
  const rows = SETTINGS.map(({ key, initial, meaning }) => {
    return `| \`${key}\` | \`${shown(initial)}\` | ${meaning.replaceAll('|', '\\|')} |`
  })
  expect(table.split('\n').slice(2)).toEqual(rows)
})

test('the README names every script of package.json that a person runs', () => {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8')
  const names = [...manifest.matchAll(/"(demo|test|test:[a-z0-9]+|bench|soak)": "npm run/g)]
  expect(names.length).toBeGreaterThan(6)
  for (const [, name] of names) {
    expect(README).toMatch(new RegExp(`npm (run )?${name ?? ''}\\b`))
  }
})
