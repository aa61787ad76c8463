// An equal request comes again: every state of the first one × both forms of both requests × with and without a
// conversation id × saying that it is a retry or not × both APIs. And F54: two runs of one request never overlap.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { assertNever } from '../../src/core/events.ts'
import { APIS, type Api, type Heard, PATHS, send } from '../support/ask.ts'
import { within } from '../support/pace.ts'
import { postRaw } from '../support/raw-client.ts'
import { BACKEND, type Service, startService } from '../support/service.ts'
import { delta, type Step } from '../support/steps.ts'
import { promptFacts } from '../support/talk.ts'
import { isAlive, until } from '../support/until.ts'

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000, maxConcurrency: 6 })

/** What became of the first request when the second one comes. */
const STATES = [
  'running, with its reader',
  'running, its reader gone for a moment',
  'cancelled',
  'finished and delivered',
  'finished, not delivered',
  'finished, not delivered, too large to be kept',
  'failed before work',
  'failed after work',
] as const
type State = (typeof STATES)[number]

interface Case {
  readonly name: string
  readonly state: State
  readonly api: Api
  readonly firstStreams: boolean
  readonly secondStreams: boolean
  readonly hasId: boolean
  readonly saysRetry: boolean
}

type Outcome =
  /** A run of its own. */
  | 'own'
  /** A run of its own, after the end of the first. */
  | 'after'
  | 'joined'
  | 'replayed'
  /** The same failure. */
  | 'fails again'
  /** Told that the answer is lost. */
  | 'lost'

/** Design 7, Retries. */
function outcomeOf({ state, hasId, saysRetry }: Case): Outcome {
  switch (state) {
    case 'running, with its reader':
      return hasId || saysRetry ? 'joined' : 'own'
    case 'running, its reader gone for a moment':
      // Without an id there is no grace.
      return hasId ? 'joined' : 'after'
    case 'cancelled':
      return 'after'
    case 'finished and delivered':
    case 'failed before work':
      return 'own'
    case 'finished, not delivered':
      return 'replayed'
    case 'finished, not delivered, too large to be kept':
      return 'lost'
    case 'failed after work':
      return 'fails again'
    default:
      return assertNever(state)
  }
}

/** A stream without an id is cancelled when its reader leaves: it cannot end without one. */
const isPossible = ({ state, firstStreams, hasId }: Case): boolean =>
  hasId || !firstStreams || !state.startsWith('finished, not delivered')

const BOTH = [true, false]
const CASES: readonly Case[] = STATES.flatMap((state) =>
  APIS.flatMap((api) =>
    BOTH.flatMap((firstStreams) =>
      BOTH.flatMap((secondStreams) =>
        BOTH.flatMap((hasId) =>
          BOTH.map((saysRetry) => ({ state, api, firstStreams, secondStreams, hasId, saysRetry })),
        ),
      ),
    ),
  ),
)
  .map((one, index) => ({ name: `case ${String(index).padStart(3, '0')}`, ...one }))
  .filter(isPossible)

