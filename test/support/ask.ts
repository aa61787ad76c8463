// One question to the running service over HTTP, and what a client makes of the reply, whichever API and form it took.
import { FAILURES } from '../../src/core/failure.ts'
import { type JsonObject, stringAt } from '../../src/lib/json.ts'
import { fromBody, fromFrames } from './heard.ts'
import type { Service } from './service.ts'
import { framesOf, type Piece, type TimedFrame } from './sse.ts'

export type Api = 'chat' | 'responses' | 'messages'

export interface Way {
  readonly api: Api
  readonly stream: boolean
}

export const APIS: readonly Api[] = ['chat', 'messages', 'responses']
/** All endpoints, streamed and not. */
export const WAYS: readonly Way[] = APIS.flatMap((api) => [
  { api, stream: true },
  { api, stream: false },
])
export const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const

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
  /** `stop_reason`, `finish_reason`, or `status`; undefined after a failure. */
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

/** Any body, with `messages`; model, stream and a large token limit are filled in. */
export async function send(
  service: Service,
  way: Way,
  body: object,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly signal?: AbortSignal } = {},
): Promise<Heard> {
  const sentAtMs = performance.now()
  const filled = { model: 'auto', max_tokens: 1_000_000, stream: way.stream, ...body }
  const response = await service.post(
    PATHS[way.api],
    way.api === 'responses' ? asItems(filled) : filled,
    init,
  )
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

/** Half of a surrogate pair as JSON spells it: many clients cannot put the halves together again. */
export const HALF_PAIR = /(?<!\\)(?:\\\\)*\\ud[89a-f]/i

export const NORMAL_END = { chat: 'stop', messages: 'end_turn', responses: 'completed' } as const

/** The same request with the field names of Responses. */
function asItems(body: Readonly<Record<string, unknown>>): object {
  const { messages, system, max_tokens: most, ...rest } = body
  return {
    ...(messages !== undefined && { input: messages }),
    ...(system !== undefined && { instructions: system }),
    ...(most !== undefined && { max_output_tokens: most }),
    ...rest,
  }
}

/** The error object as that API documents it. @throws when it has another shape. */
export function errorType(api: Api, heard: Heard): string {
  const { error, raw } = heard
  const type = error && (stringAt(error, 'type') ?? typeOfCode(stringAt(error, 'code')))
  if (error === undefined || type === undefined) throw new Error(`no error object in ${raw}`)
  if (typeof error.message !== 'string' || error.message === '')
    throw new Error(`no message: ${raw}`)
  if (api === 'responses' && !('code' in error)) throw new Error(`no code: ${raw}`)
  if (api === 'chat' && !('code' in error && 'param' in error)) throw new Error(`no code: ${raw}`)
  if (api === 'messages' && !raw.includes('"type":"error"')) throw new Error(`no envelope: ${raw}`)
  return type
}

/** A response that failed in its stream has a code only; the type that goes with it. */
function typeOfCode(code: string | undefined): string | undefined {
  return Object.values(FAILURES).find(({ openaiCode }) => openaiCode === code)?.openaiType
}
