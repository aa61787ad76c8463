// The demo agent as an MCP client, with the official SDK. Loaded only where a server was handed over: it is large.
// Source: a probe of 2026.08.11: client `Cursor/1.0.0`; contact while the session is opened, `tools/list`, then calls.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import {
  CallToolResultSchema,
  type Tool,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import type { JsonObject } from '../lib/json.ts'
import type { Journal } from './life.ts'
import type { McpServer } from './mcp-servers.ts'

export interface McpTool {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonObject
}

export interface CallOptions {
  /** The call is given up when it is aborted; the server is told. */
  readonly signal: AbortSignal
  /** Longest silence, ms; progress counts. */
  readonly patienceMs: number
}

export interface McpTools {
  /** As listed last. */
  list(): readonly McpTool[]
  /** Resolves with a tool's result in print mode's shape, also for what went wrong. */
  call(tool: McpTool, args: JsonObject, options: CallOptions): Promise<JsonObject>
}

export interface McpParts {
  readonly journal: Journal
  /** False plays a version that does not list anew when it is told of a change. */
  readonly relists: boolean
  /** For the journal; undefined in print mode. */
  readonly session?: string
}

/** Connects and lists. A server that does not answer is silently absent. */
export async function openMcp(servers: readonly McpServer[], parts: McpParts): Promise<McpTools> {
  const open = await Promise.all(servers.map((server) => connect(server, parts)))
  const connections = open.filter((connection) => connection !== undefined)
  return {
    list: () => connections.flatMap((connection) => connection.tools),
    call: async (tool, args, options) => {
      const connection = connections.find(({ name }) => name === tool.server)
      if (connection === undefined) return { error: { error: `No server ${tool.server}` } }
      return connection.call(tool.name, args, options)
    },
  }
}

/** The SDK's class says `sessionId: string | undefined` where its own interface says `sessionId?: string`. */
const transportTo = ({
  url,
  headers,
}: McpServer): StreamableHTTPClientTransport & { sessionId: string } =>
  Object.assign(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }))

async function connect(server: McpServer, parts: McpParts): Promise<Connection | undefined> {
  const client = new Client({ name: 'Cursor', version: '1.0.0' })
  const connection = new Connection(server.name, client, parts)
  try {
    await client.connect(transportTo(server))
    parts.journal.fact('mcp', { ...connection.about, how: 'connected', atMs: Date.now() })
    await connection.relist()
    return connection
  } catch (error) {
    const why = error instanceof Error ? error.name : String(error)
    parts.journal.fact('mcp', { ...connection.about, how: 'failed', why, atMs: Date.now() })
    return undefined
  }
}

class Connection {
  readonly name: string
  readonly about: JsonObject
  tools: readonly McpTool[] = []
  readonly #client: Client
  readonly #journal: Journal

  constructor(name: string, client: Client, { journal, relists, session }: McpParts) {
    this.name = name
    this.#client = client
    this.#journal = journal
    this.about = { server: name, ...(session === undefined ? {} : { session }) }
    client.setNotificationHandler(ToolListChangedNotificationSchema, async () => {
      journal.fact('mcp-changed', this.about)
      if (relists) await this.relist()
    })
  }

  async relist(): Promise<void> {
    const { tools } = await this.#client.listTools()
    this.tools = tools.map((tool) => this.#toolOf(tool))
    this.#journal.fact('mcp-list', {
      ...this.about,
      tools: tools.map(({ name }) => name),
      atMs: Date.now(),
    })
  }

  async call(name: string, args: JsonObject, options: CallOptions): Promise<JsonObject> {
    const about = { ...this.about, tool: name }
    this.#journal.fact('mcp-call', { ...about, arguments: args, atMs: Date.now() })
    try {
      const result = CallToolResultSchema.parse(
        await this.#client.callTool({ name, arguments: { ...args } }, undefined, {
          signal: options.signal,
          // Assumed: the SDK's own time limit, and that progress counts. To find out: a tool that takes two minutes.
          timeout: options.patienceMs,
          resetTimeoutOnProgress: true,
          onprogress: ({ progress }) => this.#journal.fact('mcp-progress', { ...about, progress }),
        }),
      )
      const isError = result.isError === true
      this.#journal.fact('mcp-result', { ...about, isError, atMs: Date.now() })
      return { success: { content: result.content.map(partOf), isError } }
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      this.#journal.fact('mcp-lost', { ...about, why, atMs: Date.now() })
      return { error: { error: why } }
    }
  }

  #toolOf({ name, description = '', inputSchema }: Tool): McpTool {
    return { server: this.name, name, description, inputSchema }
  }
}

/** Source: recorded results: `{text: {text}}` and `{image: {data, mimeType}}`. */
function partOf(part: { readonly type: string }): JsonObject {
  if (part.type === 'text' && 'text' in part) return { text: { text: part.text } }
  if (part.type === 'image' && 'data' in part && 'mimeType' in part) {
    return { image: { data: part.data, mimeType: part.mimeType } }
  }
  return { text: { text: `(${part.type})` } }
}
