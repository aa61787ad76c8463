// Sessions of one ACP child against the scripted stand-in: reuse, going on, cancelling, questions, models, images.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Agent } from '../../../src/backends/backend.ts'
import { backendFor } from '../../../src/backends/choose.ts'
import type { Job, Kept } from '../../../src/core/job.ts'
import { monotonicMs } from '../../../src/lib/clock.ts'
import { type JsonObject, numberAt, stringAt } from '../../../src/lib/json.ts'
import { Lab, type Step } from '../../contract/agent-lab.ts'
import { isAlive, until } from '../../support/until.ts'

let lab: Lab
beforeEach(() => {
  lab = new Lab(backendFor({ backend: 'acp' }), 'acp')
})
afterEach(() => lab.close())

const ECHO: readonly Step[] = [{ delta: 'You said $PROMPT' }, { result: true }]
const HANG = { match: 'hang', steps: [{ delta: 'x' }, { hang: true }] }

const job = (text: string, change: Partial<Job> = {}): Job => lab.job(text, [], change)
const profiled = (text: string, model: string): Job =>
  job(text, { profile: lab.profile({ model }) })
const prompts = (): JsonObject[] => lab.journal('prompt')
const sessionsOf = (facts: readonly JsonObject[]): unknown[] => facts.map(({ session }) => session)
const chatOf = (kept: Kept | undefined): string => (kept?.backend === 'acp' ? kept.chatId : '')

/** Runs a prompt until its first text, then cancels it. */
async function cancelled(agent: Agent, text: string): Promise<boolean | undefined> {
  let sound: Promise<boolean> | undefined
  const ran = await lab.run(agent, job(text), ({ events }) => {
    if (events.some(({ type }) => type === 'text-delta')) sound = agent.cancelRun?.('cancelled')
  })
  expect(ran.terminal).toMatchObject({ type: 'failure', code: 'cancelled' })
  return sound
}

describe('sessions', () => {
  test('each run has one of its own, in a folder of its own, in the same process', async () => {
    const agent = await lab.launch({ steps: ECHO })
    expect((await lab.run(agent, job('one'))).text).toBe('You said one')
    expect(agent.kept?.()).toBeUndefined()
    agent.prepare?.(lab.profile())
    expect((await lab.run(agent, job('two'))).text).toBe('You said two')
    expect(agent.reusable).toBe(true)
    const [one, two] = prompts()
    expect(one?.session).not.toBe(two?.session)
    expect(one?.cwd).not.toBe(two?.cwd)
    expect(lab.journal('start')).toHaveLength(1)
    expect(lab.journal('start')[0]?.argv).toEqual(['--model', 'auto', 'acp'])
  })

  test('the one opened ahead is used by the first run', async () => {
    const agent = await lab.launch({ steps: ECHO })
    await agent.ready
    const [opened] = lab.journal('session')
    await lab.run(agent)
    expect(sessionsOf(prompts())).toEqual([opened?.session])
    expect(lab.journal('session')).toHaveLength(1)
  })

  test('a kept one is gone on in, and given back once forgotten', async () => {
    const agent = await lab.launch({ steps: ECHO })
    await lab.run(agent, job('one', { keep: true }))
    const kept = agent.kept?.()
    expect(kept).toMatchObject({ backend: 'acp', pid: agent.pid })
    const chatId = chatOf(kept)
    await lab.run(agent, job('between'))
    await lab.run(agent, job('two', { keep: true, chatId }))
    const [one, , two] = prompts()
    expect(two?.session).toBe(one?.session)
    agent.forget?.(chatId)
    const gone = await lab.run(agent, job('three', { chatId }))
    expect(gone.text).toBe('You said three')
    expect(lab.journal('session').at(-1)).toMatchObject({ session: chatId, how: 'load' })
  })

  test('one that nobody knows asks for a fresh start, and the child stays', async () => {
    const agent = await lab.launch({ steps: ECHO })
    const { events } = await lab.run(agent, job('new part', { chatId: 'gone' }))
    expect(events).toMatchObject([{ type: 'failure', code: 'agent-failed', again: 'fresh' }])
    expect(agent.reusable).toBe(true)
    expect((await lab.run(agent, job('everything'))).text).toBe('You said everything')
    expect(prompts()).toHaveLength(1)
  })

  test('one that the process lost asks for a fresh start too', async () => {
    const steps = [{ fail: { code: -32602, message: 'Session "x" not found' } }]
    const agent = await lab.launch({
      script: { runs: [{ match: 'lost', steps }, { steps: ECHO }] },
    })
    const { terminal } = await lab.run(agent, job('lost'))
    expect(terminal).toMatchObject({ again: 'fresh' })
  })

  test('F61: replayed history is not part of the answer', async () => {
    const agent = await lab.launch({ steps: ECHO })
    await lab.run(agent, job('secret of turn one', { keep: true }))
    const chatId = chatOf(agent.kept?.())
    agent.forget?.(chatId)
    const ran = await lab.run(agent, job('two', { chatId }))
    expect(lab.journal('session').at(-1)).toMatchObject({ how: 'load' })
    expect(ran.text).toBe('You said two')
    expect(ran.events.map(({ type }) => type)).toEqual(['started', 'text-delta', 'finish'])
  })

  test('late output of another session is counted and not shown', async () => {
    const late = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'ZEBRA' } }
    const params = { sessionId: 'another', update: late }
    const steps = [{ line: { jsonrpc: '2.0', method: 'session/update', params } }, ...ECHO]
    const { text, events } = await lab.run(await lab.launch({ steps }), job('hi'))
    expect(text).toBe('You said hi')
    expect(events).toContainEqual({ type: 'unknown', kind: 'late-event' })
  })
})

