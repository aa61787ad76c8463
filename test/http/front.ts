// The front end under test: real protocols, a real socket, and an Answerer that does what the test says.
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { Answer, Answerer, RequestFacts } from '../../src/core/answer.ts'
import type { AgentEvent, Batch } from '../../src/core/events.ts'
import { sessionId } from '../../src/core/ids.ts'
import { type LogFields, silentTelemetry, type Telemetry } from '../../src/core/telemetry.ts'
import type { Turn } from '../../src/core/turn.ts'
import { createApp } from '../../src/http/app.ts'
import { listen } from '../../src/http/server.ts'
import type { HttpServices } from '../../src/http/services.ts'
import { monotonicMs } from '../../src/lib/clock.ts'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { responsesProtocol } from '../../src/protocols/openai-responses/responses.ts'
import { createKeptReplies, KEPT_REPLIES } from '../../src/service/kept-replies.ts'

export const text = (value: string): AgentEvent => ({ type: 'text-delta', text: value })
export const STARTED: AgentEvent = { type: 'started', chatId: 'c1', model: 'Composer' }
export const FINISH: AgentEvent = {
  type: 'finish',
  reason: 'stop',
  cursorUsage: undefined,
  usage: { input: 5, output: 2, cacheRead: 0, cacheWrite: 0 },
}

/** An answer whose batches the test hands in one by one. */
export class ScriptedAnswer implements Answer {
  readonly mode = 'agent'
  readonly backend = 'print'
  readonly model = 'composer-2'
  readonly session = sessionId('s-1')
  readonly inputTokens = 5
  /** Arguments of every `release` call. */
  readonly released: boolean[] = []
  /** How often the front end asked for events. */
  pulled = 0
  readonly #batches: Batch[] = []
  #waiting: ((batch: Batch | undefined) => void) | undefined

  start = () => 'warm' as const
  marks = () => ({
    queueMs: 1.234,
    launchMs: 0,
    dispatchMs: 2,
    agentMs: 3.5,
    start: 'warm' as const,
  })

  batch(...events: AgentEvent[]): this {
    const batch = { events, readAtMs: monotonicMs() }
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting === undefined) this.#batches.push(batch)
    else waiting(batch)
    return this
  }

  next(): Promise<Batch | undefined> {
    this.pulled += 1
    const batch = this.#batches.shift()
    if (batch !== undefined) return Promise.resolve(batch)
    return new Promise((resolve) => {
      this.#waiting = resolve
    })
  }

  release(delivered: boolean): void {
    this.released.push(delivered)
  }
}

export interface Seen {
  readonly turns: Turn[]
  readonly facts: RequestFacts[]
  readonly logs: { level: string; message: string; fields: LogFields }[]
  readonly requests: [route: string, status: number][]
  readonly overheads: string[]
  readonly firstTokens: { api: string; backend: string; start: string; seconds: number }[]
}

export interface Front {
  readonly seen: Seen
  readonly app: ReturnType<typeof createApp>
  readonly services: HttpServices
}

type Answering = Answer | ((turn: Turn) => Promise<Answer>)

export function makeFront(answering: Answering, over: Partial<HttpServices> = {}): Front {
  const seen: Seen = {
    turns: [],
    facts: [],
    logs: [],
    requests: [],
    overheads: [],
    firstTokens: [],
  }
  const log =
    (level: string) =>
    (message: string, fields: LogFields = {}) => {
      seen.logs.push({ level, message, fields })
    }
  const telemetry: Telemetry = {
    ...silentTelemetry,
    httpRequest: (route, status) => seen.requests.push([route, status]),
    overhead: (phase) => seen.overheads.push(phase),
    firstToken: (labels, seconds) => seen.firstTokens.push({ ...labels, seconds }),
  }
  const answerer: Answerer = {
    answer: async (turn, facts) => {
      seen.turns.push(turn)
      seen.facts.push(facts)
      return typeof answering === 'function' ? await answering(turn) : answering
    },
    countTokens: async () => 42,
  }
  const services: HttpServices = {
    answerer,
    protocols: { chat: chatProtocol, responses: responsesProtocol, messages: messagesProtocol },
    keptReplies: createKeptReplies(KEPT_REPLIES),
    models: async () => [
      { id: 'composer-2', label: 'Composer 2', contextWindow: 200_000, createdS: 1_700_000_000 },
      { id: 'a/b[fast]', label: 'Odd id', createdS: 0 },
    ],
    health: async () => ({ available: true }),
    details: async () => ({ backend: 'print' }),
    metrics: { render: async () => 'up 1\n', contentType: 'text/plain; version=0.0.4' },
    telemetry,
    logger: {
      debug: log('debug'),
      info: log('info'),
      warn: log('warn'),
      error: log('error'),
    },
    guard: { apiKey: undefined, allowedHosts: [], bodyLimitBytes: 1_048_576, host: '127.0.0.1' },
    timing: { keepAliveMs: 15_000, slowReaderMs: 10_000 },
    showTools: true,
    now: () => 1_764_000_000_000,
    ...over,
  }
  return { seen, services, app: createApp(services) }
}

export interface Served extends Front {
  readonly url: string
  readonly port: number
}

/** The same on a real socket; stopped when the test ends. */
export async function serveFront(
  answering: Answering,
  over: Partial<HttpServices> = {},
): Promise<Served> {
  const front = makeFront(answering, over)
  const listening = await listen(front.app, { host: '127.0.0.1', port: 0 })
  onTestFinished(() => listening.stop(0))
  return { ...front, url: listening.url, port: listening.port }
}

export const CHAT = { model: 'composer-2', messages: [{ role: 'user', content: 'hi' }] }
export const MESSAGES = { ...CHAT, max_tokens: 100 }

export function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

/** A client without an HTTP library: sees the bytes and when they come. */
export class RawClient {
  readonly socket: Socket
  text = ''
  /** The last few characters of `text`: cheap to look at while megabytes come in. */
  tail = ''
  closed = false

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.setEncoding('latin1')
    this.socket.on('data', (data) => {
      this.text += String(data)
      this.tail = (this.tail + String(data)).slice(-16)
    })
    this.socket.on('close', () => {
      this.closed = true
    })
    this.socket.on('error', () => undefined)
    onTestFinished(() => void this.socket.destroy())
  }

  send(path: string, body: unknown): void {
    const json = JSON.stringify(body)
    this.socket.write(
      `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`,
    )
  }
}
