import { expect, test } from 'vitest'
import { applySettings } from '../../../src/clients/edit/apply.ts'

const SETTINGS = [
  { path: ['model_provider'], value: 'cursor-adapter' },
  { path: ['model_providers', 'cursor-adapter', 'name'], value: 'Cursor' },
  { path: ['model_providers', 'cursor-adapter', 'base_url'], value: 'http://h/v1' },
]
const put = (text: string): string => applySettings('toml', text, SETTINGS)
const TABLE = '[model_providers.cursor-adapter]\nname = "Cursor"\nbase_url = "http://h/v1"\n'
const TOP = 'model_provider = "cursor-adapter"\n'

test.each([
  ['nothing', '', `${TOP}\n${TABLE}`],
  ['a key above the tables', 'model = "gpt"\n', `model = "gpt"\n${TOP}\n${TABLE}`],
  ['an old value', 'model_provider = "openai" # mine\n', `${TOP}\n${TABLE}`],
  ['only tables', '# head\n[tui]\nx = 1\n', `${TOP}\n# head\n[tui]\nx = 1\n\n${TABLE}`],
  [
    'the same words in a text of several lines, and in another table',
    'notes = """\nmodel_provider = "a"\n[model_providers.cursor-adapter]\n"""\n[profiles.x]\nmodel_provider = "b"\n',
    `notes = """\nmodel_provider = "a"\n[model_providers.cursor-adapter]\n"""\n${TOP}[profiles.x]\nmodel_provider = "b"\n\n${TABLE}`,
  ],
  [
    'an array over lines and brackets in strings',
    'notify = [\n  "a]", # ]\n  "b",\n]\n[[x]]\ny = "[z]"',
    `notify = [\n  "a]", # ]\n  "b",\n]\n${TOP}[[x]]\ny = "[z]"\n\n${TABLE}`,
  ],
  [
    'our table with an old address and a key of the user',
    `${TOP}\n[model_providers."cursor-adapter"]\nbase_url = "http://old/v1"\nrequest_max_retries = 1\n\n[tui]\n`,
    `${TOP}\n[model_providers."cursor-adapter"]\nbase_url = "http://h/v1"\nrequest_max_retries = 1\nname = "Cursor"\n\n[tui]\n`,
  ],
  ['Windows line ends', 'a = 1\r\n', `a = 1\r\n${TOP}\n${TABLE}`.replaceAll(/\r?\n/g, '\r\n')],
])('%s: the settings are put in, the rest stays to the byte', (_what, before, after) => {
  expect(put(before)).toBe(after)
  expect(put(after)).toBe(after)
})

test.each([
  ['an inline table', 'model_providers = { x = { name = "y" } }\n', 'line 1'],
  ['dotted keys', 'a = 1\nmodel_providers.cursor-adapter.name = "x"\n', 'line 2'],
  ['a dotted key in a table', '[model_providers]\ncursor-adapter = { name = "x" }\n', 'line 2'],
  ['a string without end', 'a = "secret\n', 'line 1'],
  ['an array without end', 'a = [1,\n', 'line 1'],
  ['no TOML', 'secret\n', 'line 1'],
])('%s is refused with the line, without quoting it', (_what, text, reason) => {
  expect(() => put(text)).toThrow(reason)
  expect(() => put(text)).not.toThrow('secret')
})
