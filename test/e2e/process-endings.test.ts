// Field cases F33 to F35: an agent that does not end, that leaves helpers behind, or whose client leaves.
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { monotonicMs } from '../../src/lib/clock.ts'
import { agentOf, allGone, familyOf, prompted } from '../support/agents.ts'
import { ask, NORMAL_END, send, unique, WAYS, type Way } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { total } from '../support/series.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { OK, run, type Step, delta as say } from '../support/steps.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const STAMP: Step = { stamps: { events: 1 } }
const HANG: Step = { hang: true }
const DEAF: Step = { ignore: ['SIGTERM'] }
const helper = (ownGroup: boolean): Step => ({
  grandchild: { ignoreTerm: true, holdStdout: true, ownGroup },
})

const TIMEOUT_S = wholeSeconds(3)
const GRACES = { 'pool.exit_grace': within(1500) / 1000, 'pool.kill_grace': 0.3 }

const script = {
  runs: [
    run('lingers', STAMP, OK, HANG),
    run('lingers deaf', DEAF, STAMP, { recap: true }, OK, HANG),
    run('helper success', helper(false), STAMP, OK),
    run('helper apart success', helper(true), STAMP, OK, HANG),
    run('helper cancel', helper(false), say('a'), HANG),
    run('helper apart cancel', helper(true), DEAF, say('a'), HANG),
    run('helper timeout', helper(false), say('a'), HANG),
    run('helper apart timeout', helper(true), DEAF, say('a'), HANG),
    run('long talk', say('a'), { repeat: 600, steps: [{ sleep: 100 }, say('b')] }, OK),
    run('long silence', { sleep: 60_000 }, OK),
    run('quick', say('a'), OK),
    run('long deaf', DEAF, say('a'), { sleep: 60_000 }, OK),
  ],
}

/** Milliseconds since the agent printed its stamp, which is all of the answer. Both read the system's monotonic clock. */
const msSince = (stamp: string): number =>
  Number(process.hrtime.bigint() - BigInt(stamp.trim())) / 1e6

