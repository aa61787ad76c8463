// Responses request → Turn. Strict about what we use, tolerant about the rest.
import { Refusal } from '../../core/failure.ts'
import type { Json, ResponsesForm, Turn } from '../../core/turn.ts'
import { check, refuse } from '../check.ts'
import { answerFormat } from '../format.ts'
import { effortOf, withoutBilling } from '../parts.ts'
import type { KeptReplies } from '../protocol.ts'
import { inputItems, instructionsMessage, messagesOf, resolved } from './items.ts'
import type { ResponsesRequest } from './schema.ts'
import * as schema from './schema.ts'
import { type OfferedTools, offeredTools, toolChoiceOf } from './tools.ts'

/** @throws Refusal `invalid-request`, `previous-response-not-found` */
export function parseResponses(body: unknown, kept: KeptReplies | undefined): Turn {
  const request = check(schema.request, body)
  refuseWhatWeCannot(request)
  const before = keptItems(request, kept)
  const own = resolved(inputItems(request.input), kept)
  const offered = offeredTools(request.tools ?? [])
  const format = answerFormat(request.text?.format, ['text', 'format'])
  return {
    api: 'responses',
    model: request.model ?? '',
    messages: [
      ...instructionsMessage(request.instructions),
      ...messagesOf(before, ['kept']),
      ...messagesOf(own, ['input']),
    ].map(withoutBilling),
    tools: offered.tools,
    toolChoice: toolChoiceOf(request.tool_choice),
    parallelToolCalls: request.parallel_tool_calls ?? true,
    effort: effortOf(request.reasoning?.effort),
    thinking: request.reasoning?.effort === 'none' ? false : undefined,
    maxOutputTokens: request.max_output_tokens ?? undefined,
    stop: [],
    ...(format && { format }),
    reply: {
      stream: request.stream ?? false,
      usageChunk: false,
      responses: replyForm(request, body, offered),
    },
    bodyIds: {
      userId: request.user ?? undefined,
      promptCacheKey: request.prompt_cache_key ?? undefined,
      conversation: conversationId(request),
      previousResponseId: request.previous_response_id ?? undefined,
    },
  }
}

export function conversationId(request: ResponsesRequest): string | undefined {
  const { conversation } = request
  return (typeof conversation === 'string' ? conversation : conversation?.id) ?? undefined
}

/** Fields whose silent loss would give another answer than was asked for. */
function refuseWhatWeCannot(request: ResponsesRequest): void {
  if (request.background === true) {
    refuse(['background'], 'false (replies are not kept for a later look)', 'true')
  }
  if (request.prompt !== null && request.prompt !== undefined) {
    refuse(
      ['prompt'],
      'nothing (stored prompts are not here; send `instructions` and `input`)',
      'a prompt',
    )
  }
  const wantsLogprobs = request.include?.some((name) => name.endsWith('logprobs')) === true
  if (wantsLogprobs || (request.top_logprobs ?? 0) > 0) {
    refuse(
      ['top_logprobs'],
      '0 (Cursor tells no log probabilities)',
      String(request.top_logprobs ?? 'include'),
    )
  }
  if (request.conversation && request.previous_response_id) {
    refuse(['conversation'], 'nothing beside previous_response_id', 'both')
  }
}

function keptItems(request: ResponsesRequest, kept: KeptReplies | undefined): readonly Json[] {
  const conversation = conversationId(request)
  if (conversation !== undefined) return kept?.conversation(conversation) ?? []
  const id = request.previous_response_id
  if (id === null || id === undefined) return []
  const items = kept?.upTo(id)
  if (items !== undefined) return items
  throw new Refusal(
    'previous-response-not-found',
    `previous_response_id: the response ${JSON.stringify(id.slice(0, 100))} is not kept: it is unknown, was asked for with store false, failed, or is too old. Send the whole conversation in input`,
  )
}

/** Defaults of the API for fields that every response has. Source: API reference, November 2026. */
const DEFAULTS: { readonly [field: string]: Json } = {
  background: false,
  conversation: null,
  max_output_tokens: null,
  max_tool_calls: null,
  metadata: {},
  parallel_tool_calls: true,
  previous_response_id: null,
  prompt_cache_key: null,
  reasoning: { effort: null, summary: null },
  safety_identifier: null,
  service_tier: 'default',
  store: true,
  temperature: null,
  text: { format: { type: 'text' } },
  tool_choice: 'auto',
  top_logprobs: 0,
  top_p: null,
  truncation: 'disabled',
  user: null,
}

function replyForm(request: ResponsesRequest, body: unknown, offered: OfferedTools): ResponsesForm {
  const asked = schema.written.parse(body)
  const echo = Object.fromEntries(
    Object.entries(DEFAULTS).map(([field, otherwise]) => [field, asked[field] ?? otherwise]),
  )
  const conversation = conversationId(request)
  return {
    echo: {
      ...echo,
      // Tiers are the provider's: there is one kind of service here.
      service_tier: 'default',
      conversation: conversation === undefined ? null : { id: conversation },
    },
    longEcho: { instructions: asked.instructions ?? null, tools: asked.tools ?? [] },
    callForms: offered.callForms,
    encryptedReasoning: request.include?.includes('reasoning.encrypted_content') ?? false,
  }
}
