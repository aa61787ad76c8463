// What only ACP mode has: questions of the agent, its model names, a process that outlives runs, and its death at every step.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { numberAt } from '../../src/lib/json.ts'
import { send, unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { delta, OK, readTool, run } from '../support/steps.ts'
import { promptFacts, Talk } from '../support/talk.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const DIE = { signal: 'SIGKILL' }
const PERMISSION = {
  permission: {
    title: 'rm -rf build',
    kind: 'execute',
    allowed: [delta('it ran')],
    rejected: [delta('it was not run')],
  },
}

describe('one service', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({
      settings: { backend: 'acp', concurrency: 2, 'pool.recycle_after': 3 },
      script: {
        runs: [
          run('slow', delta('it begins'), { sleep: 60_000 }, OK),
          run('asks', PERMISSION, { ask: { method: 'cursor/ask_question', params: {} } }, OK),
          run('odd', { ask: { method: 'no/such_method', params: {} } }, delta('done'), OK),
          { steps: [delta('understood'), OK] },
        ],
      },
    })
  })
  afterAll(() => service.stop())

  test.each(['asks', 'odd'])('F48: a prompt in which the agent %s completes', async (name) => {
    const heard = await new Talk(service).say(unique(name))
    expect(heard).toMatchObject({ status: 200, error: undefined, finish: 'end_turn' })
  })

  test('F52: a cancelled run does not end the one beside it, nor the next on its process', async () => {
    const quiet = new Talk(service)
    await quiet.say(unique('quiet'))
    const abort = new AbortController()
    const question = unique('slow')
    const cut = new Talk(service).say(question, abort.signal)
    const isPrompted = () => promptFacts(service).some(({ text }) => text.includes(question))
    await until('the slow prompt', within(10_000), isPrompted)
    const beside = new Talk(service).say(unique('beside'))
    abort.abort()
    await expect(cut).rejects.toThrow()
    expect(await beside).toMatchObject({ status: 200, text: 'understood' })
    expect(await quiet.say('more')).toMatchObject({ status: 200, text: 'understood' })
    const cancels = service.journal().filter(({ event }) => event === 'cancel')
    expect(cancels).toHaveLength(1)
  })

  test('a reply at its token limit is cut, its process goes on, its session does not', async () => {
    const talk = new Talk(service, { body: { max_tokens: 1 } })
    const cut = await talk.sayAndSettle(unique('slow'))
    expect(cut).toMatchObject({ status: 200, text: 'it', finish: 'max_tokens' })
    talk.body = {}
    const question = unique('what comes after')
    const next = await talk.say(question)
    expect(next).toMatchObject({ status: 200, text: 'understood', finish: 'end_turn' })
    expect(next.start).not.toBe('resumed')
    const prompt = promptFacts(service).find(({ text }) => text.includes(question))?.text
    expect(prompt).toContain('\nit\n')
  })

  test('an answer that must be JSON is asked for once more, in a session of its own', async () => {
    const schema = { type: 'object', required: ['a'] }
    const body = { output_config: { format: { type: 'json_schema', schema } } }
    const heard = await new Talk(service, { body }).say(unique('form'))
    expect(heard.status).toBe(500)
    expect(heard.error?.message).toMatch(/not in the form that was asked for/)
    const asked = promptFacts(service).filter(({ text }) => text.includes('meant to be one JSON'))
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['auto', 200],
    ['composer-2.5-fast', 200],
    // Listed, but not offered in ACP mode.
    ['kimi-k3-medium', 404],
    ['composer-2.5', 200],
  ])('F73: the model %s gets %i', async (model, status) => {
    const heard = await new Talk(service, { body: { model } }).say(unique('model'))
    expect(heard.status).toBe(status)
  })

  test('a process is replaced after its runs, and the conversation moves', async () => {
    const talk = new Talk(service)
    const pids = new Set<number>()
    for (let turn = 0; turn < 8; turn += 1) {
      expect(await talk.say(unique('again'))).toMatchObject({ status: 200 })
      pids.add(promptFacts(service).at(-1)?.pid ?? 0)
    }
    expect(pids.size).toBeGreaterThan(1)
  })
})

describe('what an agent may do', () => {
  test.each<[string, Record<string, string>, string, string]>([
    ['by default', {}, 'agent', 'it was not run'],
    ['with full access', { 'cursor.permissions': 'full' }, 'agent', 'it ran'],
    ['read-only', { 'cursor.permissions': 'read-only' }, 'ask', 'it was not run'],
    ['with mode plan', { mode: 'plan' }, 'plan', 'it was not run'],
  ])('F76, F83: %s (%j): mode %s, and a command: %s', async (_what, settings, mode, text) => {
    const service = await startService({
      settings: { backend: 'acp', concurrency: 1, 'pool.warm': 0, ...settings },
      script: { runs: [{ steps: [PERMISSION, OK] }] },
    })
    const heard = await new Talk(service).say(unique('command'))
    expect(heard).toMatchObject({ status: 200, text })
    const journal = service.journal()
    expect(journal.find(({ event }) => event === 'prompt')).toMatchObject({ mode })
    for (const { event, argv } of journal) {
      if (event === 'start') expect(argv).not.toContain('--force')
    }
    await service.stop()
  })
})

