// What only ACP mode has: questions of the agent, its model names, a process that outlives runs, and its death at every step.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { numberAt } from '../../src/lib/json.ts'
import { unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { delta, OK, run } from '../support/steps.ts'
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

describe('the process dies', () => {
  const once = (name: string) => ({ once: name, steps: [DIE] })
  test.each([
    ['at initialize', { acp: { initialize: [once('a')] } }, 200],
    ['at session/new', { acp: { 'session/new': [once('b')] } }, 200],
    ['at set_config_option', { acp: { 'session/set_config_option': [once('c')] } }, 200],
    ['in its prompt', { die: [once('d')] }, 500],
    ['in its text', { die: [delta('half'), once('e')] }, 500],
  ])('%s', async (_when, how, status) => {
    const { die = [], acp = {} } = { die: undefined, acp: undefined, ...how }
    const service = await startService({
      settings: { backend: 'acp', concurrency: 1, 'pool.warm': 0 },
      script: { acp, runs: [{ steps: [...die, delta('understood'), OK] }] },
    })
    const way = { api: 'messages', stream: false } as const
    const talk = new Talk(service, { way, body: { model: 'composer-2.5-fast' } })
    expect((await talk.say(unique('first'))).status).toBe(status)
    // The slot is free and the child replaced.
    const other = new Talk(service, { way })
    const next = await other.say(unique('next'))
    expect(next.status).toBe(200)
    expect(next.text).toContain('understood')
    expect(await service.metric('cursor_adapter_runs_active')).toBe(0)
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
