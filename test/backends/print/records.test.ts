import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageText, plainDelta } from '../../../src/backends/print/records.ts'
import { isObject, parseJson } from '../../../src/lib/json.ts'

function deltaLine(text: string, more: object = {}): string {
  return JSON.stringify({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text }] },
    session_id: '01434be3-ebf8-4ed6-9c1b-bf9c0735c9c9',
    timestamp_ms: 1790994723768,
    ...more,
  })
}

test('a plain delta is read without parsing', () => {
  expect(plainDelta(deltaLine(' key–value 🚀'))).toBe(' key–value 🚀')
})

test('what is read without parsing is what parsing would have read', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const line = deltaLine(text)
      const quick = plainDelta(line)
      const record = parseJson(line)
      if (quick !== undefined) expect(isObject(record) && messageText(record)).toBe(quick)
    }),
  )
})

test.each([
  ['a repeat before a tool call', deltaLine('text', { model_call_id: 'm1' })],
  ['escapes', deltaLine('a\n"b"')],
  ['no text', deltaLine('')],
  ['two parts', deltaLine('a').replace(']}', ',{"type":"text","text":"b"}]}')],
  ['something after it', `${deltaLine('a')}{}`],
  ['a repeat at the end of the turn', deltaLine('a').replace(/,"timestamp_ms":\d+/, '')],
])('%s is left to the parser', (_name, line) => {
  expect(plainDelta(line)).toBeUndefined()
})
