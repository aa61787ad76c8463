import { expect, test } from 'vitest'
import type { Message } from '../../src/core/turn.ts'
import { beforeCutOff } from '../../src/sessions/cut-off.ts'

const say = (role: Message['role'], ...texts: readonly string[]): Message => ({
  role,
  parts: texts.map((text) => ({ type: 'text', text })),
})
const USER = say('user', '<system-reminder>\nBe kind.\n</system-reminder>', 'Run the errand.')
const PART: Message = {
  role: 'assistant',
  parts: [
    { type: 'text', text: 'I edit.' },
    { type: 'past-activity', text: 'Edit was run' },
  ],
}
const GO_ON = say(
  'user',
  '<system-reminder>\nYour response above was cut off mid-stream. Resume directly from where it stops — no apology, no recap. If none of it survived, answer the request from the start.\n</system-reminder>',
)
const SYSTEM = say('system', '# Environment')

test.each<[string, readonly Message[]]>([
  ['once', [USER, PART, GO_ON]],
  ['three times', [USER, PART, GO_ON, PART, GO_ON, PART, GO_ON]],
  ['where nothing of the reply survived', [USER, GO_ON]],
  ['with system texts after it', [USER, PART, GO_ON, SYSTEM]],
  ['where the reply is in two messages', [USER, PART, PART, GO_ON]],
])('a client asks to go on %s: what it asked at first', (_name, messages) => {
  expect(beforeCutOff(messages)).toEqual([USER])
})

test('system texts before the reply stay', () => {
  expect(beforeCutOff([USER, SYSTEM, PART, GO_ON])).toEqual([USER, SYSTEM])
})

test.each<[string, readonly Message[]]>([
  ['nothing was said', []],
  ['a new turn', [USER, PART, say('user', 'Go on.')]],
  [
    'a reminder beside words of the user',
    [USER, PART, { ...GO_ON, parts: [...GO_ON.parts, ...USER.parts] }],
  ],
  ['a break long ago', [USER, PART, GO_ON, PART, USER]],
  ['an empty message', [USER, PART, { role: 'user', parts: [] }]],
  [
    'words of the user that only quote it',
    [USER, PART, say('user', 'Your response above was cut off mid-stream')],
  ],
])('no such wish: %s', (_name, messages) => {
  expect(beforeCutOff(messages)).toBeUndefined()
})
