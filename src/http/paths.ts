// The closed list of routes: label values, `Allow`, hints. Every path is also served without `/v1`.
import type { Api } from '../core/turn.ts'

export interface RouteInfo {
  /** Template, used as label value. */
  readonly route: string
  readonly allow: string
  readonly api: Api | 'either'
}

const GET = 'GET, HEAD'

export const ROUTES = {
  chat: { route: '/v1/chat/completions', allow: 'POST', api: 'chat' },
  responses: { route: '/v1/responses', allow: 'POST', api: 'responses' },
  inputTokens: { route: '/v1/responses/input_tokens', allow: 'POST', api: 'responses' },
  messages: { route: '/v1/messages', allow: 'POST', api: 'messages' },
  countTokens: { route: '/v1/messages/count_tokens', allow: 'POST', api: 'messages' },
  models: { route: '/v1/models', allow: GET, api: 'either' },
  model: { route: '/v1/models/:id', allow: GET, api: 'either' },
  health: { route: '/health', allow: GET, api: 'chat' },
  details: { route: '/health/details', allow: GET, api: 'chat' },
  metrics: { route: '/metrics', allow: GET, api: 'chat' },
  tools: { route: '/mcp/:token', allow: 'GET, POST, DELETE', api: 'chat' },
} as const satisfies Readonly<Record<string, RouteInfo>>

/** Label value for every path that is none of ours. */
export const OTHER_ROUTE = 'other'

export const ENDPOINT_HINT = `Endpoints: POST ${ROUTES.chat.route}, POST ${ROUTES.responses.route}, POST ${ROUTES.messages.route}, POST ${ROUTES.countTokens.route}, GET ${ROUTES.models.route}, GET ${ROUTES.health.route}, GET ${ROUTES.metrics.route}.`

const BY_PATH: ReadonlyMap<string, RouteInfo> = new Map(
  Object.values(ROUTES).flatMap((info) => pathsOf(info).map((path) => [path, info] as const)),
)

/** The paths a route is served at, as patterns of the router. */
export function pathsOf(info: RouteInfo): readonly string[] {
  const pattern = info === ROUTES.model ? '/v1/models/:id{.+}' : info.route
  return pattern.startsWith('/v1/') ? [pattern, pattern.slice(3)] : [pattern]
}

/** What a path belongs to; undefined for none of ours. */
export function routeOf(path: string): RouteInfo | undefined {
  if (isToolsPath(path)) return ROUTES.tools
  return BY_PATH.get(path) ?? (/^(?:\/v1)?\/models\/./.test(path) ? ROUTES.model : undefined)
}

/** Everything below `/mcp`: what follows is a secret, and is never shown. */
export const isToolsPath = (path: string): boolean => /^\/mcp(?:\/|$)/.test(path)

/** Whose error envelope a client on this path understands. */
export function apiOf(path: string, headers: Headers): Api {
  if (/^(?:\/v1)?\/messages(?:\/|$)/.test(path)) return 'messages'
  if (/^(?:\/v1)?\/responses(?:\/|$)/.test(path)) return 'responses'
  const api = routeOf(path)?.api ?? 'chat'
  return api === 'either' ? (headers.has('anthropic-version') ? 'messages' : 'chat') : api
}
