// Linux only: what a process has open is read from /proc.
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { listenOn } from '../support/listen.ts'
import { until } from '../support/until.ts'
import { descriptors } from './state.ts'

test.skipIf(process.platform !== 'linux')(
  'files, listeners, connections whose client is there and those it has left are told apart',
  async () => {
    const before = descriptors(process.pid)
    const more = (kind: string): number =>
      (descriptors(process.pid).get(kind) ?? 0) - (before.get(kind) ?? 0)
    const file = openSync('/etc/passwd', 'r')
    const taken: Socket[] = []
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      taken.push(socket.resume())
    })
    const { port } = new URL(await listenOn(server))
    const client = connect(Number(port), '127.0.0.1')
    await once(client, 'connect')
    await until('the connection', 2_000, () => taken.length === 1)
    expect(more('/etc/passwd')).toBe(1)
    expect(more('listener')).toBe(1)
    expect(more('left connection')).toBe(0)
    client.destroy()
    await until('it to be seen as left', 2_000, () => more('left connection') === 1)
    expect(before.has('left connection')).toBe(false)
    closeSync(file)
    taken[0]?.destroy()
    server.close()
    await once(server, 'close')
    expect(['/etc/passwd', 'listener', 'left connection'].map(more)).toEqual([0, 0, 0])
  },
)
