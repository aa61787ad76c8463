import { expect, test } from 'vitest'
import { applySettings } from '../../../src/clients/edit/apply.ts'
import { readJsonc } from '../../../src/clients/edit/jsonc.ts'

const SETTINGS = [
  { path: ['env', 'A'], value: '1' },
  { path: ['model'], value: 'cursor/auto' },
]
const put = (text: string): string => applySettings('jsonc', text, SETTINGS)

test.each([
  ['nothing', '', '{\n  "env": {\n    "A": "1"\n  },\n  "model": "cursor/auto"\n}\n'],
  ['an empty object', '{}', '{\n  "env": {\n    "A": "1"\n  },\n  "model": "cursor/auto"\n}'],
  [
    'other settings, comments and a trailing comma',
    '{\n    // mine\n    "env": { "B": "2" }, // two\n    "theme": "dark", /* keep */\n}\n',
    '{\n    // mine\n    "env": { "B": "2", "A": "1" }, // two\n    "theme": "dark", /* keep */\n    "model": "cursor/auto",\n}\n',
  ],
  [
    'a comment behind the last member',
    '{\n  "env": {\n    "B": "2" // last\n  }\n}\n',
    '{\n  "env": {\n    "B": "2", // last\n    "A": "1"\n  },\n  "model": "cursor/auto"\n}\n',
  ],
  [
    'old values',
    '{ "model": "openai/gpt", "env": { "A": "0" } }',
    '{ "model": "cursor/auto", "env": { "A": "1" } }',
  ],
  [
    'a value of another kind in the way',
    '{\n  "env": null\n}',
    '{\n  "env": {\n    "A": "1"\n  },\n  "model": "cursor/auto"\n}',
  ],
  [
    'Windows line ends and tabs',
    '{\r\n\t"x": 1\r\n}\r\n',
    '{\r\n\t"x": 1,\r\n\t"env": {\r\n\t\t"A": "1"\r\n\t},\r\n\t"model": "cursor/auto"\r\n}\r\n',
  ],
  [
    'braces, slashes and commas inside strings',
    '{\n  "u": "http://x/{,}//"\n}',
    '{\n  "u": "http://x/{,}//",\n  "env": {\n    "A": "1"\n  },\n  "model": "cursor/auto"\n}',
  ],
])('%s: the settings are put in, the rest stays to the byte', (_what, before, after) => {
  expect(put(before)).toBe(after)
  expect(put(after)).toBe(after)
})

test('a byte order mark and a block comment before the object stay', () => {
  expect(put('\ufeff/* head */ {}')).toMatch(/^\ufeff\/\* head \*\/ \{/)
})

test.each([
  ['an array', '[]', 'no object'],
  ['a cut file', '{"a": 1', 'line 1'],
  ['two values', '{}\n{}', 'line 1: more than one value'],
  ['a string without end', '{\n"a": "secret', 'line 2: a string does not end'],
  ['words', 'hello', 'no JSON'],
])('%s is refused with the line, without quoting it', (_what, text, reason) => {
  expect(() => put(text)).toThrow(reason)
  expect(() => put(text)).not.toThrow('secret')
})

test('comments and trailing commas are read as if they were not there', () => {
  expect(
    readJsonc('{ "a": [1, /* x */ {"b": "\\u00e9",},], // y\n "c": -1.5e3, "a": true }'),
  ).toEqual({
    a: true,
    c: -1500,
  })
})
