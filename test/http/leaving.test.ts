// Clients that leave, and clients that do not read.
import { describe, expect, test } from 'vitest'
import type { Answer } from '../../src/core/answer.ts'
import { monotonicMs } from '../../src/lib/clock.ts'
import { until } from '../support/until.ts'
import { CHAT, FINISH, RawClient, ScriptedAnswer, serveFront, text } from './front.ts'

const PATH = '/v1/chat/completions'

describe('a client that closes', () => {
  test.each([
    { when: 'before the headers of a stream', stream: true, batches: 0 },
    { when: 'in the middle of a stream', stream: true, batches: 1 },
    { when: 'while a whole reply is made', stream: false, batches: 1 },
  ])('$when is noticed at once: released as not delivered', async ({ stream, batches }) => {
    const answer = new ScriptedAnswer()
    for (let i = 0; i < batches; i++) answer.batch(text('word'))
    const { port, seen } = await serveFront(answer)
    const client = new RawClient(port)
    client.send(PATH, { ...CHAT, stream })
    await until('the front end to wait for events', 2000, () => answer.pulled === batches + 1)
    if (stream && batches > 0) await until('words', 2000, () => client.text.includes('word'))
    const leftMs = monotonicMs()
    client.socket.destroy()
    await until('the release', 2000, () => answer.released.length > 0)
    expect(monotonicMs() - leftMs).toBeLessThan(500)
    expect(answer.released).toEqual([false])
    expect(seen.logs[0]?.fields.outcome).toBe('client-gone')
    expect(seen.requests).toEqual([[PATH, stream && batches > 0 ? 200 : 499]])
    answer.batch(text('late'), FINISH)
    await until('the late batch to be dropped', 2000, () => answer.pulled === batches + 1)
    expect(answer.released).toEqual([false])
    expect(seen.logs).toHaveLength(1)
  })

  test('while the answer is still being arranged gets it released as soon as it is there', async () => {
    const answer = new ScriptedAnswer()
    let arrange: (answer: Answer) => void = () => undefined
    const { port, seen } = await serveFront(
      () =>
        new Promise<Answer>((resolve) => {
          arrange = resolve
        }),
    )
    const client = new RawClient(port)
    client.send(PATH, { ...CHAT, stream: true })
    await until('the request to be taken', 2000, () => seen.turns.length === 1)
    client.socket.destroy()
    await until('the log line', 2000, () => seen.logs.length === 1)
    arrange(answer)
    await until('the release', 2000, () => answer.released.length > 0)
    expect(answer.released).toEqual([false])
  })

  test('in the middle of its body starts nothing', async () => {
    const { port, seen } = await serveFront(new ScriptedAnswer())
    const client = new RawClient(port)
    client.socket.write(
      `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"mod`,
    )
    client.socket.end()
    await until('the log line', 2000, () => seen.logs.length === 1)
    expect(seen.logs[0]?.fields.outcome).toBe('client-gone')
    expect(seen.turns).toEqual([])
    expect(seen.logs.filter((line) => line.level === 'error')).toEqual([])
  })
})

describe('a client that does not read', () => {
  const timing = { keepAliveMs: 15_000, slowReaderMs: 300 }
  const piece = 'x'.repeat(50_000)

  test('stops the flow of events, is cut after the limit and released as not delivered', async () => {
    const answer = new ScriptedAnswer()
    for (let i = 0; i < 1000; i++) answer.batch(text(piece))
    answer.batch(FINISH)
    const { port, seen } = await serveFront(answer, { timing })
    const client = new RawClient(port)
    client.send(PATH, { ...CHAT, stream: true })
    client.socket.pause()
    await until('the cut', 8000, () => answer.released.length > 0)
    expect(answer.released).toEqual([false])
    // 50 MB wait; what was taken fits into the kernel's buffers.
    expect(answer.pulled).toBeLessThan(400)
    expect(seen.logs[0]?.fields.outcome).toBe('slow-reader')
    client.socket.resume()
    await until('the connection to be closed', 2000, () => client.closed)
    expect(client.text).not.toContain('[DONE]')
  })

  test('is cut also when one huge whole reply is all there is', async () => {
    const answer = new ScriptedAnswer()
    for (let i = 0; i < 400; i++) answer.batch(text(piece))
    answer.batch(FINISH)
    const { port } = await serveFront(answer, { timing })
    const client = new RawClient(port)
    client.send(PATH, CHAT)
    client.socket.pause()
    await until('the cut', 8000, () => answer.released.length > 0)
    expect(answer.released).toEqual([false])
  })

  test('but reads again in time loses nothing', async () => {
    const answer = new ScriptedAnswer()
    for (let i = 0; i < 400; i++) answer.batch(text(piece))
    answer.batch(FINISH)
    const slow = { ...timing, slowReaderMs: 10_000 }
    const { port } = await serveFront(answer, { timing: slow })
    const client = new RawClient(port)
    client.send(PATH, { ...CHAT, stream: true })
    client.socket.pause()
    let before = -1
    await until('the flow to stop', 5000, () => {
      const stopped = answer.pulled > 10 && answer.pulled === before
      before = answer.pulled
      return stopped
    })
    expect(answer.pulled).toBeLessThan(400)
    client.socket.resume()
    await until('the end', 10_000, () => client.tail.endsWith('0\r\n\r\n'))
    expect(client.text.split('x').length - 1).toBeGreaterThanOrEqual(400 * piece.length)
    expect(answer.released).toEqual([true])
  })
})
