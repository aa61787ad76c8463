// Input items → Turn's messages. Strict about what we use; kinds we do not know are named, not refused.
import { Refusal } from '../../core/failure.ts'
import type { Json, Message, Part } from '../../core/turn.ts'
import { argumentsOf, check, jsonValue, type Path } from '../check.ts'
import { textParts, thinkingParts, unsupported } from '../parts.ts'
import { type PastCalls, pastCall, pastOutcome } from '../past.ts'
import type { KeptReplies } from '../protocol.ts'
import { contentParts, resultParts } from './content.ts'
import { item as schema } from './schema.ts'
import { FREE_TEXT, offeredName } from './tools.ts'

/** A string is one user message. */
export function inputItems(input: string | readonly unknown[]): readonly Json[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  return input.map((entry) => jsonValue.parse(entry))
}

/**
 * References replaced by the items they name.
 * Source: Vercel AI SDK 7 refers to its earlier items this way unless `store` is false (recorded).
 * @throws Refusal `previous-response-not-found`
 */
export function resolved(items: readonly Json[], kept: KeptReplies | undefined): readonly Json[] {
  return items.map((entry, index) => {
    const id = referenceOf(entry)
    const found = id === undefined ? entry : kept?.item(id)
    if (found !== undefined) return found
    throw new Refusal(
      'previous-response-not-found',
      `input.${index}: the item ${JSON.stringify(id?.slice(0, 100))} is not kept (any more); send the whole item, or set store to false so that your client does`,
    )
  })
}

/** The id an item refers to; undefined for an item that is itself there. */
export function referenceOf(entry: Json): string | undefined {
  const parsed = schema.reference.safeParse(entry)
  if (!parsed.success) return undefined
  const { type, role, id } = parsed.data
  const isBare = (type === undefined || type === null) && role === undefined
  return type === 'item_reference' || isBare ? id : undefined
}

/** `base`: where the items stand in the body, for messages about them. */
export function messagesOf(items: readonly Json[], base: Path): readonly Message[] {
  const past: PastCalls = new Map()
  return items.map((entry, index) => messageOf(entry, [...base, index], past))
}

function messageOf(entry: Json, path: Path, past: PastCalls): Message {
  const type = check(schema.any, entry, path).type ?? 'message'
  switch (type) {
    case 'message': {
      const { role, content } = check(schema.message, entry, path)
      const parts = contentParts(content, [...path, 'content'])
      return { role: role === 'developer' ? 'system' : role, parts }
    }
    case 'function_call':
    case 'custom_tool_call':
      return { role: 'assistant', parts: [callPart(entry, path)] }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const { call_id: callId, output } = check(schema.output, entry, path)
      const content = resultParts(output, [...path, 'output'])
      return { role: 'user', parts: [{ type: 'tool-result', callId, isError: false, content }] }
    }
    case 'reasoning': {
      const { summary, content } = check(schema.reasoning, entry, path)
      const texts = [...(summary ?? []), ...(content ?? [])].map(({ text }) => text ?? '')
      return { role: 'assistant', parts: thinkingParts(texts.join('\n')) }
    }
    case 'mcp_call':
      return { role: 'assistant', parts: pastParts(entry, path, past) }
    default:
      return { role: roleOf(type), parts: [unsupported(type)] }
  }
}

/** Who sends items of a kind we do not know: outputs and answers come from the client's side. */
function roleOf(type: string): Message['role'] {
  return /_(?:output|response)$/.test(type) ? 'user' : 'assistant'
}

function callPart(entry: Json, path: Path): Part {
  const { type } = check(schema.any, entry, path)
  if (type === 'custom_tool_call') {
    const { call_id: id, name, namespace, input } = check(schema.customCall, entry, path)
    return {
      type: 'tool-call',
      id,
      name: offeredName(namespace, name),
      arguments: { [FREE_TEXT]: input ?? '' },
    }
  }
  const call = check(schema.functionCall, entry, path)
  const given = call.arguments ?? ''
  return {
    type: 'tool-call',
    id: call.call_id,
    name: offeredName(call.namespace, call.name),
    arguments: typeof given === 'string' ? argumentsOf(given) : given,
  }
}

/** Our own `mcp_call` items that come back, and those of other providers. */
function pastParts(entry: Json, path: Path, past: PastCalls): readonly Part[] {
  const call = check(schema.mcpCall, entry, path)
  const id = path.map(String).join('.')
  const failed = call.error !== null && call.error !== undefined
  const text = failed ? errorText(call.error) : (call.output ?? '')
  return [
    pastCall(past, id, call.name, argumentsOf(call.arguments ?? '')),
    pastOutcome(past, id, text, failed),
  ]
}

function errorText(error: unknown): string {
  if (typeof error === 'string') return error
  if (typeof error !== 'object' || error === null) return ''
  const message: unknown = Reflect.get(error, 'message')
  return typeof message === 'string' ? message : JSON.stringify(error)
}

/** The text at the start of the request, as its first message. */
export function instructionsMessage(text: string | null | undefined): readonly Message[] {
  const parts = textParts(text ?? '')
  return parts.length === 0 ? [] : [{ role: 'system', parts }]
}
