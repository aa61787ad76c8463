// The client of the service under measurement, in a process of its own.
import { setTimeout as delay } from 'node:timers/promises'
import { arrayAt, isObject, type JsonObject, numberAt, stringAt } from '../../../src/lib/json.ts'
import { type Measured, serveTasks } from '../helper.ts'
import { stampReader } from './stamps.ts'
import { CHAT, chatBody, exchange, FIRST_TEXT, nowMs } from './wire.ts'

interface Timed {
  /** By the monotonic clock. */
  readonly sentAtMs: number
  readonly firstMs: number
  readonly totalMs: number
  readonly isWarm: boolean
}

const url = (task: JsonObject): string => stringAt(task, 'url') ?? ''
const amount = (task: JsonObject, key: string): number => numberAt(task, key) ?? 1

function work(task: JsonObject): Promise<Measured> {
  switch (stringAt(task, 'do') ?? '') {
    case 'ask':
      return ask(url(task), amount(task, 'inFlight'))
    case 'relay':
      return relay(url(task), amount(task, 'streams'))
    case 'burst':
      return burst(url(task), stringAt(task, 'question') ?? '')
    case 'load':
      return load(url(task), amount(task, 'clients'), amount(task, 'requests'))
    case 'count':
      return count(url(task), amount(task, 'requests'), amount(task, 'bytes'))
    case 'talk':
      return talk(url(task), amount(task, 'rounds'), amount(task, 'bytes'))
    case 'idle':
      return idle(url(task), amount(task, 'conversations'))
    case 'slow':
      return slow(task)
    case 'leave':
      return leave(url(task), stringAt(task, 'conversation'))
    default:
      throw new Error(`no such task: ${JSON.stringify(task)}`)
  }
}

/** So many requests at once; `endedAt` is wall time. */
async function ask(to: string, inFlight: number): Promise<Measured> {
  const timed = await Promise.all(Array.from({ length: inFlight }, () => one(to)))
  return {
    firstMs: timed.map(({ firstMs }) => firstMs),
    totalMs: timed.map(({ totalMs }) => totalMs),
    warm: timed.map(({ isWarm }) => (isWarm ? 1 : 0)),
    endedAt: [Date.now()],
  }
}

async function one(to: string): Promise<Timed> {
  let firstMs = Number.NaN
  let said = ''
  const sent = { url: to, path: CHAT, body: chatBody('short') }
  const startMs = nowMs()
  await exchange(sent, {
    onData(chunk, atMs) {
      if (Number.isNaN(firstMs) && chunk.includes(FIRST_TEXT)) firstMs = atMs - startMs
      said += chunk.toString('latin1')
    },
  })
  if (Number.isNaN(firstMs) || !said.includes('[DONE]')) throw new Error(`no answer: ${said}`)
  const isWarm = said.includes('x-cursor-adapter-start: warm')
  return { sentAtMs: startMs, firstMs, totalMs: nowMs() - startMs, isWarm }
}

async function relay(to: string, streams: number): Promise<Measured> {
  const readers = Array.from({ length: streams }, stampReader)
  const open = readers.map((reader) =>
    exchange(
      { url: to, path: CHAT, body: chatBody('stamps') },
      { onData: (chunk, atMs) => reader.push(chunk, atMs) },
    ),
  )
  await Promise.all(open)
  return { lateMs: readers.flatMap(({ lateMs }) => lateMs) }
}

/** From the first text's bytes to the last byte. */
async function burst(to: string, question: string): Promise<Measured> {
  let firstAtMs = Number.NaN
  let lastAtMs = 0
  let bytes = 0
  let tail: Buffer = Buffer.alloc(0)
  const onData = (chunk: Buffer, atMs: number): void => {
    if (Number.isNaN(firstAtMs) && chunk.includes('data: ')) firstAtMs = atMs
    bytes += chunk.length
    lastAtMs = atMs
    tail = chunk
  }
  await exchange({ url: to, path: CHAT, body: chatBody(question) }, { onData })
  if (!tail.includes('[DONE]')) throw new Error(`the burst broke off: ${tail.toString('latin1')}`)
  return { ms: [lastAtMs - firstAtMs], bytes: [bytes] }
}

/** Long enough for a finished run to give its session back. */
const BETWEEN_MS = 250

