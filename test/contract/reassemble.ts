// What clients make of a stream: chunks and events joined into one reply, the way the official SDKs do it.
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../src/lib/json.ts'
import type { Frame } from '../../src/protocols/protocol.ts'

/** The JSON of a data frame. @throws when it is none. */
export function dataOf(frame: Frame): JsonObject {
  const data: unknown = JSON.parse(frame.data)
  if (!isObject(data)) throw new Error(`not an object: ${frame.data}`)
  return data
}

/** Chat chunks → the completion. @throws when the stream breaks a rule of the API. */
export function joinChat(frames: readonly Frame[]): JsonObject {
  if (frames.at(-1)?.data !== '[DONE]') throw new Error('no [DONE] at the end')
  const chunks = frames.slice(0, -1).map(dataOf)
  const [first] = chunks
  let content = ''
  let reasoning = ''
  let finish: string | undefined
  let usage: unknown
  const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = []
  for (const chunk of chunks) {
    for (const key of ['id', 'created', 'model']) {
      if (chunk[key] !== first?.[key]) throw new Error(`${key} changed within the stream`)
    }
    if (isObject(chunk.usage)) ({ usage } = chunk)
    const [choice] = arrayAt(chunk, 'choices') ?? []
    if (!isObject(choice)) continue
    if (finish !== undefined) throw new Error('a choice after the finish chunk')
    const delta = objectAt(choice, 'delta') ?? {}
    if (chunk === first && delta.role !== 'assistant') throw new Error('no role at first')
    content += stringAt(delta, 'content') ?? ''
    reasoning += stringAt(delta, 'reasoning_content') ?? ''
    for (const call of arrayAt(delta, 'tool_calls') ?? []) addChatCall(calls, call)
    finish = stringAt(choice, 'finish_reason')
  }
  if (finish === undefined) throw new Error('no finish chunk')
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    id: first?.id,
    object: 'chat.completion',
    created: first?.created,
    model: first?.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finish }],
    usage,
  }
}

type ChatCall = { id: string; type: string; function: { name: string; arguments: string } }

function addChatCall(calls: ChatCall[], delta: unknown): void {
  if (!isObject(delta) || typeof delta.index !== 'number') throw new Error('a call without index')
  const part = objectAt(delta, 'function') ?? {}
  const open = calls[delta.index]
  if (open !== undefined) {
    open.function.arguments += stringAt(part, 'arguments') ?? ''
    return
  }
  const id = stringAt(delta, 'id')
  const name = stringAt(part, 'name')
  if (delta.index !== calls.length || id === undefined || name === undefined) {
    throw new Error(`a first call delta without index, id or name: ${JSON.stringify(delta)}`)
  }
  const args = stringAt(part, 'arguments') ?? ''
  calls.push({ id, type: stringAt(delta, 'type') ?? '', function: { name, arguments: args } })
}

const CALLS: readonly string[] = ['tool_use', 'server_tool_use']

/** Field that each kind of delta adds to, by block type. */
const DELTAS: Readonly<
  Record<string, { readonly blocks: readonly string[]; readonly field: string }>
> = {
  text_delta: { blocks: ['text'], field: 'text' },
  thinking_delta: { blocks: ['thinking'], field: 'thinking' },
  signature_delta: { blocks: ['thinking'], field: 'signature' },
  input_json_delta: { blocks: CALLS, field: 'partial_json' },
}

/** Messages events → the message. @throws when the stream breaks a rule of the API. */
export function joinMessages(frames: readonly Frame[]): JsonObject {
  let message: Record<string, unknown> | undefined
  const content: Record<string, unknown>[] = []
  let open: Record<string, unknown> | undefined
  let stopped = false
  for (const frame of frames) {
    const event = dataOf(frame)
    if (frame.event !== event.type) throw new Error(`event line ${frame.event} over ${frame.data}`)
    if (event.type === 'ping') continue
    if (stopped) throw new Error('an event after message_stop')
    switch (event.type) {
      case 'message_start':
        if (message !== undefined) throw new Error('two message_start')
        message = { ...objectAt(event, 'message') }
        break
      case 'content_block_start':
        if (open !== undefined) throw new Error('a block opened in an open one')
        if (event.index !== content.length) throw new Error(`index ${String(event.index)}`)
        open = startedBlock(objectAt(event, 'content_block') ?? {})
        content.push(open)
        break
      case 'content_block_delta':
        if (open === undefined) throw new Error('a delta without an open block')
        if (event.index !== content.length - 1) throw new Error('a delta of another block')
        addDelta(open, objectAt(event, 'delta') ?? {})
        break
      case 'content_block_stop':
        if (open === undefined || event.index !== content.length - 1)
          throw new Error('a stray stop')
        closeBlock(open)
        open = undefined
        break
      case 'message_delta':
        if (message === undefined || open !== undefined) throw new Error('an early message_delta')
        message = {
          ...message,
          ...objectAt(event, 'delta'),
          usage: { ...(isObject(message.usage) && message.usage), ...objectAt(event, 'usage') },
        }
        break
      case 'message_stop':
        stopped = true
        break
      default:
        throw new Error(`unexpected event ${JSON.stringify(event.type)}`)
    }
  }
  if (!stopped || message === undefined) throw new Error('no whole message')
  return { ...message, content }
}

function startedBlock(block: JsonObject): Record<string, unknown> {
  const filled = ['text', 'thinking', 'signature'].some((field) => (block[field] ?? '') !== '')
  if (filled) throw new Error(`a start that carries content: ${JSON.stringify(block)}`)
  return { ...block }
}

function addDelta(block: Record<string, unknown>, delta: JsonObject): void {
  const rule = DELTAS[stringAt(delta, 'type') ?? '']
  if (rule === undefined || !rule.blocks.includes(stringAt(block, 'type') ?? '')) {
    throw new Error(`${JSON.stringify(delta)} in a block of type ${JSON.stringify(block.type)}`)
  }
  block[rule.field] = (stringAt(block, rule.field) ?? '') + (stringAt(delta, rule.field) ?? '')
}

function closeBlock(block: Record<string, unknown>): void {
  if (block.type === 'thinking' && block.signature === '') throw new Error('an unsigned thinking')
  if (!CALLS.includes(stringAt(block, 'type') ?? '')) return
  block.input = JSON.parse(stringAt(block, 'partial_json') ?? '{}')
  delete block.partial_json
}
