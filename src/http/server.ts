// The listening socket: bind, serve an app on it, stop in order.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Hono } from 'hono'
import type { HttpEnv } from './services.ts'

export interface ListenOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
}

export interface Listening {
  /** `http://HOST:PORT` of the bound address. */
  readonly url: string
  readonly port: number
  /**
   * Takes no new connection, lets running exchanges finish, closes idle connections. Resolves when no connection is
   * left; those still open after `graceMs` (from the call) are cut. A second call may shorten that.
   */
  stop(graceMs: number): Promise<void>
}

/** The address could not be bound. `code` as Node names it: EADDRINUSE, EACCES, EADDRNOTAVAIL, … */
export class ListenError extends Error {
  override readonly name = 'ListenError'
  readonly code: string
  readonly host: string
  readonly port: number
  constructor(code: string, { host, port }: ListenOptions, cause: unknown) {
    super(`cannot listen on ${host}:${port}: ${REASONS[code] ?? code}`, { cause })
    this.code = code
    this.host = host
    this.port = port
  }
}

const REASONS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'the port is already in use (another cursor-adapter?); choose another with --port',
  EACCES: 'this user may not use that port; choose one above 1023 with --port',
  EADDRNOTAVAIL: 'this machine has no such address; check the setting host',
  ENOTFOUND: 'no such host name; check the setting host',
}

/**
 * Clients keep sockets for their next turn; one that we close in the same moment costs them a retry, and a retry
 * must not be a second run. So we outlast their pools (Go 90 s, Node's fetch 4 s, httpx 5 s) and hint as much.
 */
const KEEP_ALIVE_MS = 120_000
/** For a request's headers, from its first byte. */
const HEADERS_MS = 30_000
/** For a whole request, 64 MB over a slow line included. It does not limit replies. Source: Node's http docs. */
const REQUEST_MS = 300_000

/** @throws ListenError */
export async function listen(app: Hono<HttpEnv>, options: ListenOptions): Promise<Listening> {
  const state = { stopping: false }
  const listener = getRequestListener((request, env) => app.fetch(request, env), {
    hostname: options.host,
    // The process's own Request and Response stay as they are: other libraries use them too.
    overrideGlobalObjects: false,
    errorHandler: unreadable,
  })
  const server = createServer({
    noDelay: true,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: HEADERS_MS,
    requestTimeout: REQUEST_MS,
  })
  const connections: Connections = new Map()
  spareUnsent(server, connections)
  server.on('connection', (socket: Socket) => {
    connections.set(socket, undefined)
    socket.on('close', () => connections.delete(socket))
  })
  server.on('request', (incoming: IncomingMessage, outgoing: ServerResponse) => {
    connections.set(incoming.socket, outgoing)
    if (state.stopping) outgoing.setHeader('connection', 'close')
    outgoing.on('close', () => {
      // Its socket turned idle only now, after `close()` had closed the idle ones.
      if (state.stopping) setImmediate(() => server.closeIdleConnections())
    })
    void listener(incoming, outgoing)
  })
  const port = await bind(server, options)
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  let stopped: Promise<void> | undefined
  return {
    url: `http://${host}:${port}`,
    port,
    async stop(graceMs) {
      state.stopping = true
      stopped ??= close(server, connections)
      const timer = setTimeout(() => server.closeAllConnections(), graceMs)
      await stopped
      clearTimeout(timer)
    },
  }
}

function bind(server: Server, options: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(new ListenError(error.code ?? error.message, options, error))
    })
    server.listen(options.port, options.host, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : options.port)
    })
  })
}

/** Open connections with their latest replies. */
type Connections = Map<Socket, ServerResponse | undefined>

function close(server: Server, connections: Connections): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve())
  })
  // Node counts a connection as idle only after its first request; ours to close until then.
  for (const [socket, reply] of connections) if (reply === undefined) socket.destroy()
  return closed
}

/**
 * Node takes a connection for idle once its reply was written to the end, with megabytes still to go, and `close()` cuts
 * those, too: until they are through nothing is idle. Source: `closeIdleConnections` of Node 20 and 24 (lib/_http_server.js).
 */
function spareUnsent(server: Server, connections: Connections): void {
  const closeIdle = server.closeIdleConnections.bind(server)
  const isUnsent = (reply: ServerResponse | undefined): boolean =>
    reply?.writableEnded === true && !reply.writableFinished
  server.closeIdleConnections = () => {
    if (![...connections.values()].some(isUnsent)) closeIdle()
  }
}

/** A request that never became one (no usable Host, a broken target). The app sees none of these. */
function unreadable(error: unknown): Response {
  const ours = error instanceof RequestError
  const message = ours
    ? `Unreadable request: ${error.message}.`
    : 'Internal error in cursor-adapter.'
  const type = ours ? 'invalid_request_error' : 'server_error'
  const code = ours ? 'invalid_request' : 'internal_error'
  return new Response(JSON.stringify({ error: { message, type, code, param: null } }), {
    status: ours ? 400 : 500,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-should-retry': 'false' },
  })
}