/** A conversation of so many rounds, the first message of so many bytes. */
async function talk(to: string, rounds: number, bytes: number): Promise<Measured> {
  const messages: { role: string; content: string }[] = []
  const firstMs: number[] = []
  const totalMs: number[] = []
  const goneOn: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const fill = round === 1 ? 'x'.repeat(Math.max(0, bytes - 40)) : ''
    const asked: unknown = JSON.parse(chatBody('short'))
    const [question] = isObject(asked) ? (arrayAt(asked, 'messages') ?? []) : []
    const words = (isObject(question) && stringAt(question, 'content')) || ''
    messages.push({ role: 'user', content: `${words} ${fill}` })
    const body = JSON.stringify({ model: 'auto', stream: true, messages })
    const startMs = nowMs()
    let first = Number.NaN
    let said = ''
    const onData = (chunk: Buffer, atMs: number): void => {
      if (Number.isNaN(first) && chunk.includes(FIRST_TEXT)) first = atMs - startMs
      said += chunk.toString('latin1')
    }
    await exchange({ url: to, path: CHAT, body }, { onData })
    if (!said.includes('[DONE]')) throw new Error(`no answer: ${said}`)
    firstMs.push(first)
    totalMs.push(nowMs() - startMs)
    goneOn.push(/x-cursor-adapter-start: resumed/.test(said) ? 1 : 0)
    const texts = [...said.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)]
    messages.push({
      role: 'assistant',
      content: texts.map(([, text = '""']) => String(JSON.parse(text))).join(''),
    })
    await delay(BETWEEN_MS)
  }
  return { firstMs, totalMs, goneOn }
}

/** Conversations of one turn each, which all could go on. */
async function idle(to: string, conversations: number): Promise<Measured> {
  for (let one = 0; one < conversations; one += 1) await ask(to, 1)
  return {}
}

/** So many clients that ask one after the other until all requests are answered, the answers in the order of their ends. */
async function load(to: string, clients: number, requests: number): Promise<Measured> {
  let left = requests
  const timed: Timed[] = []
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      timed.push(await one(to))
    }
  }
  const startMs = nowMs()
  await Promise.all(Array.from({ length: clients }, client))
  return {
    ms: [nowMs() - startMs],
    sentAtMs: timed.map(({ sentAtMs }) => sentAtMs),
    firstMs: timed.map(({ firstMs }) => firstMs),
  }
}

/** All at once. */
async function count(to: string, requests: number, bytes: number): Promise<Measured> {
  const words = 'The quick brown fox jumps over the lazy dog, again and again. '
  const text = words.repeat(Math.ceil(bytes / words.length))
  const path = '/v1/messages/count_tokens'
  const tookMs: number[] = []
  const send = async (index: number): Promise<void> => {
    const messages = [{ role: 'user', content: `${index} ${text}` }]
    const body = JSON.stringify({ model: 'auto', messages })
    const startMs = nowMs()
    let said = ''
    const onData = (chunk: Buffer): void => {
      said += chunk.toString('latin1')
    }
    await exchange({ url: to, path, body }, { onData })
    if (!said.includes('"input_tokens"')) throw new Error(`no count: ${said}`)
    tookMs.push(nowMs() - startMs)
  }
  await Promise.all(Array.from({ length: requests }, (_, index) => send(index)))
  return { tookMs }
}

/** Readers that take little at a time, leave after `forMs`. */
async function slow(task: JsonObject): Promise<Measured> {
  const endMs = nowMs() + amount(task, 'forMs')
  const taken: number[] = []
  const reader = async (): Promise<void> => {
    let bytes = 0
    await exchange(
      { url: url(task), path: CHAT, body: chatBody('large') },
      {
        onData(chunk, atMs, socket) {
          bytes += chunk.length
          if (atMs > endMs) socket.destroy()
          socket.pause()
          setTimeout(() => socket.resume(), amount(task, 'pauseMs'))
        },
      },
    )
    taken.push(bytes)
  }
  await Promise.all(Array.from({ length: amount(task, 'readers') }, reader))
  return { bytes: taken }
}

/** Leaves in the middle of an answer; `leftAt` is monotonic. */
async function leave(to: string, conversation: string | undefined): Promise<Measured> {
  let leftAtMs = Number.NaN
  await exchange(
    {
      url: to,
      path: CHAT,
      body: chatBody('endless'),
      headers: conversation === undefined ? {} : { 'x-session-id': conversation },
    },
    {
      onData(chunk, _atMs, socket) {
        if (!Number.isNaN(leftAtMs) || !chunk.includes(FIRST_TEXT)) return
        leftAtMs = nowMs()
        socket.destroy()
      },
    },
  )
  await delay(0)
  return { leftAt: [leftAtMs] }
}

serveTasks(work)
