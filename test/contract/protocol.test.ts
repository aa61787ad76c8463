// The protocol suite, run for every protocol.
import { describe } from 'vitest'
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'
import { messagesProtocol } from '../../src/protocols/anthropic/messages.ts'
import { chatProtocol } from '../../src/protocols/openai-chat/chat.ts'
import { responsesProtocol } from '../../src/protocols/openai-responses/responses.ts'
import { readResponses, readWithAnthropic, readWithOpenAi } from './official-sdks.ts'
import { type Gist, protocolSuite } from './protocol.cases.ts'
import { joinChat, joinMessages, joinResponses } from './reassemble.ts'

const objects = (list: readonly unknown[] | undefined): readonly JsonObject[] =>
  (list ?? []).filter(isObject)
const countAt = (object: JsonObject | undefined, key: string): number => Number(object?.[key] ?? 0)

function plain(reply: object): JsonObject {
  const copy: unknown = JSON.parse(JSON.stringify(reply))
  return isObject(copy) ? copy : {}
}

function chatGist(reply: object): Gist {
  const completion = plain(reply)
  const [choice] = objects(arrayAt(completion, 'choices'))
  const message = objectAt(choice ?? {}, 'message') ?? {}
  const usage = objectAt(completion, 'usage')
  return {
    text: stringAt(message, 'content') ?? '',
    calls: objects(arrayAt(message, 'tool_calls')).map((call) => {
      const { name, arguments: args } = objectAt(call, 'function') ?? {}
      return { id: String(call.id), name: String(name), input: JSON.parse(String(args)) }
    }),
    stop: String(choice?.finish_reason),
    input: countAt(usage, 'prompt_tokens'),
    output: countAt(usage, 'completion_tokens'),
  }
}

function messagesGist(reply: object): Gist {
  const message = plain(reply)
  const content = objects(arrayAt(message, 'content'))
  const usage = objectAt(message, 'usage')
  return {
    text: content.map((block) => (block.type === 'text' ? String(block.text) : '')).join(''),
    calls: content.flatMap((block) =>
      block.type === 'tool_use'
        ? [{ id: String(block.id), name: String(block.name), input: block.input }]
        : [],
    ),
    stop: String(message.stop_reason),
    input:
      countAt(usage, 'input_tokens') +
      countAt(usage, 'cache_read_input_tokens') +
      countAt(usage, 'cache_creation_input_tokens'),
    output: countAt(usage, 'output_tokens'),
  }
}

function responsesGist(reply: object): Gist {
  const response = plain(reply)
  const output = objects(arrayAt(response, 'output'))
  const usage = objectAt(response, 'usage')
  const calls = output.filter(({ type }) => type === 'function_call')
  const cut = objectAt(response, 'incomplete_details')?.reason
  return {
    text: output
      .flatMap((item) => (item.type === 'message' ? objects(arrayAt(item, 'content')) : []))
      .map((part) => String(part.text))
      .join(''),
    calls: calls.map((call) => ({
      id: String(call.call_id),
      name: String(call.name),
      input: JSON.parse(String(call.arguments)),
    })),
    // This API has no word for calls: clients look whether there are any.
    stop: cut === undefined && calls.length > 0 ? 'calls' : String(cut ?? response.status),
    input: countAt(usage, 'input_tokens'),
    output: countAt(usage, 'output_tokens'),
  }
}

describe('responses', () => {
  protocolSuite({
    protocol: responsesProtocol,
    conversation: 'input',
    takesString: true,
    closing: /"type":"response\.(?:output_|content_part|reasoning_|mcp_call)/,
    body: (extra) => ({ model: 'auto', stream: true, input: 'hi', ...extra }),
    stops: { stop: 'completed', calls: 'calls', length: 'max_output_tokens' },
    join: joinResponses,
    readWithSdk: readResponses,
    gist: responsesGist,
  })
})

describe('chat completions', () => {
  protocolSuite({
    protocol: chatProtocol,
    conversation: 'messages',
    closing: /reasoning/,
    body: (extra) => ({
      model: 'auto',
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'hi' }],
      ...extra,
    }),
    stops: { stop: 'stop', calls: 'tool_calls', length: 'length' },
    join: joinChat,
    readWithSdk: readWithOpenAi,
    gist: chatGist,
  })
})

describe('messages', () => {
  protocolSuite({
    protocol: messagesProtocol,
    conversation: 'messages',
    closing: /_result|_stop|signature/,
    body: (extra) => ({
      model: 'auto',
      max_tokens: 100,
      stream: true,
      messages: [{ role: 'user', content: 'hi' }],
      ...extra,
    }),
    stops: { stop: 'end_turn', calls: 'tool_use', length: 'max_tokens' },
    join: joinMessages,
    readWithSdk: readWithAnthropic,
    gist: messagesGist,
  })
})
