// One MCP connection of Cursor's: the official server over one stateful transport. Loaded with the first connection.
import { randomUUID } from 'node:crypto'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
  type Tool,
} from '@modelcontextprotocol/sdk/types.js'

export interface ConnectionParts {
  readonly tools: () => Tool[]
  readonly call: (asked: AskedCall) => Promise<CallToolResult>
  readonly onInitialized: () => void
  readonly onClosed: () => void
  /** Between two signs of progress of one call, ms. */
  readonly progressMs: number
}

export interface AskedCall {
  readonly name: string
  readonly arguments: CallToolRequest['params']['arguments']
  /** Aborted when it was cancelled, or the connection that waits for it is gone. */
  readonly signal: AbortSignal
}

export interface Connection {
  /** Undefined until it is initialised. */
  id(): string | undefined
  fetch(request: Request): Promise<Response>
  toolsChanged(): Promise<void>
  close(): Promise<void>
}

/** Arguments hold whole files. */
const MAX_BODY_BYTES = 64 << 20
const VERSION = '1'

export async function openConnection(parts: ConnectionParts): Promise<Connection> {
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    maxRequestBodySize: MAX_BODY_BYTES,
  })
  const server = new Server(
    { name: 'cursor-adapter', version: VERSION },
    { capabilities: { tools: { listChanged: true } } },
  )
  server.oninitialized = parts.onInitialized
  server.onclose = parts.onClosed
  // What goes wrong on the wire is the other side's, and told to it; our own mistakes are thrown.
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: parts.tools() }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, extra) => {
    const gone = extra.authInfo?.extra?.gone
    const signal =
      gone instanceof AbortSignal ? AbortSignal.any([extra.signal, gone]) : extra.signal
    const { _meta: meta } = params
    const progressToken = meta?.progressToken
    let progress = 0
    const beat = setInterval(() => {
      progress += 1
      if (progressToken === undefined || signal.aborted) return
      const sent = extra.sendNotification({
        method: 'notifications/progress',
        params: { progressToken, progress, message: 'waiting for the client' },
      })
      // Nobody listens any more: the call's own signal says so.
      sent.catch(ignore)
    }, parts.progressMs)
    try {
      return await parts.call({ name: params.name, arguments: params.arguments, signal })
    } finally {
      clearInterval(beat)
    }
  })
  await server.connect(transport)
  return {
    id: () => transport.sessionId,
    // The SDK hands `authInfo` on to the handlers: the only way to tell a call which request waits for it.
    fetch: (request) =>
      transport.handleRequest(request, {
        authInfo: { token: '', clientId: '', scopes: [], extra: { gone: request.signal } },
      }),
    toolsChanged: () => server.sendToolListChanged(),
    close: () => server.close(),
  }
}

function ignore(): void {
  // Deliberately empty.
}
