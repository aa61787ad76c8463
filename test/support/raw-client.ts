// A client on a bare socket: reads as much as it is told to, when it is told to.
import { connect, type Socket } from 'node:net'

export interface RawClient {
  readonly socket: Socket
  /** Bytes read so far. */
  readonly received: () => number
  /** Takes at most this many bytes of what has arrived. */
  read(bytes: number): Buffer
}

/** Posts a JSON body; reads nothing by itself. */
export async function postRaw(url: string, path: string, body: unknown): Promise<RawClient> {
  const { hostname, port, host } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  // The service may cut the connection: that is what these clients are for.
  socket.on('error', () => undefined)
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`)
  let received = 0
  return {
    socket,
    received: () => received,
    read(bytes) {
      const wanted = Math.min(bytes, socket.readableLength)
      // `read(0)` only asks the system for more.
      const chunk: unknown = socket.read(wanted)
      if (!Buffer.isBuffer(chunk)) return Buffer.alloc(0)
      received += chunk.length
      return chunk
    },
  }
}
