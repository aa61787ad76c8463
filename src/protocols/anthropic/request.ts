// Messages request → Turn, for `messages` and `count_tokens`. Strict about what we use, tolerant about the rest.
import { assertNever } from '../../core/events.ts'
import { Refusal } from '../../core/failure.ts'
import type { Message, ToolChoice, ToolDefinition, Turn } from '../../core/turn.ts'
import { check, refuse } from '../check.ts'
import { answerFormat } from '../format.ts'
import { effortOf, withoutBilling } from '../parts.ts'
import type { PastCalls } from '../past.ts'
import { contentParts } from './content.ts'
import type { MessagesRequest } from './schema.ts'
import * as schema from './schema.ts'

/** @throws Refusal `invalid-request` naming the field, what was expected and what came. */
export function parseMessages(body: unknown): Turn {
  const request = check(schema.request, body)
  refuseThread(request.thread)
  const format =
    answerFormat(request.output_config?.format, ['output_config', 'format']) ??
    answerFormat(request.output_format, ['output_format'])
  return {
    api: 'messages',
    model: request.model ?? '',
    messages: messagesOf(request),
    tools: toolsOf(request),
    toolChoice: toolChoiceOf(request),
    parallelToolCalls: !(request.tool_choice?.disable_parallel_tool_use ?? false),
    effort: effortOf(request.output_config?.effort),
    thinking: thinkingOf(request.thinking?.type),
    maxOutputTokens: request.max_tokens ?? undefined,
    ...(format && { format }),
    stop: request.stop_sequences ?? [],
    reply: { stream: request.stream ?? false, usageChunk: false },
    bodyIds: {
      userId: request.metadata?.user_id ?? undefined,
      promptCacheKey: undefined,
      conversation: undefined,
      previousResponseId: undefined,
    },
  }
}

/**
 * Threads keep the history on the server; we have none, and answering without it would lose the conversation.
 * Source: the Anthropic SDK 1.14 falls back to whole histories on exactly this code (tested).
 */
function refuseThread(thread: unknown): void {
  if (thread === undefined || thread === null) return
  throw new Refusal(
    'invalid-request',
    'thread: server-side threads are not supported; send the whole conversation in `messages`',
    { details: { error_code: 'thread_unsupported_request' } },
  )
}

function messagesOf(request: MessagesRequest): readonly Message[] {
  const past: PastCalls = new Map()
  const system: Message = {
    role: 'system',
    parts: contentParts(request.system, ['system'], past),
  }
  const rest = request.messages.map((entry, index): Message => {
    const path = ['messages', index]
    const { role, content } = check(schema.message, entry, path)
    return withoutBilling({ role, parts: contentParts(content, [...path, 'content'], past) })
  })
  const head = withoutBilling(system)
  return head.parts.length === 0 ? rest : [head, ...rest]
}

function toolsOf(request: MessagesRequest): readonly ToolDefinition[] {
  return (request.tools ?? []).flatMap((tool, index) => {
    if ((tool.type ?? 'custom') !== 'custom') return []
    const { name, description, input_schema } = check(schema.clientTool, tool, ['tools', index])
    return [{ name, description: description ?? '', parameters: input_schema }]
  })
}

function toolChoiceOf(request: MessagesRequest): ToolChoice {
  const choice = request.tool_choice
  const type = choice?.type ?? 'auto'
  switch (type) {
    case 'auto':
    case 'none':
      return { kind: type }
    case 'any':
      return { kind: 'required' }
    case 'tool':
      return {
        kind: 'named',
        name: choice?.name ?? refuse(['tool_choice', 'name'], 'a string', 'nothing'),
      }
    default:
      return assertNever(type)
  }
}

function thinkingOf(type: string | undefined): boolean | undefined {
  if (type === 'enabled' || type === 'adaptive') return true
  return type === 'disabled' ? false : undefined
}
