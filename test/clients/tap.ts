// Between client and service: passes everything on unchanged, and notes what was asked and how it was answered.
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'

export interface Asked {
  readonly path: string
  /** Empty for requests without a JSON body. */
  readonly body: JsonObject
  /** 0 until the reply's headers came. */
  status: number
  /** The reply as far as it came. */
  answer: string
}

export interface Tap {
  readonly url: string
  /** Requests for an answer so far, in order. */
  turns(): readonly Asked[]
  close(): void
}

/** Listens on a free port of loopback and forwards to `target` (root URL of the service). */
export async function openTap(target: string): Promise<Tap> {
  const all: Asked[] = []
  const server = createServer((incoming, outgoing) => {
    void pass(target, all, incoming, outgoing)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the tap has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    turns: () =>
      all.filter(({ path }) => /^\/v1\/(?:messages|chat\/completions)(?:\?|$)/.test(path)),
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function pass(
  target: string,
  all: Asked[],
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise((resolve) => incoming.on('end', resolve))
  const sent = Buffer.concat(chunks)
  const body = parseJson(sent.toString('utf8'))
  const asked: Asked = {
    path: incoming.url ?? '/',
    body: isObject(body) ? body : {},
    status: 0,
    answer: '',
  }
  all.push(asked)
  const headers = { ...incoming.headers, host: new URL(target).host }
  const onward = request(target + asked.path, { method: incoming.method ?? 'GET', headers })
  onward.on('response', (answer) => {
    asked.status = answer.statusCode ?? 0
    outgoing.writeHead(asked.status, answer.headers)
    answer.on('data', (chunk: Buffer) => {
      asked.answer += chunk.toString('utf8')
    })
    answer.on('error', () => outgoing.destroy())
    answer.pipe(outgoing)
  })
  onward.on('error', () => outgoing.destroy())
  // A client that leaves must be seen to leave by the service too.
  outgoing.on('close', () => onward.destroy())
  onward.end(sent)
}
