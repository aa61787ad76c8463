import { expect, test } from 'vitest'
import type { Json } from '../../src/core/turn.ts'
import { createKeptReplies, type KeptReply } from '../../src/service/kept-replies.ts'
import { until } from '../support/until.ts'

const LIMITS = { maxConversations: 3, maxBytes: 20_000, idleMs: 60_000 }
const said = (text: string): Json => ({ id: `msg_${text}`, role: 'user', content: text })
const reply = (name: string, more: Partial<KeptReply> = {}): KeptReply => ({
  replyId: name,
  previous: undefined,
  conversation: undefined,
  items: [said(name)],
  ...more,
})

test('a conversation is everything up to the reply that is named, and may branch', () => {
  const kept = createKeptReplies(LIMITS)
  kept.keep('key', reply('1'))
  kept.keep('key', reply('2', { previous: '1' }))
  kept.keep('key', reply('3a', { previous: '2' }))
  kept.keep('key', reply('3b', { previous: '2' }))
  const of = kept.of('key')
  expect(of.upTo('3a')).toEqual([said('1'), said('2'), said('3a')])
  expect(of.upTo('3b')).toEqual([said('1'), said('2'), said('3b')])
  expect(of.upTo('1')).toEqual([said('1')])
  expect(of.item('msg_2')).toEqual(said('2'))
  expect(kept.conversations()).toBe(1)
})

test("the client's own conversation id finds its latest reply", () => {
  const kept = createKeptReplies(LIMITS)
  expect(kept.of('key').conversation('c')).toEqual([])
  kept.keep('key', reply('1', { conversation: 'c' }))
  kept.keep('key', reply('2', { conversation: 'c' }))
  expect(kept.of('key').conversation('c')).toEqual([said('1'), said('2')])
})

test('what one client said is not there for another', () => {
  const kept = createKeptReplies(LIMITS)
  kept.keep('one', reply('1', { conversation: 'c' }))
  const other = kept.of('other')
  expect([other.upTo('1'), other.item('msg_1'), other.conversation('c')]).toEqual([
    undefined,
    undefined,
    [],
  ])
})

test('the conversation used longest ago goes first, with all that belongs to it', () => {
  const kept = createKeptReplies(LIMITS)
  for (const name of ['a', 'b', 'c']) kept.keep('key', reply(name, { conversation: name }))
  kept.of('key').upTo('a')
  kept.keep('key', reply('d'))
  const of = kept.of('key')
  expect(of.upTo('b')).toBeUndefined()
  expect(of.item('msg_b')).toBeUndefined()
  expect(of.conversation('b')).toEqual([])
  for (const name of ['a', 'c', 'd']) expect(of.upTo(name)).toEqual([said(name)])
})

test('bytes are bounded: over all, and a conversation too large for the store goes whole', () => {
  const kept = createKeptReplies(LIMITS)
  const large = (name: string, more: Partial<KeptReply> = {}): KeptReply =>
    reply(name, { items: [{ role: 'user', content: 'x'.repeat(4000) }], ...more })
  for (const name of ['a', 'b', 'c']) kept.keep('key', large(name))
  expect(kept.bytes()).toBeLessThanOrEqual(LIMITS.maxBytes)
  expect(kept.of('key').upTo('a')).toBeUndefined()
  expect(kept.of('key').upTo('c')).toHaveLength(1)
  kept.keep('key', large('c2', { previous: 'c' }))
  kept.keep('key', large('c3', { previous: 'c2' }))
  for (const name of ['c', 'c2', 'c3']) expect(kept.of('key').upTo(name)).toBeUndefined()
  expect(kept.bytes()).toBe(0)
})

test('idle conversations go by themselves; use keeps them', async () => {
  const kept = createKeptReplies({ ...LIMITS, idleMs: 300 })
  kept.keep('key', reply('1'))
  const from = performance.now()
  await until('twice the idle time to be over', 5000, () => {
    expect(kept.of('key').upTo('1')).toHaveLength(1)
    return performance.now() - from > 600
  })
  await until('the conversation to be gone', 5000, () => kept.conversations() === 0)
  expect(kept.of('key').upTo('1')).toBeUndefined()
  expect(kept.bytes()).toBe(0)
})