describe('endings', () => {
  let service: Service
  beforeAll(async () => {
    const settings = { ...GRACES, timeout: TIMEOUT_S, concurrency: 8 }
    service = await startService({ script, settings })
  })
  afterAll(() => service.stop())

  /** Over ACP the work ends, and the process is there for the next run. */
  const sessionCancelled = (question: string): Promise<void> =>
    until(`${question} to be cancelled`, within(2000), () => {
      const journal = service.journal()
      const prompted = journal.find(({ prompt }) => String(prompt).includes(question))
      return journal.some(
        ({ event, session }) => event === 'cancel' && session === prompted?.session,
      )
    })

  const outcomes = (outcome: string) => total(service, 'runs_total', { outcome })

  // Over ACP nothing ends with an answer.
  test.skipIf(OVER_ACP)(
    'what an answer leaves behind is cleared away after the first words that others wait for',
    async () => {
      const away = new AbortController()
      const question = unique('long silence')
      const silent = send(
        service,
        { api: 'chat', stream: true },
        { messages: [{ role: 'user', content: question }] },
        { signal: away.signal },
      )
      await prompted(service, question)
      await ask(service, { api: 'chat', stream: true }, unique('quick'))
      const fromMs = monotonicMs()
      await until('only the silent one has its slot', within(5000), async () => {
        return (await total(service, 'runs_active')) === 1
      })
      // Its patience ends after 75 ms. Without it this takes 10 to 30.
      expect(monotonicMs() - fromMs).toBeGreaterThan(50)
      away.abort()
      await silent.catch(() => undefined)
    },
  )

  // Over ACP the answer to the prompt is the end, and the process stays up on purpose.
  test.skipIf(OVER_ACP)(
    'F33: an agent that does not exit after its result delays nothing, counts as success and is ended',
    async () => {
      const before = await outcomes('success')
      const asked = ['lingers', 'lingers deaf'].flatMap((name) =>
        WAYS.map((way) => ({ name, way })),
      )
      const one = async ({ name, way }: { name: string; way: Way }): Promise<void> => {
        const question = unique(name)
        const heard = await ask(service, way, question)
        expect(msSince(heard.text)).toBeLessThan(within(1000))
        expect(heard.finish).toBe(NORMAL_END[way.api])
        const { pid } = agentOf(service, question)
        expect(isAlive(pid)).toBe(true)
        await allGone(question, 1500 + 300 + 2000, [pid])
      }
      await Promise.all(asked.map(one))
      expect(await outcomes('success')).toBe(before + asked.length)
      await until(
        'the slots to be free',
        within(3000),
        async () => !(await total(service, 'runs_active')),
      )
    },
  )

  const places = ['helper', 'helper apart']
  // Over ACP helpers belong to the process, which stays up after an answer and after a cancel; they go with it.
  test.skipIf(OVER_ACP)(
    'F34: helpers that ignore SIGTERM and hold the output neither delay a good answer nor survive it',
    async () => {
      const one = async (place: string, way: Way): Promise<void> => {
        const question = unique(`${place} success`)
        const heard = await ask(service, way, question)
        expect(msSince(heard.text)).toBeLessThan(within(1000))
        const family = familyOf(service, agentOf(service, question).pid)
        expect(family).toHaveLength(2)
        await allGone(question, 5000, family)
      }
      await Promise.all(places.flatMap((place) => WAYS.map((way) => one(place, way))))
    },
  )

  // As above: over ACP they go with the process.
  test.skipIf(OVER_ACP)('F34: nor a cancelled run', async () => {
    const one = async (place: string, way: Way): Promise<void> => {
      const question = unique(`${place} cancel`)
      const leaver = new AbortController()
      const messages = [{ role: 'user', content: question }]
      const left = send(service, way, { messages }, { signal: leaver.signal })
      const { pid } = await prompted(service, question)
      await delay(200)
      leaver.abort()
      await expect(left).rejects.toThrow(/abort/)
      const family = familyOf(service, pid)
      expect(family).toHaveLength(2)
      await allGone(question, 5000, family)
    }
    await Promise.all(places.flatMap((place) => WAYS.map((way) => one(place, way))))
  })

  test('F34: nor a run that took too long', async () => {
    const one = async (place: string, way: Way): Promise<void> => {
      const question = unique(`${place} timeout`)
      const heard = await ask(service, way, question)
      expect(heard.status).toBe(way.stream ? 200 : 504)
      expect(String(heard.error?.message)).toContain(`within ${TIMEOUT_S} s (setting timeout)`)
      const family = familyOf(service, agentOf(service, question).pid)
      expect(family).toHaveLength(2)
      await allGone(question, 5000, family)
    }
    await Promise.all(
      places.flatMap((place) =>
        WAYS.filter(({ api, stream }) => stream === (api === 'chat')).map((way) => one(place, way)),
      ),
    )
  })

  test('F35: when the client leaves, the agent is stopped within 2 s, streamed or not', async () => {
    const before = await outcomes('cancelled')
    const one = async (name: string, way: Way, session?: string): Promise<void> => {
      const question = unique(name)
      const leaver = new AbortController()
      const messages = [{ role: 'user', content: question }]
      const headers = session === undefined ? {} : { 'x-session-id': session }
      const left = send(service, way, { messages }, { signal: leaver.signal, headers })
      left.catch(() => undefined)
      const { pid } = await prompted(service, question)
      await delay(1000)
      expect(isAlive(pid)).toBe(true)
      leaver.abort()
      await expect(left).rejects.toThrow(/abort/)
      await (OVER_ACP ? sessionCancelled(question) : allGone(question, 2000, [pid]))
    }
    const [streamed, whole] = [WAYS[0], WAYS[3]].filter((way) => way !== undefined)
    if (streamed === undefined || whole === undefined) throw new Error('too few ways')
    const silent = [streamed, whole].map((way) => one('long silence', way))
    const deaf = [streamed, whole].map((way) => one('long deaf', way))
    await Promise.all([...WAYS.map((way) => one('long talk', way)), ...silent, ...deaf])
    // A client with a conversation could come back: its run goes on a little.
    await Promise.all([
      one('long talk', streamed, 'a'),
      one('long silence', whole, 'b'),
      one('long deaf', streamed, 'c'),
    ])
    expect(await outcomes('cancelled')).toBe(before + WAYS.length + 7)
    if (OVER_ACP) return
    expect(await total(service, 'child_exits_total', { cause: 'cancelled' })).toBeGreaterThan(10)
  })
})
