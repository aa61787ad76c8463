// A reader that takes little is not one that takes nothing.
import { describe, expect, onTestFinished, test } from 'vitest'
import { sendQueueOf, untakenBytes, watchReader } from '../../src/http/slow-reader.ts'
import { until } from '../support/until.ts'
import { CHAT, FINISH, RawClient, ScriptedAnswer, serveFront, text } from './front.ts'

const TABLE = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid
   0: 0100007F:2310 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 1
   1: 0100007F:2310 0100007F:D431 01 0027AC00:00000000 01:00000014 00000000     0        0 2
   2: 0100007F:D431 0100007F:2310 01 00000000:0001F000 00:00000000 00000000     0        0 3
   3: 0000000000000000FFFF00000100007F:2310 0000000000000000FFFF00000100007F:E001 01 00000007:00000000 00
   4: 0100007F:2310 0A00000A:AAAA 01 00000001:00000000 00:00000000 00000000     0        0 4
   5: 0100007F:2310 0B00000A:AAAA 01 00000002:00000000 00:00000000 00000000     0        0 5
`

test('the send queue is that of our end of the connection', () => {
  expect(sendQueueOf(TABLE, 0x2310, 0xd431)).toBe(0x27ac00)
  expect(sendQueueOf(TABLE, 0x2310, 0xe001)).toBe(7)
  expect(sendQueueOf(TABLE, 0xd431, 0x2310)).toBe(0)
  expect(sendQueueOf(TABLE, 0x2310, 0xd432)).toBeUndefined()
  expect(sendQueueOf(TABLE, 0x2310, 0xaaaa)).toBeUndefined()
})

describe('the watch', () => {
  const LIMIT_MS = 80
  /** `counts` are what the looks find, the last one for ever. */
  const watch = (counts: readonly (number | undefined)[]) => {
    const seen = { looks: 0, cuts: 0, lastNewMs: performance.now(), cutMs: 0 }
    const stop = watchReader({
      limitMs: LIMIT_MS,
      untaken: async () => {
        if (seen.looks < counts.length) seen.lastNewMs = performance.now()
        seen.looks += 1
        return counts[Math.min(seen.looks, counts.length) - 1]
      },
      cut: () => {
        seen.cuts += 1
        seen.cutMs = performance.now()
      },
    })
    onTestFinished(stop)
    return seen
  }

  test.each([[[undefined]], [[500]], [[500, 600]]])(
    'cuts when nothing was taken for the limit: %j',
    async (counts) => {
      const startMs = performance.now()
      const seen = watch(counts)
      await until('the cut', 5000, () => seen.cuts > 0)
      expect(seen.cutMs - startMs).toBeGreaterThanOrEqual(LIMIT_MS - 2)
      expect(seen.looks).toBeLessThanOrEqual(5)
    },
  )

  test('waits as long as something is taken, and a whole limit after it', async () => {
    const counts = [900, 800, 700, 650, 600, 500, 400, 300]
    const seen = watch(counts)
    await until('the cut', 5000, () => seen.cuts > 0)
    expect(seen.looks).toBeGreaterThan(counts.length)
    expect(seen.cutMs - seen.lastNewMs).toBeGreaterThanOrEqual(LIMIT_MS - 2)
    expect(seen.cuts).toBe(1)
  })
})

test.runIf(process.platform === 'linux')(
  'a few bytes now and then keep a reply alive',
  async () => {
    const answer = new ScriptedAnswer()
    for (let i = 0; i < 400; i++) answer.batch(text('x'.repeat(50_000)))
    answer.batch(FINISH)
    const { port } = await serveFront(answer, {
      timing: { keepAliveMs: 15_000, slowReaderMs: 800 },
    })
    const client = new RawClient(port)
    client.socket.pause()
    client.send('/v1/chat/completions', { ...CHAT, stream: true })
    const startMs = performance.now()
    // One read of the system (64 kB) every 100 ms: far too little to make a full send buffer writable again.
    const reading = setInterval(() => {
      client.socket.resume()
      client.socket.once('data', () => client.socket.pause())
    }, 100)
    onTestFinished(() => clearInterval(reading))
    await until('four times the limit', 10_000, () => {
      return performance.now() - startMs > 3200 || answer.released.length > 0
    })
    expect(answer.released).toEqual([])
    clearInterval(reading)
    expect(await untakenBytes(client.socket)).toBe(0)
    await until('the cut after reading stopped', 5000, () => answer.released.length > 0)
    expect(answer.released).toEqual([false])
  },
)
