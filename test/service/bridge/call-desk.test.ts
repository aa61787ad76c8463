// When a group of calls is complete, and in which order it goes out.
import { beforeEach, expect, test } from 'vitest'
import type { ClientToolCall } from '../../../src/core/client-tools.ts'
import { callId } from '../../../src/core/ids.ts'
import type { Json } from '../../../src/core/turn.ts'
import { CallDesk, type Marked } from '../../../src/service/bridge/call-desk.ts'

let desk: CallDesk
beforeEach(() => {
  desk = new CallDesk({ groupMs: 100, orderMs: 250 })
})

function call(name: string, id: string, arrivedAtMs: number): ClientToolCall {
  const { signal } = new AbortController()
  return { id, name, arguments: {}, arrivedAtMs, signal, answer: () => true }
}

const mark = (id: string, name: string, input: Json = {}): Marked => ({
  callId: callId(id),
  name,
  input,
})
const ids = (calls: readonly ClientToolCall[]): string[] => calls.map(({ id }) => id)

test('a call whose mark has come goes out when its group closes', () => {
  desk.marked(mark('m1', 'Read'), 0)
  expect(desk.closesAtMs(false)).toBeUndefined()
  desk.arrived(call('Read', '1', 5), 5)
  expect(desk.hasDue(5)).toBe(true)
  expect(desk.closesAtMs(false)).toBe(105)
  desk.arrived(call('Grep', '2', 60), 60)
  expect(desk.closesAtMs(false)).toBe(105)
  expect(ids(desk.take(false))).toEqual(['1', '2'])
  expect(desk.closesAtMs(false)).toBeUndefined()
})

test('a group waits a little longer for a call that the stream has announced', () => {
  desk.marked(mark('m1', 'Read'), 0)
  desk.marked(mark('m2', 'Grep'), 0)
  desk.arrived(call('Read', '1', 5), 5)
  expect(desk.closesAtMs(false)).toBe(355)
  desk.ended(callId('m2'))
  expect(desk.closesAtMs(false)).toBe(105)
})

test('the mark may come after the call', () => {
  desk.arrived(call('Read', '1', 0), 0)
  expect(desk.hasDue(249)).toBe(false)
  desk.marked(mark('m1', 'Read'), 30)
  expect(desk.hasDue(30)).toBe(true)
  expect(desk.closesAtMs(false)).toBe(130)
})

test('without a mark it waits for one, and not for ever', () => {
  desk.arrived(call('Read', '1', 1_000), 1_003)
  expect(desk.hasDue(1_249)).toBe(false)
  expect(desk.hasDue(1_250)).toBe(true)
  expect(desk.closesAtMs(false)).toBe(1_350)
})

test('a mark that comes after its call went out is not taken for the next call', () => {
  desk.arrived(call('Read', '1', 0), 0)
  expect(ids(desk.take(false))).toEqual(['1'])
  desk.marked(mark('m1', 'Read'), 400)
  desk.answered()
  desk.arrived(call('Read', '2', 500), 500)
  expect(desk.hasDue(500)).toBe(false)
})

test('calls go out in the order of their marks, those without one last', () => {
  for (const [index, name] of ['C', 'A', 'B'].entries()) desk.marked(mark(`m${index}`, name), 0)
  for (const name of ['X', 'A', 'B', 'C']) desk.arrived(call(name, name, 1), 1)
  expect(ids(desk.take(false))).toEqual(['C', 'A', 'B', 'X'])
})

test('calls of one name take its marks in turn', () => {
  desk.marked(mark('m1', 'Read'), 0)
  desk.marked(mark('m2', 'Read'), 0)
  desk.marked(mark('m2', 'Read'), 0)
  desk.arrived(call('Read', '1', 1), 1)
  desk.arrived(call('Read', '2', 2), 2)
  desk.arrived(call('Read', '3', 3), 3)
  expect(desk.closesAtMs(false)).toBe(101)
  expect(ids(desk.take(false))).toEqual(['1', '2', '3'])
})

test('two calls of one tool are told apart by what the stream shows of them', () => {
  const arrive = (path: string): void => {
    desk.arrived({ ...call('Read', path, 1), arguments: { path } }, 1)
  }
  arrive('b')
  for (const path of ['a', 'b', 'c']) desk.marked(mark(path, 'Read', { path }), 0)
  for (const path of ['c', 'a']) arrive(path)
  expect(ids(desk.take(false))).toEqual(['a', 'b', 'c'])
})

test('one at a time: at once, and the others stay', () => {
  desk.marked(mark('m1', 'Read'), 0)
  desk.marked(mark('m2', 'Grep'), 0)
  desk.arrived(call('Grep', '2', 1), 1)
  desk.arrived(call('Read', '1', 2), 2)
  expect(desk.closesAtMs(true)).toBe(1)
  expect(ids(desk.take(true))).toEqual(['1'])
  expect(ids(desk.take(true))).toEqual(['2'])
})

test('a call that Cursor gave up does not go out; one that is out cannot be taken back here', () => {
  const [kept, dropped] = [call('Read', '1', 0), call('Read', '2', 0)]
  desk.arrived(kept, 0)
  desk.arrived(dropped, 0)
  expect(desk.withdrawn(dropped)).toBe(true)
  expect(ids(desk.take(false))).toEqual(['1'])
  expect(desk.withdrawn(kept)).toBe(false)
})

test('a mark whose call was refused before it came is forgotten; ends of other tools are not ours', () => {
  desk.marked(mark('m1', 'Read'), 0)
  expect(desk.ended(callId('m1'))).toBe(true)
  expect(desk.ended(callId('foreign'))).toBe(false)
  desk.arrived(call('Read', '1', 10), 10)
  expect(desk.hasDue(10)).toBe(false)
})
