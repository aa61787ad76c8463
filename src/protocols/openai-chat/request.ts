// Chat completion request → Turn. Strict about what we use, tolerant about the rest.
import { assertNever } from '../../core/events.ts'
import type { Message, Part, ToolChoice, ToolDefinition, Turn } from '../../core/turn.ts'
import { argumentsOf, check, type Path, refuse } from '../check.ts'
import { answerFormat } from '../format.ts'
import { effortOf, thinkingParts, withoutBilling } from '../parts.ts'
import { contentParts, resultParts } from './content.ts'
import type { AssistantMessage, ChatMessage, ChatRequest } from './schema.ts'
import * as schema from './schema.ts'

/** @throws Refusal `invalid-request` naming the field, what was expected and what came. */
export function parseChat(body: unknown): Turn {
  const request = check(schema.request, body)
  refuseWhatWeCannot(request)
  const { response_format: wanted } = request
  const format = answerFormat(
    wanted && { ...wanted.json_schema, type: wanted.type },
    ['response_format'],
    ['json_schema'],
  )
  const stream = request.stream ?? false
  return {
    api: 'chat',
    model: request.model ?? '',
    messages: messagesOf(request.messages),
    tools: toolsOf(request),
    toolChoice: toolChoiceOf(request),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    effort: effortOf(request.reasoning_effort ?? request.reasoning?.effort),
    thinking: request.reasoning_effort === 'none' ? false : undefined,
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    ...(format && { format }),
    stop: typeof request.stop === 'string' ? [request.stop] : (request.stop ?? []),
    reply: { stream, usageChunk: stream && (request.stream_options?.include_usage ?? false) },
    bodyIds: {
      userId: request.user ?? undefined,
      promptCacheKey: request.prompt_cache_key ?? undefined,
      conversation: undefined,
      previousResponseId: undefined,
    },
  }
}

/** Fields whose silent loss would give another answer than was asked for. */
function refuseWhatWeCannot(request: ChatRequest): void {
  const { n, logprobs, top_logprobs: top, modalities, audio } = request
  if ((n ?? 1) > 1) refuse(['n'], '1 (one choice per request)', String(n))
  if (logprobs === true) refuse(['logprobs'], 'false (Cursor tells no log probabilities)', 'true')
  if ((top ?? 0) > 0) refuse(['top_logprobs'], '0 (Cursor tells no log probabilities)', String(top))
  const wantsAudio = modalities?.includes('audio') === true
  if (wantsAudio || (audio !== undefined && audio !== null)) {
    refuse([wantsAudio ? 'modalities' : 'audio'], 'text only (Cursor does not speak)', 'audio')
  }
}

/** The functions API of 2023 has no call ids: its calls get one from their place, its results the latest of their name. */
type LegacyIds = Map<string, string>

function messagesOf(list: readonly unknown[]): readonly Message[] {
  const legacyIds: LegacyIds = new Map()
  return list.map((entry, index) => {
    const path = ['messages', index]
    const message = check(schema.message, check(schema.anyMessage, entry, path), path)
    return withoutBilling(messageOf(message, path, legacyIds))
  })
}

function messageOf(message: ChatMessage, path: Path, legacyIds: LegacyIds): Message {
  const contentPath = [...path, 'content']
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', parts: contentParts(message.content, contentPath) }
    case 'user':
      return { role: 'user', parts: contentParts(message.content, contentPath) }
    case 'assistant':
      return { role: 'assistant', parts: assistantParts(message, path, legacyIds) }
    case 'tool':
    case 'function':
      return {
        role: 'user',
        parts: [
          {
            type: 'tool-result',
            callId:
              message.role === 'tool'
                ? message.tool_call_id
                : (legacyIds.get(message.name) ?? message.name),
            isError: false,
            content: resultParts(message.content, contentPath),
          },
        ],
      }
    default:
      return assertNever(message)
  }
}

function assistantParts(
  message: AssistantMessage,
  path: Path,
  legacyIds: LegacyIds,
): readonly Part[] {
  const reasoning = message.reasoning_content ?? message.reasoning
  const parts: Part[] = [
    ...thinkingParts(typeof reasoning === 'string' ? reasoning : ''),
    ...contentParts(message.content, [...path, 'content']),
    ...contentParts(message.refusal, [...path, 'refusal']),
  ]
  for (const { id, function: called, custom } of message.tool_calls ?? []) {
    if (called) parts.push(callPart(id, called))
    else if (custom) {
      parts.push({ type: 'tool-call', id, name: custom.name, arguments: custom.input ?? '' })
    }
  }
  if (message.function_call) {
    const { name } = message.function_call
    const id = `function_${path.map(String).join('_')}`
    legacyIds.set(name, id)
    parts.push(callPart(id, message.function_call))
  }
  return parts
}

function callPart(id: string, called: NonNullable<AssistantMessage['function_call']>): Part {
  const given = called.arguments ?? ''
  return {
    type: 'tool-call',
    id,
    name: called.name,
    arguments: typeof given === 'string' ? argumentsOf(given) : given,
  }
}

function toolsOf(request: ChatRequest): readonly ToolDefinition[] {
  const current = (request.tools ?? []).flatMap((tool, index) =>
    tool.type === 'function' ? [check(schema.functionTool, tool, ['tools', index]).function] : [],
  )
  return [...current, ...(request.functions ?? [])].map((definition) => ({
    name: definition.name,
    description: definition.description ?? '',
    parameters: definition.parameters ?? { type: 'object', properties: {} },
  }))
}

function toolChoiceOf(request: ChatRequest): ToolChoice {
  const choice = request.tool_choice
  if (choice === undefined || choice === null) return legacyChoiceOf(request.function_call)
  if (typeof choice === 'string') return { kind: choice }
  const path = ['tool_choice']
  switch (choice.type) {
    case 'function':
      return { kind: 'named', name: check(schema.choices.function, choice, path).function.name }
    case 'custom':
      return { kind: 'named', name: check(schema.choices.custom, choice, path).custom.name }
    case 'allowed_tools':
      return { kind: check(schema.choices.allowed, choice, path).allowed_tools.mode }
    default:
      return assertNever(choice.type)
  }
}

function legacyChoiceOf(choice: ChatRequest['function_call']): ToolChoice {
  if (choice === undefined || choice === null) return { kind: 'auto' }
  return typeof choice === 'string' ? { kind: choice } : { kind: 'named', name: choice.name }
}
