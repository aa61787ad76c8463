import { expect, test } from 'vitest'
import { clientLines, modelLines, versionLine } from '../../src/commands/welcome.ts'

const models = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    id: `m-${i}`,
    label: `Model ${i}`,
    isDefault: i === 0,
  }))

test('a short list is shown whole, aligned, with its default marked', () => {
  expect(
    modelLines([
      { id: 'auto', label: 'Auto', isDefault: true },
      { id: 'gpt-5.2', label: 'GPT-5.2', isDefault: false },
    ]),
  ).toEqual(['models (2):', '  auto     Auto (default)', '  gpt-5.2  GPT-5.2'])
})

test('a long list is cut and says how many are left and where to see them', () => {
  const lines = modelLines(models(246), 12)
  expect(lines).toHaveLength(14)
  expect(lines[0]).toBe('models (246):')
  expect(lines.at(-1)).toBe('  … and 234 more: cursor-adapter models')
})

test('one model more than the limit is shown rather than announced', () => {
  expect(modelLines(models(13), 12)).toHaveLength(14)
  expect(modelLines(models(13), 12).at(-1)).toContain('m-12')
})

test('clients are told base URLs and which key to use, never the key itself', () => {
  const url = 'http://127.0.0.1:8976'
  const open = clientLines({ url, needsKey: false }).join('\n')
  expect(open).toContain(`${url}/v1`)
  expect(open).toContain(`ANTHROPIC_BASE_URL=${url} `)
  // Its tool search only costs a detour here.
  expect(open).toContain('ENABLE_TOOL_SEARCH=false')
  expect(open).toContain('any text')
  expect(clientLines({ url, needsKey: true }).join('\n')).toContain('the configured api_key')
})

test('an unknown CLI version is said to be unknown', () => {
  expect(versionLine({ version: '1.0.0', cli: '', backend: 'print' })).toContain('version unknown')
})
