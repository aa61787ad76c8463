// What a client makes of a reply, whichever API and form it took.
import {
  arrayAt,
  isObject,
  type JsonObject,
  objectAt,
  parseJson,
  stringAt,
} from '../../src/lib/json.ts'
import { dataOf, joinChat, joinMessages, joinResponses } from '../contract/reassemble.ts'
import type { Api, Heard } from './ask.ts'
import type { TimedFrame } from './sse.ts'

export type Content = Pick<Heard, 'reply' | 'text' | 'thinking' | 'finish' | 'callIds' | 'error'>

/** What a client makes of a reply that is one JSON object. */
export function fromBody(api: Api, raw: string): Content {
  const body = parseJson(raw)
  if (!isObject(body)) throw new Error(`not a JSON object: ${raw}`)
  const error = objectAt(body, 'error')
  if (!isObject(error)) return contentOf(api, body)
  return { reply: {}, text: '', thinking: '', finish: undefined, callIds: [], error }
}

/** What a client makes of a stream. */
export function fromFrames(api: Api, frames: readonly TimedFrame[]): Content {
  const last = frames.at(-1)
  const data = last === undefined || last.data === '[DONE]' ? {} : dataOf(last)
  const error = objectAt(data, 'error') ?? objectAt(objectAt(data, 'response') ?? {}, 'error')
  if (!isObject(error)) return contentOf(api, JOINS[api](frames))
  if (api === 'messages' && last?.event !== 'error')
    throw new Error('an error without its event line')
  return { ...brokenOff(api, frames.slice(0, -1)), error }
}

/** What had come before a failure. @throws when a normal end is among it. */
function brokenOff(api: Api, frames: readonly TimedFrame[]): Omit<Content, 'error'> {
  let text = ''
  let thinking = ''
  for (const frame of frames) {
    if (NORMAL_ENDS.test(frame.data)) {
      throw new Error(`a normal end before the failure: ${frame.data}`)
    }
    const data = dataOf(frame)
    if (api === 'responses') {
      const delta = stringAt(data, 'delta') ?? ''
      if (data.type === 'response.output_text.delta') text += delta
      if (data.type === 'response.reasoning_summary_text.delta') thinking += delta
      continue
    }
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
  return CONTENTS[api](reply)
}

function responseContent(reply: JsonObject): Content {
  const output = (arrayAt(reply, 'output') ?? []).filter(isObject)
  const joined = (type: string, field: string): string =>
    output
      .filter((item) => item.type === type)
      .flatMap((item) => (arrayAt(item, field) ?? []).filter(isObject))
      .map((part) => stringAt(part, 'text') ?? '')
      .join('')
  return {
    reply,
    text: joined('message', 'content'),
    thinking: joined('reasoning', 'summary'),
    finish: stringAt(reply, 'status'),
    callIds: output.flatMap((item) => [
      ...idOf(item, 'call_id'),
      ...(item.type === 'mcp_call' ? idOf(item, 'id') : []),
    ]),
    error: undefined,
  }
}

const CONTENTS = {
  chat: chatContent,
  responses: responseContent,
  messages: messageContent,
} as const

const JOINS = { chat: joinChat, responses: joinResponses, messages: joinMessages } as const

const NORMAL_ENDS =
  /"finish_reason":"|"stop_reason":"|\[DONE\]|message_stop|"type":"response\.(?:completed|incomplete)"/

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
