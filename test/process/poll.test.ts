import { expect, test } from 'vitest'
import { monotonicMs } from '../../src/lib/clock.ts'
import { pollUntil } from '../../src/process/poll.ts'

test('a condition that holds already is seen at once, even with no time left', async () => {
  expect(await pollUntil(() => true, 0)).toBe(true)
})

test('the last look is after the limit', async () => {
  const end = monotonicMs() + 30
  expect(await pollUntil(() => monotonicMs() > end, 30)).toBe(true)
  expect(await pollUntil(() => false, 5)).toBe(false)
})

test('a settled wake-up brings one look forward and does not make it spin', async () => {
  let looks = 0
  const count = (): boolean => {
    looks += 1
    return false
  }
  await pollUntil(count, 50, Promise.reject(new Error('settled badly')))
  expect(looks).toBeGreaterThan(2)
  expect(looks).toBeLessThan(20)
})
