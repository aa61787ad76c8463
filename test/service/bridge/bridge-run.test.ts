// One run over several replies: order of words and calls, and every way a call may end. The run is a script, the calls are ours.
import { beforeEach, expect, test } from 'vitest'
import type {
  ClientToolCall,
  ClientToolResult,
  ClientTools,
} from '../../../src/core/client-tools.ts'
import type { AgentEvent, Batch } from '../../../src/core/events.ts'
import { callId, runId } from '../../../src/core/ids.ts'
import type { CancelCause, Run } from '../../../src/core/run.ts'
import { monotonicMs } from '../../../src/lib/clock.ts'
import { BridgeRun } from '../../../src/service/bridge/bridge-run.ts'
import type { Leg, LegWish } from '../../../src/service/bridge/leg.ts'
import { until } from '../../support/until.ts'

/** A run whose events the test pushes. */
class Scripted implements Run {
  readonly id = runId('run')
  readonly backend = 'acp'
  readonly causes: CancelCause[] = []
  readonly settled: Promise<void>
  reads = 0
  isOver = false
  #held: Batch[] = []
  #waiter: ((batch: Batch | undefined) => void) | undefined
  #settle: () => void = () => undefined

  constructor() {
    this.settled = new Promise((resolve) => {
      this.#settle = resolve
    })
  }

  push(...events: readonly AgentEvent[]): void {
    const batch = { events, readAtMs: monotonicMs() }
    const waiter = this.#waiter
    this.#waiter = undefined
    if (waiter === undefined) this.#held.push(batch)
    else waiter(batch)
  }

  next(): Promise<Batch | undefined> {
    this.reads += 1
    const first = this.#held.shift()
    if (first !== undefined) return Promise.resolve(first)
    if (this.isOver) return Promise.resolve(undefined)
    return new Promise((resolve) => {
      this.#waiter = resolve
    })
  }

  end(): void {
    this.isOver = true
    this.#settle()
  }

  cancel(cause: CancelCause): void {
    if (this.isOver) return
    this.causes.push(cause)
    this.push({ type: 'failure', code: 'cancelled', message: cause })
    this.end()
  }

  marks() {
    const none = undefined
    return { queueMs: none, launchMs: none, dispatchMs: none, agentMs: none, start: none }
  }

  watchToolToken(told: (token: string) => void): void {
    told('token')
  }

  park(): boolean {
    return !this.isOver
  }

  unpark(): Promise<boolean> {
    return Promise.resolve(!this.isOver)
  }
}

const WISH: LegWish = { oneAtATime: false, toolChoice: { kind: 'auto' } }
let run: Scripted
let bridge: BridgeRun
let arrive: (call: ClientToolCall) => void
let made = 0

beforeEach(() => {
  run = new Scripted()
  made = 0
  const tools: ClientTools = {
    open: () => undefined,
    close: () => undefined,
    offer: () => undefined,
    listen: (_token, onCall) => {
      if (onCall !== undefined) arrive = onCall
    },
    contact: () => 'listed',
    isUpToDate: () => true,
  }
  bridge = new BridgeRun(run, {
    tools,
    groupMs: 40,
    orderMs: 100,
    newCallId: () => {
      made += 1
      return callId(`id-${made}`)
    },
    correct: () => undefined,
    judge: () => undefined,
    again: () => run,
    forget: () => undefined,
  })
})

interface Arrived {
  readonly call: ClientToolCall
  readonly answers: ClientToolResult[]
  readonly giveUp: () => void
}

function call(name: string): Arrived {
  const answers: ClientToolResult[] = []
  const control = new AbortController()
  const made: ClientToolCall = {
    id: name,
    name,
    arguments: { of: name },
    arrivedAtMs: monotonicMs(),
    signal: control.signal,
    answer: (result) => {
      if (control.signal.aborted || answers.length > 0) return false
      answers.push(result)
      return true
    },
  }
  arrive(made)
  return { call: made, answers, giveUp: () => control.abort() }
}

const text = (words: string): AgentEvent => ({ type: 'text-delta', text: words })
const mark = (name: string): AgentEvent => ({
  type: 'tool-start',
  callId: callId(`mark-${name}`),
  kind: 'mcp',
  host: 'client',
  name,
  input: { of: name },
  title: '',
})
const ended = (name: string): AgentEvent => ({
  type: 'tool-end',
  callId: callId(`mark-${name}`),
  isError: false,
  outcome: 'success',
  summary: '',
  durationMs: 1,
})
const FINISH: AgentEvent = { type: 'finish', reason: 'stop', cursorUsage: undefined }
const result = (words: string): ClientToolResult => ({
  isError: false,
  content: [{ type: 'text', text: words }],
})

async function read(leg: Leg): Promise<string[]> {
  const seen: string[] = []
  for (let batch = await leg.next(); batch !== undefined; batch = await leg.next()) {
    for (const event of batch.events) {
      if (event.type === 'text-delta') seen.push(event.text)
      else if (event.type === 'tool-start') seen.push(`${event.name} ${event.callId}`)
      else if (event.type === 'finish') seen.push(event.reason)
      else if (event.type === 'failure') seen.push(event.code)
      else seen.push(event.type)
    }
  }
  return seen
}

