// How a chat completion ends: finish reason and usage, the same in stream and whole reply. And arguments of calls.
import type { FinishReason, ReplyUsage } from '../../core/events.ts'
import type { Json } from '../../core/turn.ts'
import type { CompletionUsage, FinishReason as WireFinishReason } from './wire.ts'

const FINISH_REASONS: Readonly<Record<FinishReason, WireFinishReason>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'stop-sequence': 'stop',
}

export function finishReason(reason: FinishReason): WireFinishReason {
  return FINISH_REASONS[reason]
}

/** `prompt_tokens` includes cached ones, each counted once. */
export function wireUsage(usage: ReplyUsage): CompletionUsage {
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    prompt_tokens: prompt,
    completion_tokens: usage.output,
    total_tokens: prompt + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    ...(usage.reasoning !== undefined && {
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    }),
  }
}

/** Arguments of a call as the JSON text the wire wants; a call without any has `{}`. */
export function argumentsText(input: Json): string {
  return input === null ? '{}' : JSON.stringify(input)
}
