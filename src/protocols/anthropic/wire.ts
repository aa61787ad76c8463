// Messages on the wire: the official types, plus our few named deviations with the clients seen to accept them.
import type {
  BashCodeExecutionToolResultBlock,
  CodeExecutionToolResultBlock,
  ContentBlock as OfficialContentBlock,
  Message as OfficialMessage,
  ServerToolUseBlock as OfficialServerToolUseBlock,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawContentBlockStopEvent,
  RawMessageDeltaEvent,
  RawMessageStartEvent,
  RawMessageStopEvent,
} from '@anthropic-ai/sdk/resources/messages'
import type { ErrorResponse } from '@anthropic-ai/sdk/resources/shared'

export type {
  Message as EmptyMessage,
  MessageDeltaUsage,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
  Usage,
} from '@anthropic-ai/sdk/resources/messages'

/**
 * Deviation: `name` is the public name of any tool of Cursor's (`Read`, `Bash`, `mcp__x__y`), the official list is closed,
 * and the result block follows from what the tool was, not from its name.
 * Source: shown in the message stream, not run, and sent back in the next request by Claude Code 2.1.332 and the Claude
 * Agent SDK 0.3.332 (`npm run test:clients`); assembled by the Anthropic SDK 0.137 and 1.14 (contract tests).
 */
export type ServerToolUseBlock = Omit<OfficialServerToolUseBlock, 'name'> & { name: string }

/** Of the official result blocks the two that we use; both may follow a call of any name. */
export type ServerToolResultBlock = BashCodeExecutionToolResultBlock | CodeExecutionToolResultBlock

export type ContentBlock = OfficialContentBlock | ServerToolUseBlock
export type Message = Omit<OfficialMessage, 'content'> & { content: ContentBlock[] }
type ContentBlockStartEvent = Omit<RawContentBlockStartEvent, 'content_block'> & {
  content_block: ContentBlock
}

/**
 * Deviation: `ping`, which the API sends but the official union does not name; it may come before `message_start`.
 * Source: skipped by the Anthropic SDK 0.137 and 1.14 (`core/streaming`); keeps Claude Code 2.1.332, OpenCode, Qwen
 * and pi waiting for over 330 s, with and without a `message_start` before it (measured).
 */
interface PingEvent {
  type: 'ping'
}

/**
 * Deviation: `type` is any word of the failure table (`request_too_large` is missing in the official list), and
 * `details` are our own. Source: documented error types of the Messages API; the Anthropic SDK 1.14 reads
 * `error.details.error_code` (seen to fall back from threads on `thread_unsupported_request`).
 */
export type ErrorEnvelope = Omit<ErrorResponse, 'error'> & {
  error: { type: string; message: string; details?: Readonly<Record<string, string>> }
}

export type StreamEvent =
  | RawMessageStartEvent
  | ContentBlockStartEvent
  | RawContentBlockDeltaEvent
  | RawContentBlockStopEvent
  | RawMessageDeltaEvent
  | RawMessageStopEvent
  | PingEvent
  | ErrorEnvelope

/** Fields of a message that have no meaning here; the official type wants them present. */
export const NO_MESSAGE_EXTRAS = {
  container: null,
  diagnostics: null,
  stop_details: null,
} as const satisfies Partial<OfficialMessage>

/**
 * Signature of our thinking blocks: opaque to clients, which send it back unread; the same for every block, so that
 * equal conversations stay equal. Source: kept and returned by Claude Code, OpenCode, Qwen and pi (recorded).
 */
export const SIGNATURE = 'Y3Vyc29yLWFkYXB0ZXIvdGhpbmtpbmcvdjE='
