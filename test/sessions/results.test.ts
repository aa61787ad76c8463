// Which additions to a conversation are exactly the results that a run waits for.
import { expect, test } from 'vitest'
import type { Message, Part } from '../../src/core/turn.ts'
import { exactResults } from '../../src/sessions/results.ts'

const AWAITED = new Set(['a', 'b'])
const result = (callId: string, text = 'ok'): Part => ({
  type: 'tool-result',
  callId,
  isError: false,
  content: [{ type: 'text', text }],
})
const words = (text: string): Part => ({ type: 'text', text })
const user = (...parts: readonly Part[]): Message => ({ role: 'user', parts })
const system = (text: string): Message => ({ role: 'system', parts: [words(text)] })
const REMINDER = '<system-reminder>The file was changed.</system-reminder>'
const INTERRUPTED = '[Request interrupted by user for tool use]'

test.each([
  ['both in one message', [user(result('a'), result('b'))]],
  ['in any order', [user(result('b'), result('a'))]],
  ['in a message each', [user(result('a')), user(result('b'))]],
  ['with a system text before', [system('news'), user(result('a'), result('b'))]],
  ['with a system text between', [user(result('a')), system('news'), user(result('b'))]],
  ['with a reminder beside', [user(result('a'), result('b'), words(REMINDER))]],
  ['with an interrupt note', [user(result('a'), result('b'), words(INTERRUPTED))]],
  [
    'with the other interrupt note',
    [user(result('a'), result('b')), user(words('[Request interrupted by user]'))],
  ],
  [
    'with note and reminder in one text',
    [user(result('a'), result('b'), words(`${REMINDER}\n${INTERRUPTED}\n`))],
  ],
  ['with thinking beside', [user(result('a'), { type: 'thinking', text: 'hm' }, result('b'))]],
] as const)('the run goes on: %s', (_name, fresh) => {
  expect([...(exactResults(fresh, AWAITED)?.byCall.keys() ?? [])].toSorted()).toEqual(['a', 'b'])
})

test.each([
  ['one is missing', [user(result('a'))]],
  ['none is there', [user(words('hello'))]],
  ['a foreign one instead', [user(result('a'), result('x'))]],
  ['a foreign one besides', [user(result('a'), result('b'), result('x'))]],
  ['one twice', [user(result('a'), result('b'), result('b'))]],
  ['one twice, the other missing', [user(result('a'), result('a'))]],
  ['a blank id', [user(result('a'), result(''))]],
  ['an id with a blank before it', [user(result('a'), result(' b'))]],
  ['text of the user beside', [user(result('a'), result('b'), words('and hurry'))]],
  [
    'text of the user in a message of its own',
    [user(result('a'), result('b')), user(words('stop'))],
  ],
  [
    'interrupt note and new text',
    [user(result('a'), result('b'), words(INTERRUPTED), words('do that instead'))],
  ],
  [
    'new text in the same block as the note',
    [user(result('a'), result('b'), words(`${INTERRUPTED}\nno, the other file`))],
  ],
  [
    'words that only begin like the note',
    [user(result('a'), result('b'), words('[Request interrupted by user] means what?'))],
  ],
  ['text behind a reminder', [user(result('a'), result('b'), words(`${REMINDER} and hurry`))]],
  [
    'a picture beside',
    [user(result('a'), result('b'), { type: 'image', source: { kind: 'url', url: 'http://x/y' } })],
  ],
  [
    'something unknown beside',
    [user(result('a'), result('b'), { type: 'unsupported', kind: 'x' })],
  ],
] as const)('the run does not go on: %s', (_name, fresh) => {
  expect(exactResults(fresh, AWAITED)).toBeUndefined()
})

test('what the client adds is kept, interrupt notes and system texts aside', () => {
  const fresh = [
    system('news'),
    user(result('a'), words(REMINDER), result('b'), words(INTERRUPTED)),
  ]
  expect(exactResults(fresh, AWAITED)?.notes).toEqual([REMINDER])
})

test('errors and pictures in results stay what they are', () => {
  const picture = { type: 'image', source: { kind: 'url', url: 'http://x/y' } } as const
  const part: Part = { type: 'tool-result', callId: 'a', isError: true, content: [picture] }
  const found = exactResults([user(part)], new Set(['a']))
  expect(found?.byCall.get('a')).toEqual({ isError: true, content: [picture] })
})
