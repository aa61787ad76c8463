// The Hono app: guard, routes, 404, 405 and last-resort errors. Everything it works with is passed in.
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { Refusal } from '../core/failure.ts'
import type { Protocol } from '../protocols/protocol.ts'
import { exchangeHandler, type Handler } from './exchange.ts'
import { failedOf, failureReply } from './failure-reply.ts'
import { type Guard, makeGuard } from './guard.ts'
import {
  apiOf,
  ENDPOINT_HINT,
  isToolsPath,
  OTHER_ROUTE,
  pathsOf,
  ROUTES,
  type RouteInfo,
  routeOf,
} from './paths.ts'
import { idHeaders, requestIdOf } from './reply-headers.ts'
import { countTokensHandler, inputTokensHandler } from './routes/count-tokens.ts'
import { detailsHandler, healthHandler } from './routes/health.ts'
import { metricsHandler } from './routes/metrics.ts'
import { modelHandler, modelsHandler } from './routes/models.ts'
import type { HttpEnv, HttpServices } from './services.ts'

/** Serve it with `listen()`: the routes that agents answer write to Node's response (see outlet.ts). */
export function createApp(services: HttpServices): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  app.use(observe(services))
  app.use(guarding(makeGuard(services.guard)))
  const { chat, responses, messages } = services.protocols
  const post = (info: RouteInfo, handler: Handler): void => {
    for (const path of pathsOf(info)) app.post(path, handler).all(path, wrongMethod(info))
  }
  const get = (info: RouteInfo, handler: Handler): void => {
    for (const path of pathsOf(info)) app.get(path, handler).all(path, wrongMethod(info))
  }
  post(ROUTES.chat, exchangeHandler({ services, protocol: chat, route: ROUTES.chat.route }))
  post(
    ROUTES.responses,
    exchangeHandler({ services, protocol: responses, route: ROUTES.responses.route }),
  )
  post(ROUTES.inputTokens, inputTokensHandler(services))
  post(
    ROUTES.messages,
    exchangeHandler({ services, protocol: messages, route: ROUTES.messages.route }),
  )
  post(ROUTES.countTokens, countTokensHandler(services))
  get(ROUTES.models, modelsHandler(services))
  get(ROUTES.model, modelHandler(services))
  get(ROUTES.health, healthHandler(services))
  get(ROUTES.details, detailsHandler(services))
  get(ROUTES.metrics, metricsHandler(services))
  const { tools } = services
  if (tools !== undefined) {
    app.all(ROUTES.tools.route, (c) => tools(c.req.raw, c.req.param('token')))
  }
  app.notFound((c) => {
    const path = isToolsPath(c.req.path) ? ROUTES.tools.route : c.req.path.slice(0, 100)
    const asked = `${c.req.method} ${path}`
    return failed(services, c, new Refusal('not-found', `No endpoint ${asked}. ${ENDPOINT_HINT}`))
  })
  app.onError((error, c) => {
    logBug(services, c, error)
    return failed(services, c, error)
  })
  return app
}

/** The MCP endpoint alone, for a loopback listener of its own where the service is bound elsewhere. */
export function createToolsApp(
  services: Required<Pick<HttpServices, 'tools' | 'telemetry'>>,
): Hono<HttpEnv> {
  const app = new Hono<HttpEnv>()
  const guard = makeGuard({ apiKey: undefined, allowedHosts: [], host: '127.0.0.1' })
  app.use(observe(services))
  app.use(guarding(guard))
  app.all(ROUTES.tools.route, (c) => services.tools(c.req.raw, c.req.param('token')))
  app.notFound(() => new Response(null, { status: 404 }))
  app.onError((error) => new Response(null, { status: error instanceof Refusal ? 403 : 500 }))
  return app
}

/** Gives every request its id and counts every reply that does not count itself. */
function observe({ telemetry }: Pick<HttpServices, 'telemetry'>) {
  return async (c: Context<HttpEnv>, next: () => Promise<void>): Promise<void> => {
    c.set('requestId', requestIdOf(c.req.header('x-request-id')))
    await next()
    if (c.res === RESPONSE_ALREADY_SENT) return
    telemetry.httpRequest(routeOf(c.req.path)?.route ?? OTHER_ROUTE, c.res.status)
  }
}

function guarding(guard: Guard) {
  return async (c: Context<HttpEnv>, next: () => Promise<void>): Promise<void> => {
    const host = c.req.header('host') ?? new URL(c.req.url).host
    guard.check(c.req.path, host, c.req.raw.headers)
    await next()
  }
}

function wrongMethod(info: RouteInfo) {
  return (c: Context<HttpEnv>): never => {
    throw new Refusal(
      'method-not-allowed',
      `${info.route} takes ${info.allow}, not ${c.req.method}.`,
    )
  }
}

function failed(services: HttpServices, c: Context<HttpEnv>, error: unknown): Response {
  const protocol: Protocol = services.protocols[apiOf(c.req.path, c.req.raw.headers)]
  const failure = failedOf(error)
  const { status, headers, body } = failureReply(protocol, failure)
  const allow = failure.code === 'method-not-allowed' ? routeOf(c.req.path)?.allow : undefined
  return new Response(body, {
    status,
    headers: {
      ...headers,
      ...idHeaders(c.get('requestId'), protocol.api),
      ...(allow === undefined ? {} : { allow }),
    },
  })
}

function logBug({ logger }: HttpServices, c: Context<HttpEnv>, error: Error): void {
  if (error instanceof Refusal) return
  logger.error('request broke', {
    requestId: c.get('requestId'),
    route: routeOf(c.req.path)?.route ?? OTHER_ROUTE,
    detail: error.stack ?? error.message,
  })
}
