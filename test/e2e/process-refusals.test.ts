// Field cases F40, F41, F42, F45, F46: what Cursor's program says instead of an answer, and between its lines.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stringAt } from '../../src/lib/json.ts'
import { agents } from '../support/agents.ts'
import { ask, errorType, type Heard, NORMAL_END, unique, WAYS, type Way } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { total } from '../support/series.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { OK, readTool, run, type Step, delta as say, textLine } from '../support/steps.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const TRUST =
  'Workspace Trust Required\n\nCursor Agent can execute code and access files in this directory.\n\nDo you trust the contents of this directory?\n\nPass --trust, --yolo, or -f if you trust this directory\n'
const NOISE: Step = {
  raw: '\u001b[2K\u001b[1G\u001b[33mWarning:\u001b[0m something\r\n\n   \n{"type":"assistant","mess\n[1,2]\nnull\n"text"\n',
}
const crlf = (text: string): Step => ({ raw: `${textLine(text)}\r\n` })

/** Four at once, so that none of them is spared by what the others found out. */
const everyWay = (service: Service, name: string): Promise<readonly (readonly [Way, Heard])[]> =>
  Promise.all(WAYS.map(async (way) => [way, await ask(service, way, unique(name))] as const))

const message = (heard: Heard): string => String(heard.error?.message)

describe('refusals', () => {
  let service: Service
  beforeAll(async () => {
    const runs = [
      { match: '^trust #', steps: [{ raw: TRUST }, { exit: 0 }] },
      { match: '^trust slowly #', steps: [{ raw: TRUST, chunk: 40 }, { sleep: 200 }, { exit: 0 }] },
      { match: '^mute #', steps: [{ exit: 0 }] },
      { match: '^mute late #', steps: [{ sleep: 300 }, { exit: 0 }] },
      run('only init', { exit: 0 }),
      run('only a tool', ...readTool('c1'), { exit: 0 }),
      run('noise', NOISE, say('Hel'), NOISE, crlf('lo '), NOISE, say('中'), NOISE, OK, NOISE),
      run(
        'limited',
        { sleep: 300 },
        { stderr: 'ConnectError: [resource_exhausted] Error\n' },
        { exit: 1 },
      ),
      run('limited in words', say('Error: T: [resource_exhausted] Error'), OK),
    ]
    service = await startService({ script: { runs } })
  })
  afterAll(() => service.stop())

  test.each(['trust', 'trust slowly'])(
    'F40: a plain-text refusal to work is an error (%s)',
    async (name) => {
      for (const [way, heard] of await everyWay(service, name)) {
        expect(heard.status).toBe(500)
        expect(message(heard)).toMatch(/does not trust the workspace.*Workspace Trust Required/)
        expect(errorType(way.api, heard)).toBe(
          way.api === 'messages' ? 'api_error' : 'server_error',
        )
      }
      // ACP has no trust gate.
      if (OVER_ACP) return
      for (const { argv } of agents(service)) expect(argv).toContain('--trust')
    },
  )

  test.each(['mute', 'mute late', 'only init', 'only a tool'])(
    'F41: exit code 0 without an answer is a failure (%s)',
    async (name) => {
      const before = await total(service, 'runs_total', { outcome: 'failed' })
      for (const [way, heard] of await everyWay(service, name)) {
        expect(heard.status === 500 || heard.frames.length > 0).toBe(true)
        expect(message(heard)).toMatch(/ended without a result/)
        expect(heard.finish).toBeUndefined()
        expect(errorType(way.api, heard)).toBe(
          way.api === 'messages' ? 'api_error' : 'server_error',
        )
      }
      expect(await total(service, 'runs_total', { outcome: 'failed' })).toBe(before + WAYS.length)
    },
  )

  test('F42: noise between the lines is skipped and counted, the answer is exact', async () => {
    const before = await total(service, 'unknown_events_total')
    for (const [way, heard] of await everyWay(service, 'noise')) {
      expect([heard.text, heard.finish]).toEqual(['Hello 中', NORMAL_END[way.api]])
    }
    expect(await total(service, 'unknown_events_total')).toBeGreaterThanOrEqual(before + 4 * 3)
  })

  test.each(['limited', 'limited in words'])(
    'F45: a rate limit says when to come back (%s)',
    async (name) => {
      for (const [way, heard] of await everyWay(service, name)) {
        expect(errorType(way.api, heard)).toBe('rate_limit_error')
        expect(heard.status).toBe(429)
        expect(Number(heard.headers.get('retry-after'))).toBeGreaterThan(0)
        expect(heard.headers.get('x-should-retry')).toBeNull()
      }
    },
  )
})