describe('cancelling', () => {
  test('answers within 50 ms, keeps the process, and the next run is clean', async () => {
    const agent = await lab.launch({
      script: {
        runs: [HANG, { match: 'late', steps: [{ late: 'LATE' }, ...HANG.steps] }, { steps: ECHO }],
      },
    })
    await agent.ready
    expect(await cancelled(agent, 'hang')).toBe(true)
    expect(await cancelled(agent, 'late')).toBe(true)
    const { text } = await lab.run(agent, job('next'))
    expect(text).toBe('You said next')
    expect(lab.journal('start')).toHaveLength(1)
    const took = lab.journal('cancel').map((fact) => numberAt(fact, 'atMs') ?? 0)
    expect(took).toHaveLength(2)
  })

  test('one run leaves the other sessions of the process alone', async () => {
    const agent = await lab.launch({ script: { runs: [HANG, { steps: ECHO }] } })
    await lab.run(agent, job('one', { keep: true }))
    const chatId = chatOf(agent.kept?.())
    expect(await cancelled(agent, 'hang')).toBe(true)
    const { text, terminal } = await lab.run(agent, job('two', { chatId }))
    expect(text).toBe('You said two')
    expect(terminal?.type).toBe('finish')
    expect(prompts().at(-1)?.session).toBe(chatId)
  })

  test('an agent that does not heed it is not sound', async () => {
    const agent = await lab.launch({ steps: [{ ignoreCancel: true }, ...HANG.steps] })
    const fromMs = monotonicMs()
    expect(await cancelled(agent, 'hi')).toBe(false)
    expect(monotonicMs() - fromMs).toBeLessThan(5_000)
    expect(agent.reusable).toBe(false)
    await agent.close('cancelled')
    expect(isAlive(agent.pid)).toBe(false)
  })

  test('before the prompt went out keeps the session that is being opened', async () => {
    const agent = await lab.launch({ steps: ECHO, env: { CURSOR_ADAPTER_DEMO_SESSION_MS: '200' } })
    const running = lab.run(agent, job('never'))
    expect(await agent.cancelRun?.('cancelled')).toBe(true)
    expect((await running).events).toMatchObject([{ type: 'failure', code: 'cancelled' }])
    expect((await lab.run(agent, job('next'))).text).toBe('You said next')
    expect(prompts()).toHaveLength(1)
  })

  test('nothing is a question of soundness only', async () => {
    const agent = await lab.launch({ steps: ECHO })
    await agent.ready
    expect(await agent.cancelRun?.('cancelled')).toBe(true)
  })
})

describe('what the agent asks is answered', () => {
  const asking: readonly Step[] = [
    {
      permission: {
        title: '`rm x`',
        kind: 'execute',
        allowed: [{ delta: 'ran' }],
        rejected: [{ delta: 'not run' }],
      },
    },
    { ask: { method: 'cursor/ask_question', params: { questions: [] } } },
    { ask: { method: 'cursor/create_plan', params: {} } },
    { ask: { method: 'cursor/update_todos', params: {} } },
    { ask: { method: 'fs/read_text_file', params: { path: '/etc/passwd' } } },
    { result: true },
  ]

  test.each([
    ['workspace', 'not run'],
    ['full', 'ran'],
  ] as const)(
    'with permissions %s within a second, and the prompt completes',
    async (permissions, text) => {
      const profile = { permissions }
      const agent = await lab.launch({ steps: asking, profile })
      const ran = await lab.run(agent, job('hi', { profile: lab.profile(profile) }))
      expect(ran.text).toBe(text)
      const answers = lab.journal('answer')
      expect(answers.map(({ method }) => method)).toEqual([
        'session/request_permission',
        'cursor/ask_question',
        'cursor/create_plan',
        'cursor/update_todos',
        'fs/read_text_file',
      ])
      expect(answers[1]).toMatchObject({ result: { outcome: { outcome: 'skipped' } } })
      expect(answers[2]).toMatchObject({ result: { outcome: { outcome: 'accepted' } } })
      expect(answers.slice(3)).toMatchObject([
        { error: { code: -32601 } },
        { error: { code: -32601 } },
      ])
      const [prompt] = prompts()
      const lastMs = numberAt(answers.at(-1) ?? {}, 'atMs') ?? 0
      expect(lastMs - (numberAt(prompt ?? {}, 'atMs') ?? 0)).toBeLessThan(1_000)
      expect(agent.reusable).toBe(true)
    },
  )
})

