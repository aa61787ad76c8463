// What a client said about its conversation, in the message stream both Claude Code and the Agent SDK print.
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'

/** Content blocks of all messages of that type, in order. */
export function blocksOf(
  messages: readonly JsonObject[],
  type: 'assistant' | 'user',
): readonly JsonObject[] {
  return messages
    .filter((message) => message.type === type)
    .flatMap((message) => arrayAt(objectAt(message, 'message') ?? {}, 'content') ?? [])
    .filter(isObject)
}

/** Blocks of a conversation that is sent as a request body. */
export function sentBlocks(body: JsonObject): readonly JsonObject[] {
  return (arrayAt(body, 'messages') ?? [])
    .filter(isObject)
    .flatMap((message) => arrayAt(message, 'content') ?? [])
    .filter(isObject)
}

export const ofType = (blocks: readonly JsonObject[], pattern: RegExp): readonly JsonObject[] =>
  blocks.filter((block) => pattern.test(stringAt(block, 'type') ?? ''))

export const textsOf = (blocks: readonly JsonObject[]): string =>
  ofType(blocks, /^text$/)
    .map((block) => stringAt(block, 'text') ?? '')
    .join('')

export const strings = (blocks: readonly JsonObject[], key: string): readonly string[] =>
  blocks.map((block) => stringAt(block, key) ?? '')

/** The last word of a client: its `result` message. @throws when there is none. */
export function resultOf(messages: readonly JsonObject[]): JsonObject {
  const result = messages.findLast((message) => message.type === 'result')
  if (result === undefined) {
    throw new Error(`no result among ${JSON.stringify(messages).slice(0, 2_000)}`)
  }
  return result
}
