import { expect, test } from 'vitest'
import { applySettings } from '../../../src/clients/edit/apply.ts'

/** A reference to the environment. */
const REF = '\u0024{KEY}'
const SETTINGS = [
  { path: ['model', 'provider'], value: 'custom' },
  { path: ['model', 'base_url'], value: 'http://127.0.0.1:1/v1' },
  { path: ['model', 'api_key'], value: REF },
]
const put = (text: string): string => applySettings('yaml', text, SETTINGS)
const BLOCK = `model:\n  provider: custom\n  base_url: http://127.0.0.1:1/v1\n  api_key: ${REF}\n`

test.each([
  ['nothing', '', BLOCK],
  ['comments only', '# mine\n', `# mine\n${BLOCK}`],
  [
    'other settings',
    'agent:\n    max_turns: 9 # few\n',
    `agent:\n    max_turns: 9 # few\n${BLOCK}`,
  ],
  ['no line end at the end', 'a: 1', `a: 1\n${BLOCK}`],
  ['a model by name', 'model: anthropic/opus\nz: [1, 2]\n', `${BLOCK}z: [1, 2]\n`],
  ['an empty entry', 'model:\nz: 1\n', `${BLOCK}z: 1\n`],
  [
    'a block with keys of the user, deeper indent, comments',
    'model:\n    # which\n    default: "x"   # quoted\n    provider: openrouter # old\nz: |\n  model:\n',
    `model:\n    # which\n    base_url: http://127.0.0.1:1/v1\n    api_key: ${REF}\n    default: "x"   # quoted\n    provider: custom # old\nz: |\n  model:\n`,
  ],
  [
    'a flow mapping',
    'model: {default: x, provider: y}\n',
    `model:\n  base_url: http://127.0.0.1:1/v1\n  default: "x"\n  provider: custom\n  api_key: ${REF}\n`,
  ],
])('%s: the settings are put in, the rest stays to the byte', (_what, before, after) => {
  expect(put(before)).toBe(after)
  expect(put(after)).toBe(after)
})

test.each([
  ['a list', '- a\n', 'no block mapping'],
  ['two documents', 'a: 1\n---\nb: 2\n', 'more than one document'],
  ['no YAML', 'a: "secret\n', 'quote'],
])('%s is refused without quoting it', (_what, text, reason) => {
  expect(() => put(text)).toThrow(reason)
  expect(() => put(text)).not.toThrow('secret')
})
