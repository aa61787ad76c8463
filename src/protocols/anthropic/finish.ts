// Pieces of a Messages reply that stream and whole reply have in common.
import type { FinishReason, ReplyUsage, ToolStart } from '../../core/events.ts'
import type { ReplyContext } from '../protocol.ts'
import {
  type EmptyMessage,
  type MessageDeltaUsage,
  NO_MESSAGE_EXTRAS,
  type StopReason,
  type TextBlock,
  type ThinkingBlock,
  type ToolUseBlock,
  type Usage,
} from './wire.ts'

const STOP_REASONS: Readonly<Record<FinishReason, StopReason>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'stop-sequence': 'stop_sequence',
}

export function stopReason(reason: FinishReason): StopReason {
  return STOP_REASONS[reason]
}

/** `input_tokens` excludes cached ones, which have fields of their own. */
export function wireUsage(usage: ReplyUsage): Usage {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation: null,
    inference_geo: null,
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: null,
    speed: null,
  }
}

/** The counts of the whole message, as `message_delta` repeats them. */
export function deltaUsage(usage: ReplyUsage): MessageDeltaUsage {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_creation_input_tokens: usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    output_tokens_details: null,
    server_tool_use: null,
  }
}

/** A message without content, as it stands in `message_start`. */
export function emptyMessage(context: ReplyContext): EmptyMessage {
  const usage = { input: context.inputTokens, output: 0, cacheRead: 0, cacheWrite: 0 }
  return {
    id: `msg_${context.id}`,
    type: 'message',
    role: 'assistant',
    model: context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    ...NO_MESSAGE_EXTRAS,
    usage: wireUsage(usage),
  }
}

export const textBlock = (text: string): TextBlock => ({ type: 'text', text, citations: null })

export const thinkingBlock = (thinking: string, signature: string): ThinkingBlock => ({
  type: 'thinking',
  thinking,
  signature,
})

export const toolUseBlock = (call: ToolStart, input: unknown): ToolUseBlock => ({
  type: 'tool_use',
  id: call.callId,
  name: call.name,
  input,
  caller: { type: 'direct' },
})
