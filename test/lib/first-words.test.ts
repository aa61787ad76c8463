// Who waits for first words, and what waits for them; both sides of the shared cell.
import { Worker } from 'node:worker_threads'
import { expect, test, vi } from 'vitest'
import { FirstWords, untilSpoken } from '../../src/lib/first-words.ts'
import { until } from '../support/until.ts'

const never = new Promise<never>(() => undefined)
const awaited = ({ cell }: FirstWords): boolean => Atomics.load(cell, 0) === 1

test('they are awaited from the first run that is silent until the last has spoken', async () => {
  const words = new FirstWords(() => 0)
  expect(awaited(words)).toBe(false)
  words.awaited('a')
  words.awaited('b')
  words.settled('a')
  words.settled('unknown')
  expect(awaited(words)).toBe(true)
  words.settled('b')
  await until('nobody waits', 1_000, () => !awaited(words))
})

test('one that falls silent while the last words are on their way keeps the others waiting', () => {
  vi.useFakeTimers()
  try {
    const words = new FirstWords(() => 0)
    words.awaited('a')
    words.settled('a')
    words.awaited('b')
    vi.runAllTimers()
    expect(awaited(words)).toBe(true)
    words.settled('b')
    vi.runAllTimers()
    expect(awaited(words)).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})

test('nothing is put off while a run waits for a slot', () => {
  let waiting = 1
  const words = new FirstWords(() => waiting)
  words.awaited('a')
  expect(awaited(words)).toBe(false)
  waiting = 0
  words.awaited('b')
  expect(awaited(words)).toBe(true)
  waiting = 1
  words.look()
  expect(awaited(words)).toBe(false)
})

test('what waits goes on at once when nobody is silent, and when there is a hurry', async () => {
  const words = new FirstWords(() => 0)
  await untilSpoken(words.cell, never)
  words.awaited('a')
  await untilSpoken(words.cell, Promise.resolve())
  expect(awaited(words)).toBe(true)
})

test('it does not wait for ever', async () => {
  const words = new FirstWords(() => 0)
  words.awaited('a')
  await untilSpoken(words.cell, never)
  expect(awaited(words)).toBe(true)
})

test('another thread is told', async () => {
  const words = new FirstWords(() => 0)
  words.awaited('a')
  const source = `
    const { parentPort, workerData } = require('node:worker_threads')
    const waiting = Atomics.waitAsync(workerData, 0, 1, 60_000)
    parentPort.postMessage(waiting.async)
    waiting.value.then((how) => parentPort.postMessage(how))
    parentPort.once('message', () => undefined)`
  const thread = new Worker(source, { eval: true, workerData: words.cell })
  try {
    const told: unknown[] = []
    thread.on('message', (message: unknown) => told.push(message))
    await until('the thread waits', 5_000, () => told.length === 1)
    words.settled('a')
    await until('it was woken', 5_000, () => told.length === 2)
    expect(told).toEqual([true, 'ok'])
  } finally {
    await thread.terminate()
  }
})
