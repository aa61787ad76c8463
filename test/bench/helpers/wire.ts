// One POST over a raw socket: no client library whose own work would be measured. Times by the monotonic clock that all
// processes share.
import { connect, type Socket } from 'node:net'

/** Answers of the benchmark begin with `~`: this ends the moment before the first text, in any JSON around it. */
export const FIRST_TEXT = Buffer.from('":"~')

export interface Sent {
  readonly url: string
  readonly path: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

export interface Listener {
  /** Bytes as they arrive, HTTP framing included, at `atMs`. */
  readonly onData: (chunk: Buffer, atMs: number, socket: Socket) => void
}

/** Milliseconds of the monotonic clock, with the fraction. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6
}

/** Sends the request; resolves when the reply's connection is closed. A cut connection is an end like another. */
export function exchange(
  { url, path, body, headers = {} }: Sent,
  listener: Listener,
): Promise<void> {
  const { hostname, port, host } = new URL(url)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n${lines.join('')}\r\n`
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.write(head + body)
    socket.on('data', (chunk: Buffer) => listener.onData(chunk, nowMs(), socket))
    socket.on('error', reject)
    socket.on('close', () => resolve())
  })
}

let asked = 0

/** A streamed chat request whose prompt no other request has. */
export function chatBody(question: string): string {
  asked += 1
  return JSON.stringify({
    model: 'auto',
    stream: true,
    messages: [{ role: 'user', content: `${question} #${process.pid}-${asked}` }],
  })
}

export const CHAT = '/v1/chat/completions'