describe('models', () => {
  test.each([
    ['base ids with options', ''],
    ['bracketed variants', 'bracket-models'],
  ])('are set in the words of %s', async (_what, quirk) => {
    const env = { CURSOR_ADAPTER_DEMO_QUIRKS: quirk }
    const agent = await lab.launch({ steps: ECHO, env })
    await lab.run(agent, profiled('a', 'claude-opus-5-thinking-high'))
    await lab.run(agent, profiled('b', 'auto'))
    const [a, b] = prompts()
    const bracket = 'claude-opus-5[thinking=true,effort=high]'
    expect(a).toMatchObject(
      quirk === ''
        ? { model: 'claude-opus-5', values: { thinking: 'true', effort: 'high' } }
        : { model: bracket },
    )
    expect(b?.model).toBe(quirk === '' ? 'default' : 'default[]')
  })

  test('auto changes nothing', async () => {
    const agent = await lab.launch({ steps: ECHO })
    await lab.run(agent)
    expect(lab.journal('set')).toEqual([])
  })

  test('one that ACP does not offer is not found, and the child stays', async () => {
    const agent = await lab.launch({ steps: ECHO })
    const { terminal } = await lab.run(agent, profiled('hi', 'kimi-k3-medium'))
    expect(terminal).toMatchObject({ type: 'failure', code: 'model-not-found' })
    expect((await lab.run(agent, job('hi'))).text).toBe('You said hi')
  })

  test('are set again where the sessions of a process share them', async () => {
    const env = { CURSOR_ADAPTER_DEMO_QUIRKS: 'shared-settings' }
    const agent = await lab.launch({ steps: ECHO, env })
    const first = { ...profiled('a', 'gpt-5.4-high'), keep: true }
    await lab.run(agent, first)
    const chatId = chatOf(agent.kept?.())
    await lab.run(agent, job('b'))
    await lab.run(agent, { ...profiled('c', 'gpt-5.4-high'), chatId })
    expect(prompts().map(({ model }) => model)).toEqual(['gpt-5.4', 'default', 'gpt-5.4'])
  })

  test('the mode is set per session, and again when the agent changed it', async () => {
    const update = { sessionUpdate: 'current_mode_update', currentModeId: 'plan' }
    const agent = await lab.launch({ steps: [{ update }, ...ECHO] })
    const ask = job('a', { profile: lab.profile({ mode: 'ask' }), keep: true })
    await lab.run(agent, ask)
    await lab.run(agent, { ...ask, chatId: chatOf(agent.kept?.()) })
    await lab.run(agent, job('b'))
    expect(prompts().map(({ mode }) => mode)).toEqual(['ask', 'ask', 'agent'])
    expect(lab.journal('set').map(({ value }) => value)).toEqual(['ask', 'ask'])
  })
})

test('images go natively', async () => {
  const agent = await lab.launch({ steps: ECHO })
  const base64 = Buffer.from('not really').toString('base64')
  await lab.run(agent, lab.job('look', [{ name: 'a.png', mediaType: 'image/png', base64 }]))
  expect(prompts()[0]).toMatchObject({
    prompt: 'look',
    images: [{ mimeType: 'image/png', bytes: 10 }],
  })
})

test('a real workspace is the folder of the session', async () => {
  const agent = await lab.launch({ steps: ECHO })
  const profile = lab.profile({ folder: { class: 'workspace', path: lab.folder } })
  await lab.run(agent, job('hi', { profile }))
  expect(prompts()[0]?.cwd).toBe(lab.folder)
})

describe('the login', () => {
  test.each([
    ['missing', {}],
    ['required', { CURSOR_API_KEY: 'crsr_invalid' }],
  ])('%s is said so', async (login, key) => {
    const env = { CURSOR_ADAPTER_DEMO_LOGIN: login, ...key }
    const agent = await lab.launch({ steps: ECHO, env })
    expect((await lab.run(agent)).terminal).toMatchObject({ code: 'cursor-not-logged-in' })
    expect(agent.reusable).toBe(false)
  })
})

test('an idle child that dies is spoiled', async () => {
  const agent = await lab.launch({ steps: ECHO })
  await lab.run(agent)
  process.kill(agent.pid, 'SIGKILL')
  expect(await agent.spoiled).toContain('before it got a prompt')
  await until('the child to be reaped', 5_000, () => !isAlive(agent.pid))
  expect(agent.reusable).toBe(false)
  expect(stringAt(lab.journal('session')[0] ?? {}, 'how')).toBe('new')
})