describe('a plan that is used up', () => {
  let service: Service
  beforeAll(async () => {
    const words =
      "You've hit your usage limit. Your usage limits will reset when your monthly cycle ends on 12/24/2026."
    const runs = [
      run(
        'plan',
        { sleep: within(400) },
        { stderr: `ActionRequiredError: ${words}\n` },
        { exit: 1 },
      ),
    ]
    service = await startService({
      script: { runs: [...runs, { steps: [{ init: true }, say('x'), OK] }] },
    })
  })
  afterAll(() => service.stop())

  test('F45: is another error than a rate limit, not worth a retry, and starts no agents for a while', async () => {
    const check = (way: Way, heard: Heard): void => {
      expect(heard.status).toBe(429)
      expect(message(heard)).toMatch(/plan is used up.*12\/24\/2026/)
      expect(heard.headers.get('x-should-retry')).toBe('false')
      expect(errorType(way.api, heard)).toBe(
        way.api === 'messages' ? 'rate_limit_error' : 'insufficient_quota',
      )
      if (way.api === 'chat')
        expect(heard.error && stringAt(heard.error, 'code')).toBe('insufficient_quota')
    }
    for (const [way, heard] of await everyWay(service, 'plan')) check(way, heard)
    const before = service.prompts().length
    for (const [way, heard] of await everyWay(service, 'plan')) check(way, heard)
    expect(service.prompts()).toHaveLength(before)
    await until('the service to try again', within(15_000), async () => {
      return (await ask(service, { api: 'chat', stream: false }, unique('other'))).text === 'x'
    })
  })
})

describe('nobody is logged in', () => {
  const started: Service[] = []
  afterAll(async () => {
    for (const service of started) await service.stop()
  })

  const isLoginError = (way: Way, heard: Heard): void => {
    expect(heard.status).toBe(503)
    expect(message(heard)).toMatch(/not logged in.*`agent login`/)
    expect(heard.headers.get('x-should-retry')).toBe('false')
    expect(errorType(way.api, heard)).toBe(way.api === 'messages' ? 'api_error' : 'server_error')
    if (way.api === 'chat')
      expect(heard.error && stringAt(heard.error, 'code')).toBe('cursor_not_logged_in')
  }

  test('F46: a hint and exit code 1, at start or later, is its own error, and agents are not started over and over', async () => {
    const service = await startService({ env: { CURSOR_ADAPTER_DEMO_LOGIN: 'missing' } })
    started.push(service)
    const sentMs = performance.now()
    for (const [way, heard] of await everyWay(service, 'who')) isLoginError(way, heard)
    expect(performance.now() - sentMs).toBeLessThan(within(5000))
    for (const [way, heard] of await everyWay(service, 'who')) isLoginError(way, heard)
    const before = agents(service).length
    expect(before).toBeLessThan(12)
    await delay(2000)
    expect(agents(service).length).toBeLessThanOrEqual(before + 2)
  })

  test
    .runIf(OVER_ACP)
    .each<Step>([
      { raw: 'Press any key to sign in...\n' },
      { stderr: 'Please log in: https://cursor.com/loginDeepControl?x=1\n' },
    ])(
    'F46: a process that waits for a person before the prompt is ended within 5 s',
    async (hint) => {
      const script = { startup: [hint, { hang: true }], runs: [] }
      const service = await startService({ script, settings: { 'pool.warm': 0 } })
      started.push(service)
      const sentMs = performance.now()
      for (const [way, heard] of await everyWay(service, 'press')) isLoginError(way, heard)
      expect(performance.now() - sentMs).toBeLessThan(within(5000))
      expect(service.prompts()).toEqual([])
    },
  )

  // Once the prompt is out; ACP mode waits before it, which the test above plays.
  test.skipIf(OVER_ACP)(
    'F46: a program that waits for a key press is ended within 5 s',
    async () => {
      const hint = 'Press any key to sign in...\n'
      const script = {
        runs: [
          { match: '^press #', steps: [{ raw: hint }, { hang: true }] },
          {
            match: '^browse #',
            steps: [
              { stderr: 'Please log in: https://cursor.com/loginDeepControl?x=1\n' },
              { hang: true },
            ],
          },
        ],
      }
      const service = await startService({ script, settings: { 'pool.warm': 0 } })
      started.push(service)
      const [pressing, browsing] = [
        { api: 'chat', stream: true },
        { api: 'messages', stream: false },
      ] as const
      const timed = async (way: Way, name: string): Promise<void> => {
        const sentMs = performance.now()
        isLoginError(way, await ask(service, way, unique(name)))
        expect(performance.now() - sentMs).toBeLessThan(within(5000))
      }
      await Promise.all([
        timed(pressing, 'press'),
        timed(browsing, 'press'),
        timed(pressing, 'browse'),
        timed(browsing, 'browse'),
      ])
      expect(agents(service)).toHaveLength(4)
    },
  )
})