async function goOn(results: Readonly<Record<string, string>>, wish = WISH): Promise<Leg> {
  const entries = Object.entries(results).map(([id, words]) => [id, result(words)] as const)
  const leg = await bridge.goOn(new Map(entries), wish)
  if (leg === undefined) throw new Error('it did not go on')
  return leg
}

test('words before a call come before it, words after it wait for the next reply', async () => {
  const first = bridge.begin(WISH)
  run.push(text('before '), mark('Read'))
  const { answers } = call('Read')
  run.push(text('after '))
  expect(await read(first)).toEqual(['before ', 'Read id-1', 'tool-calls'])
  const second = await goOn({ 'id-1': 'x' })
  expect(answers).toEqual([result('x')])
  run.push(ended('Read'), text('end'), FINISH)
  expect(await read(second)).toEqual(['after ', 'end', 'stop'])
})

test('a call that comes before anybody reads the reply is not lost', async () => {
  run.push(mark('Read'))
  call('Read')
  expect(await read(bridge.begin(WISH))).toEqual(['Read id-1', 'tool-calls'])
})

test('a call without a mark goes out a little later, after the words that came first', async () => {
  const leg = bridge.begin(WISH)
  call('Read')
  run.push(text('words'))
  expect(await read(leg)).toEqual(['words', 'Read id-1', 'tool-calls'])
})

test('calls of one step go out together, a later one in the next reply', async () => {
  const first = bridge.begin(WISH)
  run.push(mark('A'), mark('B'))
  for (const name of ['B', 'A']) call(name)
  expect(await read(first)).toEqual(['A id-1', 'B id-2', 'tool-calls'])
  run.push(mark('C'))
  call('C')
  const second = await goOn({ 'id-2': 'b', 'id-1': 'a' })
  expect(await read(second)).toEqual(['C id-3', 'tool-calls'])
})

test('one read is outstanding at most, and it serves the next reply', async () => {
  const first = bridge.begin(WISH)
  run.push(mark('Read'))
  const reading = read(first)
  call('Read')
  await reading
  const readsBefore = run.reads
  const second = await goOn({ 'id-1': 'x' })
  const secondRead = read(second)
  run.push(text('on '), FINISH)
  expect(await secondRead).toEqual(['on ', 'stop'])
  expect(run.reads - readsBefore).toBeLessThanOrEqual(1)
})

test('what Cursor gives up before it went out does not go out', async () => {
  const leg = bridge.begin(WISH)
  const { giveUp } = call('Read')
  giveUp()
  run.push(text('never mind'), FINISH)
  expect(await read(leg)).toEqual(['never mind', 'stop'])
  expect(made).toBe(0)
})

test('what Cursor gives up while the client works ends the run', async () => {
  run.push(mark('Read'))
  const { giveUp } = call('Read')
  await read(bridge.begin(WISH))
  giveUp()
  await bridge.settled
  expect(run.causes).toEqual(['given-up'])
  expect(await bridge.goOn(new Map([['id-1', result('x')]]), WISH)).toBeUndefined()
})

test('a refused call, whose mark ends without it, holds nothing up', async () => {
  const leg = bridge.begin(WISH)
  run.push(mark('Read'), ended('Read'), text('I may not.'), FINISH)
  expect(await read(leg)).toEqual(['I may not.', 'stop'])
})

test('a run that ends while it waits cannot go on, and says when it is over', async () => {
  run.push(mark('Read'))
  call('Read')
  await read(bridge.begin(WISH))
  run.push({ type: 'failure', code: 'agent-failed', message: 'killed' })
  run.end()
  await bridge.settled
  expect(await bridge.goOn(new Map([['id-1', result('x')]]), WISH)).toBeUndefined()
})

test('a result that nobody takes any more ends the run', async () => {
  run.push(mark('Read'))
  const { answers } = call('Read')
  await read(bridge.begin(WISH))
  answers.push(result('somebody else was first'))
  expect(await bridge.goOn(new Map([['id-1', result('x')]]), WISH)).toBeUndefined()
  expect(run.causes).toEqual(['given-up'])
})

test('cancelling a reply that is over ends the run only while no later reply goes on with it', async () => {
  const first = bridge.begin(WISH)
  run.push(mark('Read'))
  call('Read')
  await read(first)
  const second = await goOn({ 'id-1': 'x' })
  first.cancel('client-gone')
  expect(run.causes).toEqual([])
  second.cancel('client-gone')
  expect(run.causes).toEqual(['client-gone'])
  expect((await read(second)).at(-1)).toBe('cancelled')
})

test('a reply with calls is settled at once, the whole run when it is over', async () => {
  const first = bridge.begin(WISH)
  run.push(mark('Read'))
  call('Read')
  await read(first)
  await first.settled
  let isSettled = false
  void bridge.settled.then(() => {
    isSettled = true
  })
  const second = await goOn({ 'id-1': 'x' })
  run.push(FINISH)
  await read(second)
  expect(isSettled).toBe(false)
  run.end()
  await until('the run to be settled', 1_000, () => isSettled)
})
