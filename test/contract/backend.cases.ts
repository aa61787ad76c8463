// What every backend must do, run by each of them against the scripted stand-in. A backend may skip a case by name, with
// the reason. Needs the compiled stand-in in dist/.
import { writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Agent, type ExitFacts, LaunchFailure } from '../../src/backends/backend.ts'
import { backendFor } from '../../src/backends/choose.ts'
import type { BackendName } from '../../src/core/job.ts'
import { monotonicMs } from '../../src/lib/clock.ts'
import { numberAt } from '../../src/lib/json.ts'
import { isAlive, until } from '../support/until.ts'
import { Lab, type Step } from './agent-lab.ts'

export interface BackendSubject {
  readonly name: BackendName
  /** The child lives on after a good run, until it is closed. */
  readonly reusable: boolean
  /** A line of the child's output that says this text. */
  readonly textLine: (text: string) => unknown
  /** Case name → why it does not apply. */
  readonly skip: Readonly<Record<string, string>>
}

const ANSWER: readonly Step[] = [
  { init: true },
  { delta: 'Hel' },
  { delta: 'lo' },
  { recap: true },
  { result: true },
]

export function backendContract({ name, reusable, textLine, skip }: BackendSubject): void {
  describe(`backend ${name}`, () => {
    let lab: Lab
    beforeEach(() => {
      lab = new Lab(backendFor({ backend: name }), name)
    })
    afterEach(() => lab.close())

    const check = (title: string, body: () => Promise<void>): void => {
      test.skipIf(Object.hasOwn(skip, title))(title, body)
    }

    const gone = (pid: number): void => {
      expect(isAlive(pid)).toBe(false)
      expect(lab.leftovers()).toEqual([])
    }

    /** Ends a child that waits for more; the others end by themselves. */
    const finished = async (agent: Agent): Promise<ExitFacts> => {
      if (reusable) void agent.close('done')
      return agent.ended
    }

    check('a plain answer comes once, then the child and its scratch folder are gone', async () => {
      const agent = await lab.launch({ steps: ANSWER })
      await agent.ready
      let prompted = 0
      const types: string[] = []
      for await (const batch of agent.run(lab.job('hi'), () => {
        prompted += 1
      })) {
        expect(batch.readAtMs).toBeLessThanOrEqual(monotonicMs())
        types.push(...batch.events.map(({ type }) => type))
      }
      expect(types).toEqual(['started', 'text-delta', 'text-delta', 'finish'])
      expect(prompted).toBe(1)
      expect(agent.reusable).toBe(reusable)
      expect(await finished(agent)).toMatchObject({ code: 0, signal: null })
      gone(agent.pid)
      expect(lab.kills).toEqual([])
    })

    check('thinking is told apart from text', async () => {
      const agent = await lab.launch({
        steps: [{ thinking: 'hm' }, { thinkingEnd: true }, ...ANSWER.slice(1)],
      })
      const { events, text } = await lab.run(agent)
      expect(events.filter(({ type }) => type.startsWith('thinking'))).toEqual([
        { type: 'thinking-delta', text: 'hm' },
        { type: 'thinking-end' },
      ])
      expect(text).toBe('Hello')
    })

    check('tools are shown in order with their text', async () => {
      const args = { path: '/a' }
      const result = { success: { totalLines: 3 } }
      const agent = await lab.launch({
        steps: [
          { delta: 'Look' },
          { recap: 'm1' },
          { toolStart: { kind: 'readToolCall', id: 'c\n1', args } },
          { toolEnd: { kind: 'readToolCall', id: 'c\n1', args, result } },
          { delta: 'ed' },
          { recap: true },
          { result: true },
        ],
      })
      const ran = await lab.run(agent)
      const events = ran.events.filter(({ type }) => type !== 'started')
      expect(events.map(({ type }) => type)).toEqual([
        'text-delta',
        'tool-start',
        'tool-end',
        'text-delta',
        'finish',
      ])
      expect(events[1]).toMatchObject({ host: 'cursor', name: 'Read', title: '/a' })
      expect(events[2]).toMatchObject({ isError: false, summary: 'Read 3 lines' })
    })

    check('text is exact when it comes byte by byte', async () => {
      const text = '中文 😀 é'
      const agent = await lab.launch({
        steps: [{ raw: `${JSON.stringify(textLine(text))}\n`, chunk: 1 }, { result: true }],
      })
      expect((await lab.run(agent)).text).toBe(text)
    })

    check('each fragment is handed on when it is printed', async () => {
      const gate = `${lab.folder}/gate`
      const agent = await lab.launch({
        steps: [{ delta: 'a' }, { waitFile: gate }, { delta: 'b' }, { result: true }],
      })
      const ran = await lab.run(agent, lab.job('hi'), ({ events }) => {
        // The second fragment is only printed once the first has come through.
        if (events.some((event) => event.type === 'text-delta')) writeFileSync(gate, '')
      })
      expect(ran.text).toBe('ab')
    })

    check('a failure of Cursor is the terminal event', async () => {
      const agent = await lab.launch({
        steps: [
          { delta: 'half' },
          { result: { is_error: true, result: 'ConnectError: [unavailable]' } },
        ],
      })
      const { text, terminal } = await lab.run(agent)
      expect(text).toBe('half')
      expect(terminal).toMatchObject({ type: 'failure', code: 'cursor-unreachable' })
    })

    check('an exit without a result is a failure with its code and words', async () => {
      const agent = await lab.launch({
        steps: [{ delta: 'x' }, { stderr: 'Error: disk on fire\n' }, { exit: 7 }],
      })
      const { terminal } = await lab.run(agent)
      expect(terminal).toMatchObject({ code: 'agent-failed' })
      expect(terminal).toHaveProperty('message', expect.stringMatching(/code 7.*disk on fire/))
      expect(await agent.ended).toMatchObject({ code: 7 })
      gone(agent.pid)
    })

    check('a death by signal is named', async () => {
      const agent = await lab.launch({ steps: [{ delta: 'x' }, { signal: 'SIGSEGV' }] })
      const { terminal } = await lab.run(agent)
      expect(terminal).toHaveProperty('message', expect.stringContaining('SIGSEGV'))
    })

    check('closing a run that hangs ends it as cancelled, at once', async () => {
      const agent = await lab.launch({ steps: [{ delta: 'x' }, { hang: true }] })
      const ran = await lab.run(agent, lab.job('hi'), () => {
        void agent.close('cancelled')
      })
      expect(ran.terminal).toMatchObject({ type: 'failure', code: 'cancelled' })
      await agent.ended
      expect(lab.kills).toEqual(['SIGTERM'])
      gone(agent.pid)
    })

    check('a child deaf to SIGTERM is gone soon after the kill grace', async () => {
      const agent = await lab.launch({
        // Neither a signal nor the end of its input ends it.
        steps: [
          { ignore: ['SIGTERM', 'SIGINT', 'SIGHUP'] },
          { noExit: true },
          { delta: 'x' },
          { hang: true },
        ],
      })
      let closedAtMs = 0
      await lab.run(agent, lab.job('hi'), () => {
        closedAtMs = monotonicMs()
        void agent.close('timeout')
      })
      await agent.ended
      expect(monotonicMs() - closedAtMs).toBeGreaterThan(250)
      expect(monotonicMs() - closedAtMs).toBeLessThan(3_000)
      expect(lab.kills).toEqual(['SIGTERM', 'SIGKILL'])
      gone(agent.pid)
    })

    check(
      'a child that stays after its result is ended after the grace, without delay for the answer',
      async () => {
        const agent = await lab.launch({
          steps: [...ANSWER, { noExit: true }],
          settings: { exitGraceMs: 400 },
        })
        let answeredAtMs = 0
        const { terminal } = await lab.run(agent, lab.job('hi'), () => {
          answeredAtMs = monotonicMs()
        })
        expect(terminal?.type).toBe('finish')
        expect(isAlive(agent.pid)).toBe(true)
        await agent.close('done')
        expect(monotonicMs() - answeredAtMs).toBeGreaterThan(300)
        gone(agent.pid)
      },
    )

    check('a spare that speaks is spoiled', async () => {
      const agent = await lab.launch({ startup: [{ raw: 'Update available\n' }, { hang: true }] })
      expect(await agent.spoiled).toContain('before it got a prompt')
      await agent.close('discarded')
      gone(agent.pid)
    })

    check('a spare that exits is spoiled, says why, and leaves nothing', async () => {
      const agent = await lab.launch({
        startup: [{ stderr: 'Error: Authentication required.\n' }, { exit: 1 }],
      })
      expect(await agent.spoiled).toMatch(/exited before it got a prompt.*agent login/)
      await agent.ended
      gone(agent.pid)
    })

    check('a refusal before the prompt was read fails the run with its reason', async () => {
      const agent = await lab.launch({
        startup: [{ raw: 'Workspace Trust Required\n' }, { exit: 0 }],
      })
      const { terminal } = await lab.run(agent)
      expect(terminal).toMatchObject({ code: 'agent-failed' })
      expect(terminal).toHaveProperty('message', expect.stringContaining('trust'))
    })

    check('a child that does not read a long prompt fails that run only', async () => {
      const agent = await lab.launch({
        startup: [{ closeStdin: true }, { stderr: 'Error: no\n' }, { exit: 3 }],
      })
      const { terminal } = await lab.run(agent, lab.job('x'.repeat(5 << 20)))
      expect(terminal).toMatchObject({ code: 'agent-failed' })
      await agent.ended
      gone(agent.pid)
    })

    check('a prompt of 3 MiB arrives byte for byte and is in no argument', async () => {
      const text = `--help "é😀\n${'ab'.repeat(3 << 19)}`
      const agent = await lab.launch({ steps: ANSWER })
      await lab.run(agent, lab.job(text))
      const [prompt] = lab.journal('prompt')
      expect(prompt?.prompt === text).toBe(true)
      expect(JSON.stringify(lab.journal('start')).length).toBeLessThan(20_000)
    })

    check('grandchildren are gone with the child, whatever they ignore or hold', async () => {
      const agent = await lab.launch({
        steps: [
          { grandchild: { ignoreTerm: true, holdStdout: true, ownGroup: false } },
          { grandchild: { ignoreTerm: true, holdStdout: false, ownGroup: true } },
          ...ANSWER,
        ],
      })
      const { text, terminal } = await lab.run(agent)
      expect(text).toBe('Hello')
      expect(terminal?.type).toBe('finish')
      await agent.close('done')
      const pids = lab.journal('grandchild').map((fact) => numberAt(fact, 'pid') ?? 0)
      expect(pids).toHaveLength(2)
      for (const pid of pids) {
        await until(`grandchild ${pid} to be gone`, 5_000, () => !isAlive(pid))
      }
      gone(agent.pid)
    })

    check('a reader that leaves ends the child', async () => {
      const agent = await lab.launch({ steps: [{ delta: 'x' }, { hang: true }] })
      const batches = agent.run(lab.job('hi'), () => undefined)[Symbol.asyncIterator]()
      await batches.next()
      await batches.return?.()
      await agent.ended
      gone(agent.pid)
    })

    check('a slow reader loses nothing, also when the child is long gone', async () => {
      const agent = await lab.launch({
        steps: [{ burst: { events: 20_000, size: 20 } }, { result: { result: '' } }],
      })
      let length = 0
      for await (const { events } of agent.run(lab.job('hi'), () => undefined)) {
        for (const event of events) if (event.type === 'text-delta') length += event.text.length
        if (length < 40_000) await delay(20)
      }
      expect(length).toBe(400_000)
    })

    check('a run on a closed agent is cancelled', async () => {
      const agent = await lab.launch({ startup: [{ hang: true }] })
      const closing = agent.close('discarded')
      expect((await lab.run(agent)).events).toMatchObject([{ type: 'failure', code: 'cancelled' }])
      await closing
      gone(agent.pid)
    })

    check('a missing program fails the launch and leaves nothing', async () => {
      const launch = lab.launch({ profile: { binary: '/nowhere/cursor-agent' } })
      const error: unknown = await launch.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(LaunchFailure)
      expect(error).toHaveProperty('event.code', 'cli-missing')
      expect(lab.leftovers()).toEqual([])
    })
  })
}
