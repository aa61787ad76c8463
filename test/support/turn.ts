// A turn of a plain chat; tests say only what they are about.
import type { Message, Turn } from '../../src/core/turn.ts'

export const turnOf = (messages: readonly Message[], more: Partial<Turn> = {}): Turn => ({
  api: 'messages',
  model: 'm',
  messages,
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  effort: undefined,
  thinking: undefined,
  maxOutputTokens: undefined,
  stop: [],
  reply: { stream: true, usageChunk: false },
  bodyIds: {
    userId: undefined,
    promptCacheKey: undefined,
    conversation: undefined,
    previousResponseId: undefined,
  },
  ...more,
})
