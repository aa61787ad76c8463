// A server of the test itself, on a free port.
import type { Server } from 'node:net'

/** Listens on loopback; returns the address as `http://127.0.0.1:PORT`. */
export async function listenOn(server: Server): Promise<string> {
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no address')
  return `http://127.0.0.1:${address.port}`
}
