// Where Cursor's agents find the client's tools (mode bridge): the service's own listener when that is on loopback, else
// one beside it.

import type { ClientTools } from './core/client-tools.ts'
import { silentTelemetry } from './core/telemetry.ts'
import { createToolsApp } from './http/app.ts'
import { type Listening, listen } from './http/server.ts'
import type { HttpServices } from './http/services.ts'
import { McpEndpoint } from './mcp/endpoint.ts'
import type { Metrics } from './ops/metrics.ts'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

export interface ToolsPlace {
  /** What a profile's offer names; the token is appended. */
  readonly endpoint: string
  close(): Promise<void>
}

export const isLoopback = (host: string): boolean => LOOPBACK.test(host)

/** For the service's own app; undefined where it must not be served there. */
export function toolsRoute(endpoint: McpEndpoint, host: string): Pick<HttpServices, 'tools'> {
  return isLoopback(host) ? { tools: (request, token) => endpoint.fetch(request, token) } : {}
}

/** @throws ListenError */
export async function placeTools(
  tools: McpEndpoint,
  { host, listening, metrics }: { host: string; listening: Listening; metrics: Metrics },
): Promise<ToolsPlace> {
  const own = isLoopback(host) ? undefined : await listenBeside(tools, metrics)
  const url = (own ?? listening).url
  return {
    endpoint: `${url}/mcp/`,
    async close() {
      tools.closeAll()
      await own?.stop(1000)
    },
  }
}

/** For a command that offers tools to an agent without a service around it. @throws ListenError */
export async function toolsAlone(): Promise<ToolsPlace & { readonly tools: ClientTools }> {
  const tools = new McpEndpoint()
  const listening = await listenBeside(tools, { telemetry: silentTelemetry })
  return {
    tools,
    endpoint: `${listening.url}/mcp/`,
    async close() {
      tools.closeAll()
      await listening.stop(1000)
    },
  }
}

function listenBeside(
  tools: McpEndpoint,
  { telemetry }: Pick<Metrics, 'telemetry'>,
): Promise<Listening> {
  const app = createToolsApp({
    tools: (request, token) => tools.fetch(request, token),
    telemetry,
  })
  return listen(app, { host: '127.0.0.1', port: 0 })
}