const folder = mkdtempSync(join(tmpdir(), 'retries-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string, what: string): string =>
  join(folder, `${name.replace(' ', '-')}.${what}`)

/** Each run marks its begin, says something and goes on when it may. */
const BROKEN: readonly Step[] =
  BACKEND === 'acp'
    ? [{ fail: { code: -32603, message: 'no idea' } }]
    : [{ stderr: 'no idea\n' }, { exit: 1 }]
const began = (name: string): Step => ({ appendFile: file(name, 'began'), text: 'x' })
const gate = (name: string): Step => ({ waitFile: file(name, 'gate') })
/** More than the sockets between service and client hold. */
const MUCH = { burst: { events: 1500, size: 4000 } }
const TOO_MUCH = { burst: { events: 2500, size: 4000 } }

function stepsOf({ name, state, hasId }: Case): readonly Step[] {
  const head = [{ init: true }, began(name)]
  const end = [delta('the end'), { result: { result: '' } }]
  switch (state) {
    case 'failed before work':
      return [...head, ...BROKEN]
    case 'failed after work':
      return [...head, delta('half'), ...BROKEN]
    case 'finished and delivered':
      return [...head, ...end]
    case 'finished, not delivered':
      return [...head, gate(name), ...(hasId ? [] : [MUCH]), ...end]
    case 'finished, not delivered, too large to be kept':
      return [...head, gate(name), TOO_MUCH, ...end]
    case 'running, with its reader':
    case 'running, its reader gone for a moment':
    case 'cancelled':
      return [...head, delta('it begins, '), gate(name), ...end]
    default:
      return assertNever(state)
  }
}

/** An agent that takes its time to die, for each form of the first request. */
const DEAF: readonly Step[] =
  BACKEND === 'acp' ? [{ ignoreCancel: true }] : [{ ignore: ['SIGTERM'] }]
const deaf = (name: string) => ({
  match: `^${name}$`,
  steps: [
    { once: `${name}.first`, steps: [...DEAF, began(name), delta('half'), { hang: true }] },
    began(name),
    delta('the end'),
    { result: true },
  ],
})
const SLOW = BOTH.map((stream) => ({ stream, name: `slow ${stream}` }))

const script = {
  runs: [
    ...CASES.map((one) => ({ match: `^${one.name}$`, steps: stepsOf(one) })),
    ...SLOW.map(({ name }) => deaf(name)),
  ],
}
const runsOf = (name: string): number =>
  existsSync(file(name, 'began')) ? readFileSync(file(name, 'began'), 'utf8').length : 0
const open = (name: string): void => writeFileSync(file(name, 'gate'), '')

function headersOf({ name, hasId }: Case): Record<string, string> {
  return hasId ? { 'x-session-id': name } : {}
}
/** More tokens than any of these answers has. */
const MOST = 100_000_000
const bodyOf = ({ name }: Case) => ({
  messages: [{ role: 'user', content: name }],
  max_tokens: MOST,
})

/** Index of the first cancel or signal that the agent of this case's first run has seen; -1 = none. */
function endedAt(service: Service, name: string): number {
  const journal = service.journal()
  const first = journal.find(({ event, prompt }) => event === 'prompt' && prompt === name)
  return journal.findIndex(({ event, pid, session }) => {
    if (first === undefined) return false
    if (event === 'cancel') return session === first.session
    return (event === 'signal' || event === 'exit') && pid === first.pid
  })
}

/** Brings the first request into the state; `heard` is there while somebody still reads it. */
async function firstOf(
  service: Service,
  one: Case,
): Promise<{ readonly heard: Promise<Heard> | undefined }> {
  const { state, api, firstStreams, hasId, name } = one
  const way = { api, stream: firstStreams }
  if (state.startsWith('finished, not delivered') && !hasId) {
    await leftUnread(service, one)
    return { heard: undefined }
  }
  const abort = new AbortController()
  const init = { headers: headersOf(one), signal: abort.signal }
  const heard = send(service, way, bodyOf(one), init)
  if (state === 'finished and delivered' || state.startsWith('failed')) {
    await heard
    return { heard: undefined }
  }
  await until('the first run', within(20_000), () => runsOf(name) === 1)
  if (state === 'running, with its reader') return { heard }
  abort.abort()
  await heard.catch(() => undefined)
  if (state === 'cancelled' || !hasId) {
    await until('its cancel', within(20_000), () => endedAt(service, name) !== -1)
  } else if (state.startsWith('finished')) {
    const before = await runsEnded(service)
    open(name)
    await until('its end', within(20_000), async () => (await runsEnded(service)) > before)
  }
  return { heard: undefined }
}

/** A whole reply that has been written and that nobody reads. */
async function leftUnread(service: Service, one: Case): Promise<void> {
  const { api, name } = one
  const { messages } = bodyOf(one)
  const asked =
    api === 'responses'
      ? { input: messages, max_output_tokens: MOST }
      : { messages, max_tokens: MOST }
  const body = { model: 'auto', stream: false, ...asked }
  const { socket } = await postRaw(service.url, PATHS[api], body)
  await until('the first run', within(20_000), () => runsOf(name) === 1)
  const before = await runsEnded(service)
  open(name)
  await until('its end', within(20_000), async () => (await runsEnded(service)) > before)
  socket.destroy()
}

async function runsEnded(service: Service): Promise<number> {
  const text = await service.metrics()
  const counts = [...text.matchAll(/^cursor_adapter_runs_total\{.*\} (\d+)$/gm)]
  return counts.reduce((sum, [, count]) => sum + Number(count), 0)
}

async function check(service: Service, one: Case): Promise<void> {
  const { api, secondStreams, name, saysRetry, state } = one
  const outcome = outcomeOf(one)
  const { heard: first } = await firstOf(service, one)
  const headers = {
    ...headersOf(one),
    ...(saysRetry ? { 'x-stainless-retry-count': '1' } : {}),
  }
  const before = await joins(service)
  const asking = send(service, { api, stream: secondStreams }, bodyOf(one), { headers })
  if (state.startsWith('running') || state === 'cancelled') {
    // One that runs on its own is seen to start while the first still waits; one that joins has no other sign.
    if (outcome !== 'joined') await until('its run', within(20_000), () => runsOf(name) === 2)
    else await until('it to join', within(20_000), async () => (await joins(service)) > before)
    open(name)
  }
  const second = await asking
  expect(runsOf(name)).toBe(outcome === 'own' || outcome === 'after' ? 2 : 1)
  if (state === 'failed before work') {
    expect(second).toMatchObject({ status: 500, text: '' })
  } else if (outcome === 'fails again' || outcome === 'lost') {
    expect(second.status).toBe(api === 'messages' ? 500 : 400)
    expect(second.headers.get('x-should-retry')).toBe('false')
    expect(String(second.error?.message)).toMatch(outcome === 'lost' ? /too large/ : /no idea/)
  } else {
    expect(second).toMatchObject({ status: 200, error: undefined })
    expect(second.text).toMatch(/the end$/)
    const start = second.headers.get('x-cursor-adapter-start')
    if (outcome === 'joined' || outcome === 'replayed') expect(start).toBe(outcome)
    else expect(start).toMatch(/^(?:warm|cold)$/)
  }
  if (first !== undefined) expect(await first).toMatchObject({ status: 200 })
  if (outcome === 'joined' && first !== undefined) expect((await first).text).toBe(second.text)
}

async function joins(service: Service): Promise<number> {
  return (await service.metric('cursor_adapter_retries_total{how="joined"}')) ?? 0
}

/** Those in which one look at the service's figures tells what is going on. */
const isAlone = ({ state }: Case): boolean => /^(?:running|finished, not)/.test(state)

describe('an equal request', () => {
  let service: Service
  let strict: Service
  beforeAll(async () => {
    const settings = { concurrency: 6, 'pool.exit_grace': 5 }
    service = await startService({ script, settings: { ...settings, 'retries.grace': 30 } })
    strict = await startService({ script, settings: { ...settings, 'retries.grace': 0.05 } })
  })
  afterAll(async () => {
    await service.stop()
    await strict.stop()
  })

  const rows = (isChosen: (one: Case) => boolean) =>
    CASES.filter(isChosen).map((one) => ({ ...one, outcome: outcomeOf(one) }))
  const TITLE =
    'F54: $state: $outcome ($api, streams $firstStreams then $secondStreams, id $hasId, retry $saysRetry)'

  test.concurrent.each(rows((one) => !isAlone(one)))(TITLE, async (one) => {
    await check(one.state === 'cancelled' ? strict : service, one)
  })
  // They also share what may be kept of all replies.
  test.each(rows(isAlone))(TITLE, async (one) => {
    await check(service, one)
  })

  test.each(SLOW)(
    'F54: what comes again after the grace starts when the old agent is gone (stream $stream)',
    async ({ stream, name }) => {
      const abort = new AbortController()
      const body = { messages: [{ role: 'user', content: name }] }
      const headers = { 'x-session-id': name }
      const way = { api: 'messages', stream } as const
      const cut = send(strict, way, body, { headers, signal: abort.signal })
      await until('the first run', within(20_000), () => runsOf(name) === 1)
      const pid = promptFacts(strict).find(({ text }) => text === name)?.pid ?? 0
      abort.abort()
      await expect(cut).rejects.toThrow()
      await until('its cancel', within(20_000), () => endedAt(strict, name) !== -1)
      const again = send(strict, way, body, { headers })
      await until('a second run', within(20_000), () => runsOf(name) === 2)
      expect(isAlive(pid)).toBe(false)
      expect(await again).toMatchObject({ status: 200, text: 'the end' })
      expect(runsOf(name)).toBe(2)
    },
  )
})
