// The endpoint on a real loopback server, and official MCP clients that speak to it.
import { randomBytes } from 'node:crypto'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ClientToolCall, ToolContact } from '../../src/core/client-tools.ts'
import { silentTelemetry } from '../../src/core/telemetry.ts'
import type { ToolDefinition } from '../../src/core/turn.ts'
import { createToolsApp } from '../../src/http/app.ts'
import { listen } from '../../src/http/server.ts'
import { type EndpointSettings, McpEndpoint } from '../../src/mcp/endpoint.ts'

export const tool = (name: string, change: Partial<ToolDefinition> = {}): ToolDefinition => ({
  name,
  description: `does ${name}`,
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  ...change,
})

export const newToken = (): string => randomBytes(16).toString('hex')

export interface Station {
  readonly endpoint: McpEndpoint
  /** `http://127.0.0.1:PORT/mcp/` */
  readonly url: string
  /** Route and status of every request. */
  readonly counted: string[]
  /** How far the open tokens have come. */
  contacts(): ToolContact[]
  connect(token: string, client?: Client): Promise<Client>
  close(): Promise<void>
}

export async function openStation(settings: Partial<EndpointSettings> = {}): Promise<Station> {
  const endpoint = new McpEndpoint(settings)
  const counted: string[] = []
  const telemetry = {
    ...silentTelemetry,
    httpRequest: (route: string, status: number) => void counted.push(`${route} ${status}`),
  }
  const tools = (request: Request, token: string): Promise<Response> =>
    endpoint.fetch(request, token)
  const listening = await listen(createToolsApp({ tools, telemetry }), {
    host: '127.0.0.1',
    port: 0,
  })
  const url = `${listening.url}/mcp/`
  const clients: Client[] = []
  return {
    endpoint,
    url,
    counted,
    contacts: () => endpoint.tokens().map((token) => endpoint.contact(token)),
    async connect(token, client = new Client({ name: 'test', version: '1' })) {
      await client.connect(transportTo(url + token))
      clients.push(client)
      return client
    },
    async close() {
      await Promise.all(clients.map((client) => client.close()))
      endpoint.closeAll()
      await listening.stop(500)
    },
  }
}

/** The SDK's class says `sessionId: string | undefined` where its own interface says `sessionId?: string`. */
function transportTo(url: string): StreamableHTTPClientTransport & { sessionId: string } {
  return Object.assign(new StreamableHTTPClientTransport(new URL(url)))
}

/** Calls as they come; answered by the test. */
export function inbox(endpoint: McpEndpoint, token: string): ClientToolCall[] {
  const calls: ClientToolCall[] = []
  endpoint.listen(token, (call) => calls.push(call))
  return calls
}

export const answered = (
  call: ClientToolCall | undefined,
  text: string,
  isError = false,
): boolean => call?.answer({ content: [{ type: 'text', text }], isError }) ?? false

/** The text of a `tools/call` result; other parts by their kind. */
export function textOf(result: unknown): string {
  const { content } = CallToolResultSchema.parse(result)
  return content.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('')
}
