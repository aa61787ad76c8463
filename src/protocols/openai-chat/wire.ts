// Chat completions on the wire: the official types, plus our few named deviations with the clients seen to accept them.
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionMessage,
} from 'openai/resources/chat/completions'

export type { CompletionUsage } from 'openai/resources/completions'

/**
 * Deviation: thinking as `reasoning_content`, a field the official type does not have.
 * Source: shown and sent back by OpenCode 1.18, Qwen Code 0.24, Cline 3.0, pi 1.6; ignored by the openai SDK 6 and 7,
 * LangChain 1.6 (measured with a capture server, November 2026).
 */
interface Reasoning {
  reasoning_content?: string
}

export type Delta = ChatCompletionChunk.Choice.Delta & Reasoning
type ChunkChoice = Omit<ChatCompletionChunk.Choice, 'delta'> & { delta: Delta }
export type Chunk = Omit<ChatCompletionChunk, 'choices'> & { choices: ChunkChoice[] }

export type Message = ChatCompletionMessage & Reasoning
type CompletionChoice = Omit<ChatCompletion.Choice, 'message'> & { message: Message }
export type Completion = Omit<ChatCompletion, 'choices'> & { choices: CompletionChoice[] }

export type FinishReason = ChatCompletion.Choice['finish_reason']
