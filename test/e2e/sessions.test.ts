// Conversations that continue: what each agent was told, over both backends, as the demo agent's journal proves it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { stringAt } from '../../src/lib/json.ts'
import { send, unique, WAYS } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { type Service, scratchFolders, startService } from '../support/service.ts'
import { delta, OK, run } from '../support/steps.ts'
import { promptFacts, quiet, Talk, type TalkInit } from '../support/talk.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const BACKENDS = ['print', 'acp'] as const
/** Heading and framing around new text. */
const FRAMING_BYTES = 1024
const SCRIPT = {
  runs: [
    run('slow', delta('it begins'), { sleep: 60_000 }, OK),
    { steps: [{ init: true }, delta('understood: $PROMPT'), OK] },
  ],
}

describe.each(BACKENDS)('conversations over %s', (backend) => {
  let service: Service
  let before = 0
  const fresh = () => promptFacts(service).slice(before)
  /** A talk of its own; earlier prompts do not count. */
  const begin = (init: TalkInit = {}): Talk => {
    before = promptFacts(service).length
    return new Talk(service, init)
  }
  /** Says it and waits until the conversation can go on. */
  const settled = (talk: Talk, text: string) => talk.sayAndSettle(text)

  beforeAll(async () => {
    service = await startService({
      // A chat is kept only when its process ended by itself, and a busy machine takes its time.
      settings: { backend, 'pool.warm': 1, 'sessions.max': 200, 'pool.exit_grace': 20 },
      script: SCRIPT,
    })
  })
  afterAll(() => service.stop())

  test.each(WAYS)(
    '$api, stream $stream: turn 2 goes on and gets the new text only',
    async (way) => {
      const talk = begin({ way })
      await settled(talk, unique(`remember heron ${'and so on '.repeat(2000)}`))
      const second = await talk.say('which word was it?')
      expect(second.start).toBe('resumed')
      const [one, two] = fresh()
      expect(one?.text).toContain('heron')
      expect(two?.text).toContain('which word was it?')
      expect(two?.text.length).toBeLessThan('which word was it?'.length + FRAMING_BYTES)
      if (backend === 'acp') expect(two).toMatchObject({ pid: one?.pid, session: one?.session })
      else expect(two?.session).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('F62: 30 turns use one session, and no prompt grows', async () => {
    const talk = begin({ id: unique('thirty') })
    for (let turn = 1; turn <= 30; turn += 1) await settled(talk, unique(`turn ${turn}`))
    const facts = fresh()
    expect(facts).toHaveLength(30)
    const sessions = new Set(facts.slice(1).map(({ session }) => session))
    expect(sessions.size).toBe(1)
    for (const { text } of facts.slice(1)) expect(text.length).toBeLessThan(FRAMING_BYTES)
  })

  test('F58: a system text that changed is sent again, one that did not is not', async () => {
    const talk = begin({ system: 'always say PELICAN' })
    await settled(talk, unique('system'))
    await settled(talk, 'second')
    talk.system = 'always say OSPREY'
    const third = await settled(talk, 'third')
    expect(third.start).toBe('resumed')
    const texts = fresh().map(({ text }) => text)
    expect(texts[0]).toContain('PELICAN')
    expect(texts[1]).not.toContain('PELICAN')
    expect(texts[2]).toContain('OSPREY')
    expect(texts[2]).not.toContain('PELICAN')
  })

  test('F59: a transcript that was cut back or rewritten begins afresh', async () => {
    const talk = begin()
    await settled(talk, unique('branch'))
    await settled(talk, 'the FIRST way')
    talk.said.splice(2)
    const branched = await settled(talk, 'the other way')
    expect(branched.start).not.toBe('resumed')
    expect(fresh()[2]?.text).toContain('branch #')
    expect(fresh()[2]?.text).not.toContain('FIRST')
    talk.said.splice(0, talk.said.length, { role: 'user', content: 'a SUMMARY of it all' })
    talk.said.push({ role: 'assistant', content: 'noted' })
    const compacted = await talk.say('go on')
    expect(compacted.start).not.toBe('resumed')
    expect(fresh()[3]?.text).toContain('SUMMARY')
    expect(fresh()[3]?.text).not.toContain('branch #')
  })

  test('another model begins afresh with the whole transcript', async () => {
    const talk = begin()
    await settled(talk, unique('model'))
    talk.body = { model: 'composer-2.5' }
    const second = await talk.say('and now?')
    expect(second.status).toBe(200)
    expect(second.start).not.toBe('resumed')
    expect(fresh()[1]?.text).toContain('model #')
  })

  test('F60: after a cancelled turn the next one gets everything', async () => {
    const talk = begin({ id: unique('cancelled') })
    await settled(talk, unique('before the cancel'))
    const abort = new AbortController()
    const question = unique('slow')
    const cut = talk.say(question, abort.signal)
    await until('the slow prompt', within(10_000), () => fresh().length === 2)
    abort.abort()
    await expect(cut).rejects.toThrow()
    talk.said.push({ role: 'user', content: question })
    const next = await talk.say('are you there?')
    expect(next.status).toBe(200)
    expect(next.start).not.toBe('resumed')
    expect(fresh()[2]?.text).toContain('before the cancel')
    expect(fresh()[2]?.text).toContain('are you there?')
  })

  test('F57: a session that is gone is replaced once, with the whole transcript', async () => {
    const talk = begin()
    await settled(talk, unique('stale'))
    const [one] = fresh()
    if (backend === 'acp') {
      process.kill(one?.pid ?? 0, 'SIGKILL')
      await until('the agent to be gone', within(5000), () => !isAlive(one?.pid ?? 0))
    } else {
      const { scratchRoot } = service
      for (const name of scratchFolders(scratchRoot)) {
        rmSync(`${scratchRoot}/${name}/data/chats`, { recursive: true, force: true })
      }
    }
    const second = await settled(talk, 'are you still there?')
    expect(second.status).toBe(200)
    expect(second.start).toBe('moved')
    const third = await talk.say('and now?')
    expect(third.start).toBe('resumed')
    const [, two, three] = fresh()
    expect(two?.text).toContain('stale #')
    expect(two?.session === one?.session && one?.session !== '').toBe(false)
    expect(three?.text).not.toContain('stale #')
  })

  test('F55: nothing of one conversation reaches the agent of another', async () => {
    const a = begin()
    await settled(a, unique('ZEBRA'))
    const b = new Talk(service)
    await settled(b, unique('plain'))
    await b.say('more')
    const [one, ...others] = fresh()
    for (const { text, session } of others) {
      expect(text).not.toContain('ZEBRA')
      if (backend === 'acp') expect(session).not.toBe(one?.session)
    }
  })

  test('F56: agents that share a client id keep to their own sessions', async () => {
    const id = unique('shared')
    const [a, b] = [begin({ id }), new Talk(service, { id })]
    await settled(a, unique('main'))
    await settled(b, unique('helper'))
    expect((await settled(a, 'main again')).start).toBe('resumed')
    expect((await settled(b, 'helper again')).start).toBe('resumed')
    const [one, two, three, four] = fresh()
    if (backend === 'acp') {
      expect(three?.session).toBe(one?.session)
      expect(four?.session).toBe(two?.session)
    }
    expect(three?.session).not.toBe(four?.session)
  })

  test('two equal conversations without an id never go on in one another', async () => {
    const question = unique('the same question')
    const [a, b] = [begin(), new Talk(service)]
    await settled(a, question)
    const heard = await b.say(question)
    expect(heard.status).toBe(200)
    b.said.splice(1, 1, { role: 'assistant', content: a.said[1]?.content ?? '' })
    await quiet(service)
    const second = await b.say('go on')
    expect(second.start).not.toBe('resumed')
  })
})

test('conversations that are not remembered any more give everything back', async () => {
  const service = await startService({
    settings: { backend: 'print', 'pool.warm': 0, 'sessions.max': 2 },
    script: SCRIPT,
  })
  for (const name of ['one', 'two', 'three', 'four']) {
    await new Talk(service).say(unique(name))
  }
  await until('two folders to be left', within(5000), async () => {
    const count = await service.metric('cursor_adapter_sessions')
    return count === 2 && scratchFolders(service.scratchRoot).length === 2
  })
  await service.stop()
})

test('backend auto takes ACP in a scratch folder once its self-test has passed', async () => {
  const service = await startService({ settings: { backend: 'auto' }, script: SCRIPT })
  await until('the self-test', within(10_000), async () => {
    const details: unknown = await (await fetch(`${service.url}/health/details`)).json()
    return JSON.stringify(details).includes('self-test passed')
  })
  const heard = await new Talk(service).say(unique('auto'))
  expect(heard.headers.get('x-cursor-adapter-backend')).toBe('acp')
  const headers = { 'x-cursor-workspace': join(service.folder, 'home') }
  const body = { messages: [{ role: 'user', content: unique('auto') }] }
  const inFolder = await send(service, { api: 'chat', stream: true }, body, { headers })
  expect(inFolder.headers.get('x-cursor-adapter-backend')).toBe('print')
  const started = service.journal().filter((fact) => stringAt(fact, 'event') === 'session')
  expect(started.length).toBeGreaterThan(0)
  await service.stop()
})
