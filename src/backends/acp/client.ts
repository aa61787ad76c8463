// JSON-RPC over a child's stdio with the ACP SDK, which is loaded with the first child of a thread and not before.
// Kept away from the SDK: `session/update` (it drops kinds it does not know), other notifications, lines that are no
// message, and answers nobody waits for (it would write about them to our standard error).
import type { AnyMessage } from '@agentclientprotocol/sdk'
import type { UnknownKind } from '../../core/events.ts'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../../lib/json.ts'

export interface AcpHandlers {
  /** Called while the line is being taken, in the order of the lines. */
  readonly update: (sessionId: string, update: JsonObject) => void
  /** The result of a request of the agent's own; undefined = a method we do not have. */
  readonly ask: (method: string, params: JsonObject) => JsonObject | undefined
  /** Something that is no part of the protocol. */
  readonly odd: (kind: UnknownKind, line: string) => void
}

export interface AcpClient {
  /** One line of the child's output. */
  line(text: string): void
  /** @throws AcpRefusal when the agent answers with an error, ConnectionClosed when it will never answer. */
  request(method: string, params: JsonObject): Promise<unknown>
  notify(method: string, params: JsonObject): void
  /** The child's output is over: everything that waits is rejected. */
  close(): void
}

/** The agent answered with a JSON-RPC error. */
export class AcpRefusal extends Error {
  override readonly name = 'AcpRefusal'
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}

/** Loads the SDK; tens of milliseconds the first time in a thread. */
export const loadSdk = async () => import('@agentclientprotocol/sdk')

/** `write` takes one line with its line break. */
export async function openAcpClient(
  write: (line: string) => void,
  handlers: AcpHandlers,
): Promise<AcpClient> {
  const { client, RequestError } = await loadSdk()
  const pending = new Set<unknown>()
  const incoming = incomingStream()
  const outgoing = new WritableStream<AnyMessage>({
    write: (message) => {
      if ('method' in message && 'id' in message) pending.add(message.id)
      write(`${JSON.stringify(message)}\n`)
    },
  })
  const connection = client({ name: 'cursor-adapter' })
    .onRequest('*', ({ method, params }) => {
      const result = handlers.ask(method, isObject(params) ? params : {})
      if (result === undefined) throw RequestError.methodNotFound(method)
      return result
    })
    .connect({ readable: incoming.readable, writable: outgoing })
  return {
    line: (text) => sort(text, { pending, handlers, toSdk: incoming.push }),
    request: async (method, params) => {
      try {
        return await connection.agent.request(method, params)
      } catch (error) {
        if (error instanceof RequestError) {
          throw new AcpRefusal(error.code, error.message, error.data)
        }
        // Whatever else: the connection is closed, or its pipe broke.
        throw new ConnectionClosed('the connection is closed', { cause: error })
      }
    },
    notify: (method, params) => {
      // A connection that is closed has nobody to tell.
      void connection.agent.notify(method, params).catch(() => undefined)
    },
    close: () => {
      incoming.end()
      connection.close(new ConnectionClosed('the connection is closed'))
    },
  }
}

interface Sorting {
  readonly pending: Set<unknown>
  readonly handlers: AcpHandlers
  readonly toSdk: (message: AnyMessage) => void
}

/** Decides who gets a line. */
function sort(text: string, { pending, handlers, toSdk }: Sorting): void {
  const message = parseJson(text)
  if (!isObject(message) || message.jsonrpc !== '2.0') {
    if (text.trim() !== '') handlers.odd('not-json', text)
    return
  }
  const { id } = message
  const isKeyed = typeof id === 'number' || typeof id === 'string'
  const method = stringAt(message, 'method')
  if (method === 'session/update' && !isKeyed) {
    const params = objectAt(message, 'params') ?? {}
    handlers.update(stringAt(params, 'sessionId') ?? '', objectAt(params, 'update') ?? {})
  } else if (method !== undefined) {
    // Notifications of Cursor's own (`cursor/update_todos`, `cursor/task`, …) tell nothing we show.
    if (isKeyed) toSdk({ jsonrpc: '2.0', id, method, params: message.params })
  } else if (!isKeyed || !pending.delete(id)) {
    handlers.odd('late-event', text)
  } else {
    toSdk(answerOf(id, message))
  }
}

function answerOf(id: number | string, message: JsonObject): AnyMessage {
  const error = objectAt(message, 'error')
  if (error === undefined) return { jsonrpc: '2.0', id, result: message.result ?? null }
  const { code } = error
  return {
    jsonrpc: '2.0',
    id,
    error: {
      code: typeof code === 'number' ? code : -32603,
      message: stringAt(error, 'message') ?? 'no message',
      data: error.data,
    },
  }
}

interface Incoming {
  readonly readable: ReadableStream<AnyMessage>
  readonly push: (message: AnyMessage) => void
  readonly end: () => void
}

function incomingStream(): Incoming {
  let controller: ReadableStreamDefaultController<AnyMessage> | undefined
  const readable = new ReadableStream<AnyMessage>({
    start: (opened) => {
      controller = opened
    },
    cancel: () => {
      controller = undefined
    },
  })
  return {
    readable,
    push: (message) => controller?.enqueue(message),
    end: () => {
      controller?.close()
      controller = undefined
    },
  }
}
