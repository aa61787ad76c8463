// Requests of one conversation that meet: two readers of one run, a newer turn, a late older one, side requests, a process
// that is busy with another conversation.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type Heard, send, unique } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { OVER_ACP, type Service, startService } from '../support/service.ts'
import { delta, OK, run } from '../support/steps.ts'
import { promptFacts, Talk } from '../support/talk.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

const WAY = { api: 'messages', stream: true } as const
const TITLE = 'Generate a title for this conversation:\n'

let service: Service
beforeAll(async () => {
  service = await startService({
    settings: { concurrency: 3, 'retries.grace': 20, 'sessions.max': 200, 'pool.exit_grace': 20 },
    script: {
      runs: [
        { match: '^Generate a title', steps: [{ init: true }, delta('A title'), OK] },
        run('slow', delta('it begins, '), { waitFile: 'go' }, delta('the end'), OK),
        { match: 'stop that #', steps: [{ init: true }, delta('stopped'), OK] },
        { match: 'endless #', steps: [{ init: true }, delta('on and on'), { sleep: 100_000 }] },
        { steps: [{ init: true }, delta('understood'), OK] },
      ],
    },
  })
})
afterAll(() => service.stop())

const promptsOf = (text: string) => promptFacts(service).filter((fact) => fact.text.includes(text))
const prompted = (text: string, count = 1): Promise<void> =>
  until(`the prompt ${text}`, within(20_000), () => promptsOf(text).length === count)
const figure = async (series: string): Promise<number> => (await service.metric(series)) ?? 0
const joined = 'cursor_adapter_retries_total{how="joined"}'

/** Lets the agent with this prompt go on. */
function goOn(text: string): void {
  const journal = service.journal()
  const fact = journal.find(({ event, prompt }) => event === 'prompt' && prompt === text)
  const start = journal.find(({ event, pid }) => event === 'start' && pid === fact?.pid)
  writeFileSync(join(String(fact?.cwd ?? start?.cwd), 'go'), '')
}

test.each(['first', 'second'])('two readers share a run, and the %s may leave', async (who) => {
  const question = unique('slow')
  const leaver = new AbortController()
  const ask = (leaves: boolean): Promise<Heard> => {
    const init = { headers: { 'x-cursor-session': question } }
    const body = { messages: [{ role: 'user', content: question }] }
    return send(service, WAY, body, leaves ? { ...init, signal: leaver.signal } : init)
  }
  const first = ask(who === 'first')
  await prompted(question)
  const before = await figure(joined)
  const second = ask(who === 'second')
  await until('the second to join', within(20_000), async () => (await figure(joined)) > before)
  const [left, stays] = who === 'first' ? [first, second] : [second, first]
  leaver.abort()
  await expect(left).rejects.toThrow()
  goOn(question)
  expect(await stays).toMatchObject({ error: undefined, text: 'it begins, the end' })
  expect(promptsOf(question)).toHaveLength(1)
})

test('everything new goes on in the session, not only the last message', async () => {
  const talk = new Talk(service)
  await talk.sayAndSettle(unique('several'))
  const messages = [
    ...talk.said,
    { role: 'system', content: 'a NOTE of the client' },
    { role: 'user', content: 'the QUESTION' },
    { role: 'system', content: 'one more REMINDER' },
  ]
  const heard = await send(service, WAY, { messages })
  expect(heard.headers.get('x-cursor-adapter-start')).toBe('resumed')
  const text = promptFacts(service).at(-1)?.text ?? ''
  expect(text).toMatch(/NOTE[\s\S]*QUESTION[\s\S]*REMINDER/)
  expect(text).not.toContain('several #')
})

test('a newer turn ends the running one, and the newest of three is the one that is answered', async () => {
  const talk = new Talk(service, { id: unique('newer') })
  const question = unique('endless')
  const said = [{ role: 'user' as const, content: question }]
  const first = talk.say(question)
  await prompted(question)
  talk.said.push(...said)
  const second = talk.say(unique('no, endless'))
  expect((await first).error).toMatchObject({ message: expect.stringMatching(/newer/i) })
  await prompted('no, endless #')
  talk.said.push({ role: 'user', content: 'no' })
  const third = await talk.say(unique('stop that'))
  expect((await second).error).toMatchObject({ message: expect.stringMatching(/newer/i) })
  expect(third).toMatchObject({ error: undefined, text: 'stopped' })
})

test('a late older turn is turned away and ends nothing', async () => {
  const id = unique('late')
  const talk = new Talk(service, { id })
  const old = unique('old')
  await talk.sayAndSettle(old)
  const question = unique('slow')
  const running = talk.say(question)
  await until('the newer turn', within(20_000), () => promptsOf(question).length === 1)
  const body = { messages: [{ role: 'user', content: old }] }
  const headers = { 'x-cursor-session': id }
  const late = await send(service, { api: 'messages', stream: false }, body, { headers })
  expect(late).toMatchObject({ status: 400, error: { type: 'invalid_request_error' } })
  expect(String(late.error?.message)).toMatch(/newer request/)
  goOn(promptsOf(question)[0]?.text ?? '')
  expect(await running).toMatchObject({ error: undefined })
  expect(promptsOf(old)).toHaveLength(1)
})

test('side requests under the conversation’s id neither end its run nor take its session', async () => {
  const id = unique('title')
  const talk = new Talk(service, { id })
  const question = unique('slow')
  const running = talk.say(question)
  await prompted(question)
  const side = await new Talk(service, { id }).say(`${TITLE}${question}`)
  expect(side).toMatchObject({ error: undefined, text: 'A title' })
  goOn(question)
  expect(await running).toMatchObject({ error: undefined, text: 'it begins, the end' })
  await until('the run to settle', within(20_000), async () => {
    return (await figure('cursor_adapter_runs_active')) === 0
  })
  await new Talk(service, { id }).say(`${TITLE}${question} again`)
  const next = await talk.say('and now?')
  expect(next.start).toBe('resumed')
})

test.runIf(OVER_ACP)('a turn whose process is busy moves, with the whole transcript', async () => {
  const talk = new Talk(service)
  const mark = unique('mover')
  await talk.sayAndSettle(mark)
  const [{ pid, session } = { pid: 0, session: '' }] = promptsOf(mark)
  const others: Promise<unknown>[] = []
  const questions: string[] = []
  // Until every process is busy, the conversation's own among them.
  while (!promptFacts(service).some((fact) => fact.pid === pid && questions.includes(fact.text))) {
    const question = unique('slow')
    questions.push(question)
    if (questions.length > 3) throw new Error('the process took no run')
    others.push(new Talk(service).say(question))
    await prompted(question)
    if (questions.length === 3) break
  }
  const asked = talk.say('are you there?')
  if (questions.length === 3) goOn(questions.find((text) => promptsOf(text)[0]?.pid !== pid) ?? '')
  const heard = await asked
  expect(heard).toMatchObject({ error: undefined, start: 'moved' })
  const fact = promptFacts(service).at(-1)
  expect(fact?.session).not.toBe(session)
  expect(fact?.text).toContain(mark)
  for (const question of questions) goOn(question)
  await Promise.all(others)
})
