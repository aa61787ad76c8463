import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { defaultConfig, loadConfig } from '../../src/config/load.ts'
import { SETTINGS } from '../../src/config/settings.ts'

const path = fileURLToPath(new URL('../../config.yaml', import.meta.url))
const text = readFileSync(path, 'utf8')

test('config.yaml lists exactly the settings there are, each with its default', () => {
  expect(parse(text)).toEqual(defaultConfig())
})

test('config.yaml as it stands is a valid configuration that changes nothing', () => {
  expect(loadConfig({ env: {}, file: path }).config).toEqual(defaultConfig())
})

test.each(SETTINGS)('config.yaml explains $key: meaning, expected form, unit, flag', (setting) => {
  const [group = '', inner] = setting.key.split('.')
  const part = inner === undefined ? text : text.slice(text.indexOf(`\n${group}:\n`))
  const line = inner === undefined ? `\n${group}: ` : `\n  ${inner}: `
  const above = part.slice(0, part.indexOf(line))
  const comment = /(\n *# [^\n]*)+$/.exec(above)?.[0] ?? ''
  const words = comment.replaceAll(/\n *# /g, ' ').toLowerCase()
  expect(words).toContain(setting.meaning.toLowerCase())
  expect(words).toContain(setting.form.toLowerCase())
  expect(words).toContain(setting.unit.toLowerCase())
  expect(words).toContain(setting.flag ?? '')
})
