import { expect, test } from 'vitest'
import { profileKeyOf, sessionId } from '../../src/core/ids.ts'
import type { Kept } from '../../src/core/job.ts'
import type { Message } from '../../src/core/turn.ts'
import { type Binding, createConversations } from '../../src/sessions/conversations.ts'
import { readTranscript } from '../../src/sessions/transcript.ts'

const chain = (text: string) => {
  const message: Message = { role: 'user', parts: [{ type: 'text', text }] }
  return readTranscript([message]).whole
}
const binding = (rest: Partial<Binding> = {}): Binding => ({
  key: sessionId('s'),
  credential: 'c',
  profile: profileKeyOf('p'),
  ...rest,
})
const kept = (chatId: string): Kept => ({ backend: 'acp', pid: 1, chatId })

function store(max = 32) {
  const forgotten: string[] = []
  const conversations = createConversations({ max, idleMs: 60_000 }, ({ chatId }) => {
    forgotten.push(chatId)
  })
  const keep = (at: string, chatId: string, of = binding()) => {
    conversations.keep(chain(at), { binding: of, kept: kept(chatId), systems: new Set() })
  }
  return { conversations, forgotten, keep }
}

test('a conversation is taken once, by the transcript it ended with', () => {
  const { conversations, keep } = store()
  keep('a', 'chat')
  expect(conversations.take(chain('b'), binding())).toBeUndefined()
  expect(conversations.take(chain('a'), binding())?.kept.chatId).toBe('chat')
  expect(conversations.take(chain('a'), binding())).toBeUndefined()
})

test.each([
  ['client conversation', { key: sessionId('other') }],
  ['credential', { credential: 'other' }],
])('another %s never gets it', (_what, rest) => {
  const { conversations, keep } = store()
  keep('a', 'chat')
  expect(conversations.take(chain('a'), binding(rest))).toBeUndefined()
  expect(conversations.size()).toBe(1)
})

test('with another model, mode or tool list it is given back', () => {
  const { conversations, forgotten, keep } = store()
  keep('a', 'chat')
  expect(conversations.take(chain('a'), binding({ profile: profileKeyOf('q') }))).toBeUndefined()
  expect(forgotten).toEqual(['chat'])
})

test('the least recently used one makes room', () => {
  const { conversations, forgotten, keep } = store(2)
  keep('a', '1')
  keep('b', '2')
  keep('c', '3')
  expect(forgotten).toEqual(['1'])
  expect(conversations.size()).toBe(2)
})

test('two that cannot be told apart are continued by neither', () => {
  const { conversations, forgotten, keep } = store()
  const nameless = binding({ key: undefined })
  keep('a', '1', nameless)
  keep('a', '2', nameless)
  expect(conversations.take(chain('a'), nameless)).toBeUndefined()
  expect(forgotten).toEqual(['2'])
})

test('clearing gives everything back', () => {
  const { conversations, forgotten, keep } = store()
  keep('a', '1')
  keep('b', '2')
  conversations.clear()
  expect(forgotten.toSorted()).toEqual(['1', '2'])
})
