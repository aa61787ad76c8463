import { expect, test } from 'vitest'
import { clampToWindow, replyUsage, withoutDoubleCache } from '../../src/service/usage.ts'

const cursor = { input: 10_963, output: 115, cacheRead: 22_016, cacheWrite: 0 }
const base = {
  setting: 'prompt',
  inputTokens: 20,
  outputTokens: 7,
  cursor,
  toolRan: false,
} as const

test('by default the input is the request as the client sent it, the output Cursor’s figure', () => {
  expect(replyUsage(base)).toEqual({ input: 20, output: 115, cacheRead: 0, cacheWrite: 0 })
})

test('after a tool ran, Cursor’s output holds inner steps, so our own count is told', () => {
  expect(replyUsage({ ...base, toolRan: true }).output).toBe(7)
})

test('without figures from Cursor the output is our own count, not zero', () => {
  expect(replyUsage({ ...base, cursor: undefined }).output).toBe(7)
  expect(replyUsage({ ...base, cursor: { ...cursor, output: 0 } }).output).toBe(7)
})

test('usage: cursor passes Cursor’s totals', () => {
  expect(replyUsage({ ...base, setting: 'cursor' })).toEqual(cursor)
})

test('cached tokens inside the input are counted once (F88)', () => {
  const usage = withoutDoubleCache({ input: 100, output: 7, cacheRead: 80, cacheWrite: 5 })
  expect(usage).toEqual({ input: 15, output: 7, cacheRead: 80, cacheWrite: 5 })
  expect(usage.input + usage.cacheRead + usage.cacheWrite).toBe(100)
})

test('cached tokens beside the input stay beside it', () => {
  expect(withoutDoubleCache(cursor)).toEqual(cursor)
})

test('the input is told below the window, so that no client starts compacting', () => {
  expect(clampToWindow(300_000, 200_000)).toBe(199_999)
  expect(clampToWindow(10, 200_000)).toBe(10)
  expect(clampToWindow(300_000, undefined)).toBe(300_000)
})
