// Field cases F12 and F17: text goes out when it is printed, and silence is never taken for a dead service.
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { APIS, ask, type Heard, unique, WAYS } from '../support/ask.ts'
import { ROOT, type Service, startService } from '../support/service.ts'
import { delta, OK, readTool, run } from '../support/steps.ts'
import { until } from '../support/until.ts'

const KEEP_ALIVE_MS = 250
/** A machine that does other things at the same time. */
const LATENESS_MS = 400
const SILENCE_MS = 1_200

const quiet = { sleep: SILENCE_MS }
const SCRIPT = {
  runs: [
    run('stamps', { stamps: { events: 4, perSecond: 2 } }, OK),
    run('silent start', quiet, delta('x'), OK),
    run('silent middle', delta('a'), quiet, delta('b'), OK),
    run('silent thinking', { thinking: 'hm' }, quiet, { thinking: '!' }, delta('x'), OK),
    run(
      'silent tool',
      delta('a'),
      { recap: 'm1' },
      readTool('c1')[0],
      quiet,
      readTool('c1')[1],
      OK,
    ),
    run('silent failure', quiet, { stderr: 'no luck\n' }, { exit: 1 }),
    run('rhythm', { burst: { events: 12, size: 8, perSecond: 5 } }, OK),
  ],
}

// What is measured here is time, and the machine may be busy with other tests.
describe('timing', { timeout: 60_000, retry: 2 }, () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      script: SCRIPT,
      settings: { concurrency: 2 },
      program: join(ROOT, 'dist/test/support/quick-service.js'),
      args: [String(KEEP_ALIVE_MS)],
    })
  })
  afterAll(() => service.stop())

  const streamed = APIS.map((api) => ({ api, stream: true }) as const)

  test.each(streamed)('F12: each fragment goes out when it is printed ($api)', async (way) => {
    const heard = await ask(service, way, unique('stamps'))
    // Both clocks are the system's monotonic one.
    const skewMs = Number(process.hrtime.bigint()) / 1e6 - performance.now()
    const late = heard.pieces.flatMap(({ atMs, bytes }) =>
      [
        ...Buffer.from(bytes)
          .toString()
          .matchAll(/"(\d{9,}) "/g),
      ].map(([, stamp]) => heard.sentAtMs + atMs + skewMs - Number(stamp) / 1e6),
    )
    expect(late).toHaveLength(4)
    expect(Math.min(...late)).toBeLessThan(200)
    // Sooner than the next fragment, which comes half a second later.
    expect(Math.max(...late)).toBeLessThan(500)
    const firstAtMs = heard.pieces.find(({ bytes }) =>
      /\d{9,} "/.test(Buffer.from(bytes).toString()),
    )
    expect(heard.headMs).toBeLessThanOrEqual(firstAtMs?.atMs ?? 0)
  })

  test.each(streamed)('F17: signs of life in every silence ($api)', async (way) => {
    const names = ['silent start', 'silent middle', 'silent thinking', 'silent tool']
    const texts = ['x', 'ab', 'x', 'a']
    // One after the other: what is measured is the service, not the machine.
    for (const [index, name] of names.entries()) {
      const heard = await ask(service, way, unique(name))
      expect(heard.text, name).toBe(texts[index])
      expect(longestGapMs(heard), name).toBeLessThan(KEEP_ALIVE_MS + LATENESS_MS)
      expect(beats(heard), name).toBeGreaterThanOrEqual(3)
      // Comments are ignored by clients that wait for events.
      expect(heard.raw).not.toMatch(/^:/m)
    }
  })

  test.each(streamed)(
    'F17: also before the first word, and then an error is a frame ($api)',
    async (way) => {
      const heard = await ask(service, way, unique('silent failure'))
      expect(heard.status).toBe(200)
      expect(heard.error?.message).toContain('no luck')
      expect(heard.text).toBe('')
      expect(longestGapMs(heard)).toBeLessThan(KEEP_ALIVE_MS + LATENESS_MS)
    },
  )

  test.each(streamed)('F17: also while the request waits for its turn ($api)', async (way) => {
    const first = [
      ask(service, way, unique('silent start')),
      ask(service, way, unique('silent start')),
    ]
    await until('both slots to be taken', 10_000, async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 2
    })
    const heard = await ask(service, way, unique('silent middle'))
    expect(heard.text).toBe('ab')
    expect(longestGapMs(heard)).toBeLessThan(KEEP_ALIVE_MS + LATENESS_MS)
    await Promise.all(first)
  })

  test.each(streamed)(
    'F17: no sign of life inside a frame, however close they come ($api)',
    async (way) => {
      const heard = await ask(service, way, unique('rhythm'))
      expect(heard.text).toMatch(/^0 x+1 x+2 x+.*11 x+$/)
    },
  )

  test.each(WAYS.filter(({ stream }) => !stream))(
    'F17: nothing before the end of a whole reply ($api)',
    async (way) => {
      const heard = await ask(service, way, unique('silent start'))
      expect(heard.headMs).toBeGreaterThan(SILENCE_MS)
      expect(heard.text).toBe('x')
    },
  )
})

/** Longest time without a byte, from the sending of the request to the end of the reply. */
function longestGapMs({ pieces }: Heard): number {
  let longest = 0
  let before = 0
  for (const { atMs } of pieces) {
    longest = Math.max(longest, atMs - before)
    before = atMs
  }
  return longest
}

function beats({ frames }: Heard): number {
  const empty = /"content":""|"delta":"",/
  return frames.filter(
    ({ event, data }) => event === 'ping' || event === 'response.in_progress' || empty.test(data),
  ).length
}
