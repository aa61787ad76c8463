// Responses on the wire: the official types, plus our few named deviations with the clients seen to accept them.
import type {
  ResponseCustomToolCall as OfficialCustomToolCall,
  ResponseFunctionToolCall as OfficialFunctionToolCall,
  Response as OfficialResponse,
  ResponseContentPartAddedEvent,
  ResponseContentPartDoneEvent,
  ResponseCustomToolCallInputDeltaEvent,
  ResponseCustomToolCallInputDoneEvent,
  ResponseFunctionCallArgumentsDeltaEvent,
  ResponseFunctionCallArgumentsDoneEvent,
  ResponseMcpCallArgumentsDeltaEvent,
  ResponseMcpCallArgumentsDoneEvent,
  ResponseMcpCallCompletedEvent,
  ResponseMcpCallFailedEvent,
  ResponseMcpCallInProgressEvent,
  ResponseOutputItem,
  ResponseOutputMessage,
  ResponseOutputText,
  ResponseReasoningItem,
  ResponseReasoningSummaryPartAddedEvent,
  ResponseReasoningSummaryPartDoneEvent,
  ResponseReasoningSummaryTextDeltaEvent,
  ResponseReasoningSummaryTextDoneEvent,
  ResponseStatus,
  ResponseTextDeltaEvent,
  ResponseTextDoneEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses'

export type { ResponseStatus, ResponseUsage }
export type MessageItem = ResponseOutputMessage
export type ReasoningItem = ResponseReasoningItem
export type TextPart = ResponseOutputText
export type McpCallItem = ResponseOutputItem.McpCall
export type FunctionCallItem = OfficialFunctionToolCall & { id: string }

/**
 * Deviation: `status` on a custom call, which the API sends and the official type of the item does not have.
 * Source: sent back by Codex 0.171.0 (recorded); kept by the openai SDK 6.49.
 */
export type CustomCallItem = OfficialCustomToolCall & {
  id: string
  status: 'in_progress' | 'completed'
}

export type OutputItem =
  | MessageItem
  | ReasoningItem
  | FunctionCallItem
  | CustomCallItem
  | McpCallItem

type Own = 'id' | 'object' | 'created_at' | 'model' | 'incomplete_details'

/**
 * What we say ourselves; the official type's other fields repeat the request as it was written (`ResponsesForm.echo`).
 * Deviations: no `output_text` (the SDK makes it, the API does not send it); `usage` is null until it is known, as the API
 * sends it; `error.code` is any word of the failure table (the official list is closed): Codex 0.171.0 decides by
 * `context_length_exceeded`, `insufficient_quota` and `invalid_prompt` whether it tries again and shows the message of
 * every other one (measured).
 */
export type Response = Pick<OfficialResponse, Own> & {
  output: OutputItem[]
  status: ResponseStatus
  error: { code: string; message: string } | null
  usage: ResponseUsage | null
}

type Lifecycle<T extends string> = { type: T; response: Response; sequence_number: number }
type Item<T extends string> = {
  type: T
  item: OutputItem
  output_index: number
  sequence_number: number
}

/**
 * Only types that the openai SDK 6.49 knows: its stream helper throws on any other one, and on a delta of an item that
 * the last `response.in_progress` did not hold.
 */
export type StreamEvent =
  | Lifecycle<
      | 'response.created'
      | 'response.in_progress'
      | 'response.completed'
      | 'response.incomplete'
      | 'response.failed'
    >
  | Item<'response.output_item.added' | 'response.output_item.done'>
  | ResponseContentPartAddedEvent
  | ResponseContentPartDoneEvent
  | ResponseTextDeltaEvent
  | ResponseTextDoneEvent
  | ResponseReasoningSummaryPartAddedEvent
  | ResponseReasoningSummaryPartDoneEvent
  | ResponseReasoningSummaryTextDeltaEvent
  | ResponseReasoningSummaryTextDoneEvent
  | ResponseFunctionCallArgumentsDeltaEvent
  | ResponseFunctionCallArgumentsDoneEvent
  | ResponseCustomToolCallInputDeltaEvent
  | ResponseCustomToolCallInputDoneEvent
  | ResponseMcpCallInProgressEvent
  | ResponseMcpCallArgumentsDeltaEvent
  | ResponseMcpCallArgumentsDoneEvent
  | ResponseMcpCallCompletedEvent
  | ResponseMcpCallFailedEvent

/** Who ran the tools of `mcp_call` items: clients show them under this name and run nothing. */
export const SERVER_LABEL = 'cursor'

/**
 * `encrypted_content` of our reasoning items: opaque to clients, which send it back unread; the same for every item, so
 * that equal conversations stay equal. Source: kept and returned by Codex, OpenCode, Qwen and pi (recorded).
 */
export const ENCRYPTED = 'Y3Vyc29yLWFkYXB0ZXIvcmVhc29uaW5nL3Yx'
