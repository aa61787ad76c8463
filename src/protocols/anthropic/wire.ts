// Messages on the wire: the official types, plus our few named deviations with the clients seen to accept them.
import type {
  Message,
  RawContentBlockDeltaEvent,
  RawContentBlockStartEvent,
  RawContentBlockStopEvent,
  RawMessageDeltaEvent,
  RawMessageStartEvent,
  RawMessageStopEvent,
} from '@anthropic-ai/sdk/resources/messages'
import type { ErrorResponse } from '@anthropic-ai/sdk/resources/shared'

export type {
  ContentBlock,
  Message,
  MessageDeltaUsage,
  StopReason,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
  Usage,
} from '@anthropic-ai/sdk/resources/messages'

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
  | RawContentBlockStartEvent
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
} as const satisfies Partial<Message>

/**
 * Signature of our thinking blocks: opaque to clients, which send it back unread; the same for every block, so that
 * equal conversations stay equal. Source: kept and returned by Claude Code, OpenCode, Qwen and pi (recorded).
 */
export const SIGNATURE = 'Y3Vyc29yLWFkYXB0ZXIvdGhpbmtpbmcvdjE='
