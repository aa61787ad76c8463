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

/** Field that each kind of delta adds to, by item type. */
const ITEM_DELTAS: Readonly<Record<string, { readonly item: string; readonly field: string }>> = {
  'response.function_call_arguments': { item: 'function_call', field: 'arguments' },
  'response.custom_tool_call_input': { item: 'custom_tool_call', field: 'input' },
  'response.mcp_call_arguments': { item: 'mcp_call', field: 'arguments' },
}

/** Responses events → the response. @throws when the stream breaks a rule of the API, and when it ends in a failure. */
export function joinResponses(frames: readonly Frame[]): JsonObject {
  const joined = new JoinedResponse()
  for (const [number, frame] of frames.entries()) {
    const event = dataOf(frame)
    if (frame.event !== event.type) throw new Error(`event line ${frame.event} over ${frame.data}`)
    if (event.sequence_number !== number) throw new Error(`number ${String(event.sequence_number)}`)
    joined.add(event)
  }
  return joined.response()
}

/** Items are joined from their events alone; what the last event says must be equal to that. */
class JoinedResponse {
  readonly #output: JsonObject[] = []
  #first: JsonObject | undefined
  #last: JsonObject | undefined
  #open: Record<string, unknown> | undefined
  #part: { text: string } | undefined

  add(event: JsonObject): void {
    if (this.#last !== undefined) throw new Error('an event after the end')
    const type = stringAt(event, 'type') ?? ''
    const response = objectAt(event, 'response')
    if (type === 'response.created') {
      if (this.#first !== undefined) throw new Error('two response.created')
      this.#first = response
      return
    }
    if (this.#first === undefined) throw new Error(`${type} before response.created`)
    if (response === undefined) {
      this.#item(type, event)
      return
    }
    for (const key of ['id', 'created_at', 'model', 'object']) {
      if (response[key] !== this.#first[key]) throw new Error(`${key} changed within the stream`)
    }
    if (this.#open !== undefined) throw new Error(`${type} while an item is open`)
    // The stream helper goes on from what stands here: anything less and it loses the items.
    if (!equal(response.output, this.#output)) throw new Error(`another output in ${type}`)
    if (type === 'response.failed') throw new Error('the response failed')
    if (type === 'response.completed' || type === 'response.incomplete') this.#last = response
    else if (type !== 'response.in_progress') throw new Error(`unexpected event ${type}`)
  }

  response(): JsonObject {
    if (this.#last === undefined) throw new Error('no end of the response')
    return this.#last
  }

  #item(type: string, event: JsonObject): void {
    const item = objectAt(event, 'item')
    if (type === 'response.output_item.added') {
      if (this.#open !== undefined) throw new Error('an item opened in an open one')
      if (event.output_index !== this.#output.length) throw new Error('an index left out')
      this.#open = { ...item }
      return
    }
    const open = this.#open
    if (open === undefined) throw new Error(`${type} without an open item`)
    if (event.output_index !== this.#output.length) throw new Error(`${type} of another item`)
    if (type === 'response.output_item.done') {
      if (this.#part !== undefined) throw new Error('an item closed over its open part')
      const known = {
        ...item,
        ...open,
        status: item?.status,
        output: item?.output,
        error: item?.error,
      }
      if (!equal(known, item)) throw new Error(`joined otherwise: ${JSON.stringify([known, item])}`)
      this.#output.push({ ...item })
      this.#open = undefined
      return
    }
    if (event.item_id !== open.id) throw new Error(`${type} with another item's id`)
    if (!this.#textEvent(type, event, open)) callEvent(type, event, open)
  }

  #textEvent(type: string, event: JsonObject, open: Record<string, unknown>): boolean {
    const match =
      /^response\.(output_text|content_part|reasoning_summary_(?:text|part))\.(\w+)$/.exec(type)
    if (match === null) return false
    const [, what = '', step = ''] = match
    const isMessage = open.type === 'message'
    if (isMessage === what.startsWith('reasoning'))
      throw new Error(`${type} in ${String(open.type)}`)
    if (what.endsWith('part') && step === 'added') {
      if (this.#part !== undefined) throw new Error('two open parts')
      this.#part = { text: '' }
      return true
    }
    const part = this.#part
    if (part === undefined) throw new Error(`${type} without an open part`)
    if (step === 'delta') part.text += stringAt(event, 'delta') ?? ''
    else if (what.endsWith('text') && event.text !== part.text)
      throw new Error(`another text in ${type}`)
    else if (what.endsWith('part')) {
      const whole = objectAt(event, 'part')
      if (whole?.text !== part.text) throw new Error(`another text in ${type}`)
      open[isMessage ? 'content' : 'summary'] = [whole]
      this.#part = undefined
    }
    return true
  }
}

function callEvent(type: string, event: JsonObject, open: Record<string, unknown>): void {
  const [, base = type, step] = /^(.*)\.(delta|done)$/.exec(type) ?? []
  const rule = ITEM_DELTAS[base]
  if (rule !== undefined && step !== undefined) {
    if (open.type !== rule.item) throw new Error(`${type} in ${String(open.type)}`)
    const before = stringAt(open, rule.field) ?? ''
    if (step === 'delta') open[rule.field] = before + (stringAt(event, 'delta') ?? '')
    else if (event[rule.field] !== before) throw new Error(`another text in ${type}`)
    return
  }
  const isMcp = /^response\.mcp_call\.(in_progress|completed|failed)$/.test(type)
  if (!isMcp || open.type !== 'mcp_call') throw new Error(`unexpected event ${type}`)
}

function equal(one: unknown, other: unknown): boolean {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
