// One question to the running service over HTTP, and what a client makes of the reply, whichever API and form it took.
import {
  arrayAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../src/lib/json.ts'
import { dataOf, joinChat, joinMessages } from '../contract/reassemble.ts'
import type { Service } from './service.ts'
import { framesOf, type Piece, type TimedFrame } from './sse.ts'

export type Api = 'chat' | 'messages'

export interface Way {
  readonly api: Api
  readonly stream: boolean
}

export const APIS: readonly Api[] = ['chat', 'messages']
/** Both endpoints, streamed and not. */
export const WAYS: readonly Way[] = APIS.flatMap((api) => [
  { api, stream: true },
  { api, stream: false },
])
export const PATHS = { chat: '/v1/chat/completions', messages: '/v1/messages' } as const

export interface Heard {
  readonly status: number
  readonly headers: Headers
  /** `performance.now()` at sending. */
  readonly sentAtMs: number
  /** Milliseconds from sending to the reply's headers. */
  readonly headMs: number
  readonly pieces: readonly Piece[]
  readonly raw: string
  /** Empty for a reply that is not a stream. */
  readonly frames: readonly TimedFrame[]
  /** The whole reply; a finished stream joined as the official clients do it. Empty after a failure. */
  readonly reply: JsonObject
  /** All text of the answer, also what came before a failure. */
  readonly text: string
  readonly thinking: string
  /** `stop_reason` or `finish_reason`; undefined after a failure. */
  readonly finish: string | undefined
  /** Ids of the calls that the client is to run, or was shown. */
  readonly callIds: readonly string[]
  /** The `error` object: of the body, or of the stream's last frame. */
  readonly error: JsonObject | undefined
}

let asked = 0

/** A text that no other request of this file has: equal requests may be taken for retries. */
export function unique(name: string): string {
  asked += 1
  // Padded: no question is the beginning of another.
  return `${name} #${String(asked).padStart(5, '0')}`
}

/** A user's single question; `more` goes into the body. The prompt the agent gets is the question itself. */
export function ask(
  service: Service,
  way: Way,
  question: string,
  more: object = {},
): Promise<Heard> {
  return send(service, way, { messages: [{ role: 'user', content: question }], ...more })
}

/** Any body; model, stream and max_tokens are filled in. */
export async function send(
  service: Service,
  way: Way,
  body: object,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<Heard> {
  const sentAtMs = performance.now()
  const filled = { model: 'auto', max_tokens: 1000, stream: way.stream, ...body }
  const response = await service.post(PATHS[way.api], filled, init)
  const headMs = performance.now() - sentAtMs
  const pieces: Piece[] = []
  for await (const bytes of response.body ?? []) {
    pieces.push({ atMs: performance.now() - sentAtMs, bytes })
  }
  const raw = Buffer.concat(pieces.map(({ bytes }) => bytes)).toString('utf8')
  const { status, headers } = response
  const isStream = headers.get('content-type')?.startsWith('text/event-stream') === true
  const frames = isStream ? framesOf(pieces) : []
  const facts = { status, headers, sentAtMs, headMs, pieces, raw, frames }
  return { ...facts, ...(isStream ? fromFrames(way.api, frames) : fromBody(way.api, raw)) }
}

type Content = Pick<Heard, 'reply' | 'text' | 'thinking' | 'finish' | 'callIds' | 'error'>

function fromBody(api: Api, raw: string): Content {
  const body = parseJson(raw)
  if (!isObject(body)) throw new Error(`not a JSON object: ${raw}`)
  const error = objectAt(body, 'error')
  if (error === undefined) return contentOf(api, body)
  return { reply: {}, text: '', thinking: '', finish: undefined, callIds: [], error }
}

function fromFrames(api: Api, frames: readonly TimedFrame[]): Content {
  const last = frames.at(-1)
  const error =
    last === undefined || last.data === '[DONE]' ? undefined : objectAt(dataOf(last), 'error')
  if (error === undefined) {
    return contentOf(api, api === 'chat' ? joinChat(frames) : joinMessages(frames))
  }
  if (api === 'messages' && last?.event !== 'error')
    throw new Error('an error without its event line')
  return { ...brokenOff(api, frames.slice(0, -1)), error }
}

/** What had come before a failure. @throws when a normal end is among it. */
function brokenOff(api: Api, frames: readonly TimedFrame[]): Omit<Content, 'error'> {
  let text = ''
  let thinking = ''
  for (const frame of frames) {
    if (/"finish_reason":"|"stop_reason":"|\[DONE\]|message_stop/.test(frame.data)) {
      throw new Error(`a normal end before the failure: ${frame.data}`)
    }
    const data = dataOf(frame)
    const [choice] = arrayAt(data, 'choices') ?? []
    const delta =
      api === 'chat' ? isObject(choice) && objectAt(choice, 'delta') : objectAt(data, 'delta')
    if (!isObject(delta)) continue
    text += stringAt(delta, api === 'chat' ? 'content' : 'text') ?? ''
    thinking += stringAt(delta, api === 'chat' ? 'reasoning_content' : 'thinking') ?? ''
  }
  return { reply: {}, text, thinking, finish: undefined, callIds: [] }
}

function contentOf(api: Api, reply: JsonObject): Content {
  return api === 'chat' ? chatContent(reply) : messageContent(reply)
}

function chatContent(reply: JsonObject): Content {
  const [choice] = arrayAt(reply, 'choices') ?? []
  const message = (isObject(choice) && objectAt(choice, 'message')) || {}
  return {
    reply,
    text: stringAt(message, 'content') ?? '',
    thinking: stringAt(message, 'reasoning_content') ?? '',
    finish: isObject(choice) ? stringAt(choice, 'finish_reason') : undefined,
    callIds: (arrayAt(message, 'tool_calls') ?? []).flatMap((call) => idOf(call, 'id')),
    error: undefined,
  }
}

function messageContent(reply: JsonObject): Content {
  const blocks = (arrayAt(reply, 'content') ?? []).filter(isObject)
  const joined = (type: string, field: string): string =>
    blocks
      .filter((block) => block.type === type)
      .map((block) => stringAt(block, field) ?? '')
      .join('')
  return {
    reply,
    text: joined('text', 'text'),
    thinking: joined('thinking', 'thinking'),
    finish: stringAt(reply, 'stop_reason'),
    callIds: blocks.flatMap((block) => [...idOf(block, 'id'), ...idOf(block, 'tool_use_id')]),
    error: undefined,
  }
}

function idOf(value: unknown, key: string): readonly string[] {
  const id = isObject(value) ? stringAt(value, key) : undefined
  return id === undefined ? [] : [id]
}

/** Half of a surrogate pair as JSON spells it: many clients cannot put the halves together again. */
export const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i

export const NORMAL_END = { chat: 'stop', messages: 'end_turn' } as const

/** The error object as that API documents it. @throws when it has another shape. */
export function errorType(api: Api, heard: Heard): string {
  const { error, raw } = heard
  const type = error && stringAt(error, 'type')
  if (error === undefined || type === undefined) throw new Error(`no error object in ${raw}`)
  if (typeof error.message !== 'string' || error.message === '')
    throw new Error(`no message: ${raw}`)
  if (api === 'chat' && !('code' in error && 'param' in error)) throw new Error(`no code: ${raw}`)
  if (api === 'messages' && !raw.includes('"type":"error"')) throw new Error(`no envelope: ${raw}`)
  return type
}
