// JSON-RPC over stdio as ACP mode speaks it: one object a line in, one a line out, two id spaces. Knows no methods.
import { isObject, type JsonObject, parseJson, stringAt } from '../lib/json.ts'
import { write } from './pipes.ts'

export type Id = string | number

export interface Call {
  readonly method: string
  readonly params: JsonObject
  /** Undefined for a notification. */
  readonly id: Id | undefined
}

/** An answer that is an error; thrown by methods, sent by the loop. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

/** What a method gives. */
export interface Answered {
  readonly answer: JsonObject
  /** What follows the answer. */
  readonly after?: () => Promise<void> | undefined
}

export type Reply =
  | { readonly at: 'result'; readonly result: unknown }
  | { readonly at: 'error'; readonly error: unknown }

// Source: probes of 2026.08.11: the agent numbers its own requests from 0, overlapping the client's ids.
let nextId = 0
const waiting = new Map<Id, (reply: Reply) => void>()

const send = (message: JsonObject): Promise<void> | undefined =>
  write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

export const answer = (id: Id, result: unknown): Promise<void> | undefined => send({ id, result })

export function refuse(id: Id, error: RpcError): Promise<void> | undefined {
  const { code, message, data } = error
  return send({ id, error: { code, message, ...(data === undefined ? {} : { data }) } })
}

export const notify = (method: string, params: unknown): Promise<void> | undefined =>
  send({ method, params })

/** Sends a request of the agent's own; resolves with the client's answer, never without one. */
export async function ask(method: string, params: unknown): Promise<Reply> {
  const id = nextId
  nextId += 1
  const reply = new Promise<Reply>((resolve) => waiting.set(id, resolve))
  await send({ id, method, params })
  return reply
}

/** The call a line makes; answers to our own requests are taken out. Undefined for everything else. */
export function readLine(line: string): Call | undefined {
  const message = parseJson(line)
  // Source: probes of 2026.08.11: malformed lines are ignored without an answer.
  if (!isObject(message)) return undefined
  const { id, params } = message
  const known = typeof id === 'string' || typeof id === 'number' ? id : undefined
  const method = stringAt(message, 'method')
  if (method !== undefined) return { method, params: isObject(params) ? params : {}, id: known }
  if (known === undefined) return undefined
  waiting.get(known)?.(
    'error' in message
      ? { at: 'error', error: message.error }
      : { at: 'result', result: message.result },
  )
  waiting.delete(known)
  return undefined
}
