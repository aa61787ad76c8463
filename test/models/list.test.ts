import { expect, test } from 'vitest'
import { modelFacts } from '../../src/models/facts.ts'
import { parseModelList } from '../../src/models/list.ts'

const ids = (output: string): string[] => parseModelList(output).map((model) => model.id)

test('headings, blanks, tips and duplicates are no models; marks are read', () => {
  const output = [
    'Available models',
    '',
    'auto - Auto (current, default)',
    'gpt-5.2 - GPT-5.2  High - Preview',
    'gpt-5.2 - GPT-5.2 again (current)',
    'composer-2.5 - Composer 2.5 (new) (default) (current)',
    '',
    'Tip: use --model <id> (or /model <id> in interactive mode) to switch.',
    'Tip: - read the docs',
    '- a bullet - with text',
  ].join('\n')
  expect(parseModelList(output)).toEqual([
    { id: 'auto', label: 'Auto', isDefault: true, isCurrent: true },
    { id: 'gpt-5.2', label: 'GPT-5.2 High - Preview', isDefault: false, isCurrent: true },
    { id: 'composer-2.5', label: 'Composer 2.5 (new)', isDefault: true, isCurrent: true },
  ])
})

test('colours, cursor movements, zero-width characters, double spaces and CRLF do not hide models', () => {
  const output =
    '\u001b[2K\u001b[1mAvailable models\u001b[0m\r\n\r\n' +
    '\u001b[36mauto\u001b[39m - \u001b[1mAuto\u001b[22m\u001b[90m (default)\u001b[39m\r\n' +
    '\u200bgpt-5.2\u200b  -  GPT\u200b-5.2\r\n' +
    '\u001b]8;;https://example.com\u0007sonnet-4.5\u001b]8;;\u0007 - Claude'
  expect(ids(output)).toEqual(['auto', 'gpt-5.2', 'sonnet-4.5'])
  expect(parseModelList(output)[1]?.label).toBe('GPT-5.2')
})

test.each(['', 'No models available for this account', 'Error: not logged in', '{"models":[]}'])(
  'no model is read from %j',
  (output) => {
    expect(ids(output)).toEqual([])
  },
)

test.each([
  ['claude-4.5-sonnet-thinking', 'anthropic', 200_000],
  ['sonnet-4.5', 'anthropic', 200_000],
  ['claude-4-sonnet-1m', 'anthropic', 1_000_000],
  ['gpt-5.3-codex-high', 'openai', 272_000],
  ['gemini-3.1-pro', 'google', 200_000],
  ['grok-4.7-high', 'xai', 256_000],
  ['cursor-grok-4.6-high', 'cursor', 200_000],
  ['composer-2.5', 'cursor', 200_000],
  ['o3', 'openai', 200_000],
  ['auto', 'cursor', undefined],
])('%s belongs to %s and reads %s tokens', (id, owner, contextWindow) => {
  expect(modelFacts(id)).toEqual({ owner, contextWindow })
})
