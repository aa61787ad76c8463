// Client tools (mode bridge): what is offered to Cursor over MCP in the client's name, and the calls that come back.
// The endpoint lives on the main thread; a token stands for one session of Cursor, minted by the worker that opens it.
import type { Json, ResultPart, ToolDefinition } from './turn.ts'

/** Part of a launch profile of mode bridge; `digest` of the profile covers the tools. */
export interface ToolOffer {
  /** Where the MCP endpoint is, `http://127.0.0.1:PORT/mcp/`; the session's token is appended. */
  readonly endpoint: string
  /** Exactly the client's. */
  readonly tools: readonly ToolDefinition[]
}

export interface ClientToolResult {
  readonly content: readonly ResultPart[]
  readonly isError: boolean
}

/** A `tools/call` of Cursor's that waits for the client's result. */
export interface ClientToolCall {
  /** Unique within this service. */
  readonly id: string
  /** The client's own name of the tool. */
  readonly name: string
  readonly arguments: Json
  /** `monotonicMs()` of the MCP request. */
  readonly arrivedAtMs: number
  /** Aborted when Cursor gave the call up (cancelled it, or its connection or session is gone). */
  readonly signal: AbortSignal
  /** The first answer wins. False when nobody waits any more. */
  answer(result: ClientToolResult): boolean
}

/** How far Cursor has come with a session's endpoint. */
export type ToolContact = 'none' | 'initialized' | 'listed' | 'called'

/** The endpoint as the rest of the service sees it. */
export interface ClientTools {
  /** A session of Cursor exists from now on. */
  open(token: string, tools: readonly ToolDefinition[]): void
  /** It is gone: its calls are given up, the token is unknown. */
  close(token: string): void
  /** The client's list has changed; Cursor is told (`tools/list_changed`). */
  offer(token: string, tools: readonly ToolDefinition[]): void
  /** Who gets the calls of this session. Without a listener a call gets an error result. */
  listen(token: string, onCall: ((call: ClientToolCall) => void) | undefined): void
  contact(token: string): ToolContact
  /** False while Cursor has not listed the tools since `offer` changed them: some versions never do. */
  isUpToDate(token: string): boolean
}