describe('the process dies', () => {
  const once = (name: string) => ({ once: name, steps: [DIE] })
  interface Death {
    readonly when: string
    /** Steps before the answers of ACP methods. */
    readonly acp?: Readonly<Record<string, readonly object[]>>
    /** Steps before the answer of the run. */
    readonly steps?: readonly object[]
    readonly status: 200 | 500
    readonly warm?: number
  }
  const HANDSHAKE = [
    'initialize',
    'session/new',
    'session/set_config_option',
    'session/set_mode',
  ].flatMap((method) =>
    [0, 1].map((warm) => ({
      when: `at ${method}, ${warm === 0 ? 'cold' : 'as a spare'}`,
      acp: { [method]: [once('a')] },
      status: 200 as const,
      warm,
    })),
  )
  const DEATHS: readonly Death[] = [
    ...HANDSHAKE,
    { when: 'before its first word', steps: [once('d')], status: 500 },
    { when: 'in its text', steps: [delta('half'), once('e')], status: 500 },
    { when: 'in a tool call', steps: [...readTool('c').slice(0, 1), once('f')], status: 500 },
    {
      when: 'while it asks',
      steps: [{ permission: { ...PERMISSION.permission, rejected: [once('g')] } }],
      status: 500,
    },
  ]

  test.each(DEATHS)('$when', async ({ acp = {}, steps = [], status, warm = 0 }) => {
    const service = await startService({
      settings: { backend: 'acp', concurrency: 1, 'pool.warm': warm },
      script: { acp, runs: [{ steps: [...steps, delta('understood'), OK] }] },
    })
    const way = { api: 'messages', stream: false } as const
    const init = { way, body: { model: 'composer-2.5-fast' } }
    const headers = { 'x-cursor-mode': 'ask' }
    const body = () => ({ ...init.body, messages: [{ role: 'user', content: unique('first') }] })
    const first = await send(service, way, body(), { headers })
    expect(first.status).toBe(status)
    if (status === 500) expect(String(first.error?.message)).toContain('SIGKILL')
    // The slot is free and the child replaced.
    const next = await send(service, way, body(), { headers })
    expect(next.status).toBe(200)
    expect(next.text).toContain('understood')
    await until('the slot to be free', within(5000), async () => {
      return (await service.metric('cursor_adapter_runs_active')) === 0
    })
    await service.stop()
  })

  test('between turns', async () => {
    const service = await startService({
      settings: { backend: 'acp', concurrency: 1, 'pool.warm': 0 },
      script: { runs: [{ steps: [delta('understood'), OK] }] },
    })
    const talk = new Talk(service)
    const mark = unique('first')
    await talk.sayAndSettle(mark)
    const [{ pid } = { pid: 0 }] = promptFacts(service)
    process.kill(pid, 'SIGKILL')
    await until('the service to know', within(5000), async () => {
      return (await service.metric('cursor_adapter_children{state="idle"}')) === 0
    })
    const second = await talk.say('and now?')
    expect(second).toMatchObject({ status: 200, error: undefined, text: 'understood' })
    const last = promptFacts(service).at(-1)
    expect(last?.pid).not.toBe(pid)
    expect(last?.text).toContain(mark)
    expect(promptFacts(service)).toHaveLength(2)
    await service.stop()
  })

  test('while it is being cancelled', async () => {
    const service = await startService({
      settings: { backend: 'acp', concurrency: 1, 'pool.warm': 0 },
      script: {
        runs: [
          run('slow', { ignoreCancel: true }, delta('it begins'), { sleep: 60_000 }, OK),
          { steps: [delta('understood'), OK] },
        ],
      },
    })
    const abort = new AbortController()
    const cut = new Talk(service).say(unique('slow'), abort.signal)
    await until('the slow prompt', within(10_000), () => promptFacts(service).length === 1)
    abort.abort()
    await expect(cut).rejects.toThrow()
    await until('the cancel', within(5000), () =>
      service.journal().some(({ event }) => event === 'cancel'),
    )
    const pid = numberAt(service.journal().find(({ event }) => event === 'prompt') ?? {}, 'pid')
    process.kill(pid ?? 0, 'SIGKILL')
    expect(await new Talk(service).say(unique('next'))).toMatchObject({ status: 200 })
    await service.stop()
  })
})
