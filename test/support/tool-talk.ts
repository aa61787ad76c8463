// A client that brings tools and runs them: keeps the whole conversation, as clients do, and sends it every time.

import type { Api } from '../../src/core/turn.ts'
import {
  arrayAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../src/lib/json.ts'
import { type Heard, send, type Way } from './ask.ts'
import type { Service } from './service.ts'

export interface Called {
  readonly id: string
  readonly name: string
  readonly input: JsonObject
}

export interface Turned extends Heard {
  readonly calls: readonly Called[]
  /** `x-cursor-adapter-start`. */
  readonly start: string
}

export interface Result {
  readonly id: string
  readonly text: string
  readonly isError?: boolean
}

export interface ToolTalkInit {
  readonly way: Way
  /** Names of its tools; each takes any object. */
  readonly tools: readonly string[]
  /** The client's conversation id. */
  readonly id?: string
  readonly system?: string
  readonly headers?: Readonly<Record<string, string>>
  /** Further fields of every request. */
  readonly body?: object
}

export class ToolTalk {
  readonly service: Service
  /** In the API's own form, oldest first; tests may change it. */
  messages: JsonObject[] = []
  tools: readonly string[]
  body: object
  readonly #init: ToolTalkInit

  constructor(service: Service, init: ToolTalkInit) {
    this.service = service
    this.#init = init
    this.tools = init.tools
    this.body = init.body ?? {}
  }

  /** The user says something. */
  say(text: string, signal?: AbortSignal): Promise<Turned> {
    return this.#exchange([{ role: 'user', content: text }], signal)
  }

  /** The client has run calls; `beside`: a text in the same user turn. */
  answer(
    results: readonly Result[],
    options: { readonly beside?: string; readonly signal?: AbortSignal } = {},
  ): Promise<Turned> {
    return this.#exchange(this.resultMessages(results, options.beside), options.signal)
  }

  /** The same request again, as a client repeats one whose reply it did not get. */
  again(signal?: AbortSignal): Promise<Turned> {
    return this.#exchange([], signal)
  }

  resultMessages(results: readonly Result[], beside?: string): JsonObject[] {
    if (this.#init.way.api === 'chat') {
      return [
        ...results.map(({ id, text }) => ({ role: 'tool', tool_call_id: id, content: text })),
        ...(beside === undefined ? [] : [{ role: 'user', content: beside }]),
      ]
    }
    if (this.#init.way.api === 'responses') {
      return [
        ...results.map(({ id, text }) => ({
          type: 'function_call_output',
          call_id: id,
          output: text,
        })),
        ...(beside === undefined ? [] : [{ role: 'user', content: beside }]),
      ]
    }
    const blocks = results.map(({ id, text, isError }) => ({
      type: 'tool_result',
      tool_use_id: id,
      content: text,
      ...(isError === true ? { is_error: true } : {}),
    }))
    const words = beside === undefined ? [] : [{ type: 'text', text: beside }]
    return [{ role: 'user', content: [...blocks, ...words] }]
  }

  /** Sends what is there; the reply becomes part of the conversation only when it came whole. */
  async #exchange(added: readonly JsonObject[], signal: AbortSignal | undefined): Promise<Turned> {
    this.messages = [...this.messages, ...added]
    const { way, system, id, headers } = this.#init
    const systems = system === undefined ? [] : [{ role: 'system', content: system }]
    const isChat = way.api === 'chat'
    const body = {
      ...(isChat || system === undefined ? {} : { system }),
      messages: isChat ? [...systems, ...this.messages] : this.messages,
      tools: this.tools.map((name) => toolOf(way, name)),
      ...this.body,
    }
    const heard = await send(this.service, way, body, {
      headers: { ...(id === undefined ? {} : { 'x-cursor-session': id }), ...headers },
      ...(signal === undefined ? {} : { signal }),
    })
    const start = heard.headers.get('x-cursor-adapter-start') ?? ''
    if (heard.status !== 200 || heard.error !== undefined) return { ...heard, calls: [], start }
    const { spoken, calls } = READERS[way.api](heard.reply)
    this.messages = [...this.messages, ...spoken]
    return { ...heard, calls, start }
  }
}

function toolOf({ api }: Way, name: string): JsonObject {
  const schema = { type: 'object', properties: {}, additionalProperties: true }
  const description = `Runs ${name}`
  if (api === 'chat')
    return { type: 'function', function: { name, description, parameters: schema } }
  if (api === 'messages') return { name, description, input_schema: schema }
  return { type: 'function', name, description, parameters: schema, strict: false }
}

interface Spoken {
  /** What the client sends back as the assistant's turn. */
  readonly spoken: readonly JsonObject[]
  readonly calls: readonly Called[]
}

const READERS: Readonly<Record<Api, (reply: JsonObject) => Spoken>> = {
  chat(reply) {
    const message = chatMessage(reply)
    return { spoken: [message], calls: chatCalls(message) }
  },
  messages(reply) {
    const message = { role: 'assistant', content: reply.content }
    return { spoken: [message], calls: messagesCalls(message) }
  },
  responses(reply) {
    const items = (arrayAt(reply, 'output') ?? []).filter(isObject)
    const calls = items.filter(({ type }) => type === 'function_call')
    return { spoken: items, calls: calls.map(itemCall) }
  },
}

function itemCall(item: JsonObject): Called {
  const input = parseJson(String(item.arguments))
  if (!isObject(input)) {
    throw new Error(`arguments that are no JSON object: ${String(item.arguments)}`)
  }
  return { id: stringAt(item, 'call_id') ?? '', name: String(item.name), input }
}

function chatMessage(reply: JsonObject): JsonObject {
  const [choice] = arrayAt(reply, 'choices') ?? []
  return (isObject(choice) && objectAt(choice, 'message')) || {}
}

function chatCalls(message: JsonObject): Called[] {
  return (arrayAt(message, 'tool_calls') ?? []).filter(isObject).map((call) => {
    const { name, arguments: text } = objectAt(call, 'function') ?? {}
    const input = parseJson(String(text))
    if (!isObject(input)) throw new Error(`arguments that are no JSON object: ${String(text)}`)
    return { id: stringAt(call, 'id') ?? '', name: String(name), input }
  })
}

function messagesCalls(message: JsonObject): Called[] {
  return (arrayAt(message, 'content') ?? [])
    .filter(isObject)
    .filter((block) => block.type === 'tool_use')
    .map((block) => ({
      id: stringAt(block, 'id') ?? '',
      name: stringAt(block, 'name') ?? '',
      input: objectAt(block, 'input') ?? {},
    }))
}

export const TOOL_FINISH = {
  chat: 'tool_calls',
  messages: 'tool_use',
  responses: 'completed',
} as const
