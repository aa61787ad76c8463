// Runs that wait for their client: found by the ids of their calls, resumed only on proof.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { profileKeyOf, sessionId } from '../../src/core/ids.ts'
import type { CancelCause } from '../../src/core/run.ts'
import type { Json, Message, ToolDefinition } from '../../src/core/turn.ts'
import {
  type Parkable,
  type ParkedAt,
  ParkedRuns,
  type Request,
} from '../../src/sessions/parked.ts'
import { digestReply, readTranscript } from '../../src/sessions/transcript.ts'

class Waiting implements Parkable {
  readonly causes: CancelCause[] = []
  readonly settled: Promise<void>
  end: () => void = () => undefined

  constructor() {
    this.settled = new Promise((resolve) => {
      this.end = resolve
    })
  }

  cancel(cause: CancelCause): void {
    this.causes.push(cause)
  }
}

const tool = (name: string, description = ''): ToolDefinition => ({
  name,
  description,
  parameters: { type: 'object' },
})
const QUESTION: Message = { role: 'user', parts: [{ type: 'text', text: 'what is in a.txt?' }] }
const asked = (id: string, input: Json = { path: 'a.txt' }): Message => ({
  role: 'assistant',
  parts: [
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', id, name: 'Read', arguments: input },
  ],
})
const answered = (callId: string): Message => ({
  role: 'user',
  parts: [{ type: 'tool-result', callId, isError: false, content: [{ type: 'text', text: 'x' }] }],
})
const WHOSE = {
  key: sessionId('one'),
  credential: 'c',
  profile: profileKeyOf('p'),
  tools: [tool('Read')],
}

function request(messages: readonly Message[], changes: Partial<Request> = {}): Request {
  return { ...WHOSE, messages, transcript: readTranscript(messages), ...changes }
}

let runs: ParkedRuns<Waiting>
let run: Waiting
beforeEach(() => {
  vi.useFakeTimers()
  runs = new ParkedRuns(1_000)
  run = park('call-1')
})
afterEach(() => {
  vi.useRealTimers()
})

function park(id: string, changes: Partial<ParkedAt> = {}): Waiting {
  const waiting = new Waiting()
  const reply = digestReply(readTranscript([QUESTION]).whole)
  reply.text('Let me look.')
  reply.call('Read', { path: 'a.txt', limit: 5 })
  const calls = new Map([[id, { path: 'a.txt', limit: 5 }]])
  runs.put({ ...WHOSE, ...changes, run: waiting, chain: reply.chain(), calls })
  return waiting
}

const GOOD = [QUESTION, asked('call-1', { limit: 5, path: 'a.txt' }), answered('call-1')]

test('the exact continuation gets the run, once', () => {
  expect(runs.match(request(GOOD), true)).toMatchObject({ at: 'resumed', parked: { run } })
  expect(runs.size).toBe(0)
  expect(runs.match(request(GOOD), true)).toEqual({ at: 'afresh', useless: [] })
})

test('also when the client has tidied up the arguments of the call that it sends back', () => {
  const tidied = [QUESTION, asked('call-1', { path: 'a.txt' }), answered('call-1')]
  expect(runs.match(request(tidied), true).at).toBe('resumed')
})

test('also when tools have come', () => {
  const tools = [tool('New'), tool('Read')]
  expect(runs.match(request(GOOD, { tools }), true).at).toBe('resumed')
})

const OTHER: Message = { role: 'user', parts: [{ type: 'text', text: 'something else' }] }
test.each([
  ['the history was changed', request([OTHER, ...GOOD.slice(1)])],
  ['the history was cut', request(GOOD.slice(1))],
  ['an earlier turn was put before', request([OTHER, asked('x'), ...GOOD])],
  ['the id is of another call', request([QUESTION, asked('other'), answered('other')])],
  ['the user wrote instead', request([QUESTION, asked('call-1'), OTHER])],
  ['the user wrote besides', request([...GOOD, OTHER])],
  ['the question is asked anew', request([QUESTION])],
  ['another model or mode', request(GOOD, { profile: profileKeyOf('q') })],
  ['a tool is gone', request(GOOD, { tools: [tool('Edit')] })],
  ['a tool has changed', request(GOOD, { tools: [tool('Read', 'differently')] })],
])('of no use any more: %s', (_name, changed) => {
  expect(runs.match(changed, true)).toEqual({ at: 'afresh', useless: [run] })
  expect(runs.size).toBe(0)
})

test('nobody else gets it, learns of it, or ends it', () => {
  const foreign = request(GOOD, { credential: 'other' })
  expect(runs.match(foreign, true)).toEqual({ at: 'afresh', useless: [] })
  expect(runs.waitingFor(GOOD, 'other')).toBeUndefined()
  expect(runs.match(request([OTHER], { key: sessionId('two') }), true)).toEqual({
    at: 'afresh',
    useless: [],
  })
  expect(runs.size).toBe(1)
})

test('a side request of the conversation leaves it alone', () => {
  expect(runs.match(request([...GOOD, OTHER]), false)).toEqual({ at: 'afresh', useless: [] })
  expect(runs.size).toBe(1)
})

test('two runs of one transcript are told apart by their ids', () => {
  const second = park('call-2', { key: sessionId('two') })
  const messages = [QUESTION, asked('call-2', { path: 'a.txt', limit: 5 }), answered('call-2')]
  const match = runs.match(request(messages, { key: sessionId('two') }), true)
  expect(match).toMatchObject({ at: 'resumed', parked: { run: second } })
  expect(runs.size).toBe(1)
})

test('without a conversation id the proof alone counts, and other runs are left alone', () => {
  const nameless = { ...WHOSE, key: undefined }
  const waiting = park('call-3', nameless)
  expect(runs.match(request([OTHER], nameless), true)).toEqual({ at: 'afresh', useless: [] })
  const messages = [QUESTION, asked('call-3', { path: 'a.txt', limit: 5 }), answered('call-3')]
  expect(runs.match(request(messages, nameless), true)).toMatchObject({ parked: { run: waiting } })
})

test('one that is forgotten is ended, one that ends is forgotten', async () => {
  vi.advanceTimersByTime(999)
  expect(run.causes).toEqual([])
  vi.advanceTimersByTime(1)
  expect(run.causes).toEqual(['forgotten'])
  run.end()
  await run.settled
  expect(runs.size).toBe(0)
  expect(runs.match(request(GOOD), true)).toEqual({ at: 'afresh', useless: [] })
})

test('one that goes on is not ended by the time limit of its wait', () => {
  runs.match(request(GOOD), true)
  vi.advanceTimersByTime(10_000)
  expect(run.causes).toEqual([])
})
