// Is the port free, or ours already?
import { createServer } from 'node:net'
import { isErrno } from '../lib/errno.ts'
import { get } from '../ops/inquiry.ts'
import { liveService } from '../process/service-file.ts'
import type { Finding } from './finding.ts'

export const port: Finding = {
  name: 'port',
  why: 'the service listens there',
  check: async ({ loaded }) => {
    const { host, port, api_key } = loaded.config
    const running = liveService(loaded.home)
    if (running !== undefined && new URL(running.url).port === String(port)) {
      return { at: 'good', text: `${running.url} is served by cursor-adapter, pid ${running.pid}` }
    }
    const fault = await bindFault(host, port)
    if (fault === undefined) return { at: 'good', text: `${host}:${port} is free` }
    const answer =
      fault === 'EADDRINUSE'
        ? await get(`http://${host}:${port}`, '/health', api_key, 2000)
        : undefined
    if (answer?.reached === true && answer.body.includes('"cursor_cli"')) {
      return {
        at: 'good',
        text: `${host}:${port} is served by a cursor-adapter with another home folder`,
      }
    }
    const text = fault === 'EADDRINUSE' ? 'is used by another program' : `cannot be used (${fault})`
    return { at: 'bad', text: `${host}:${port} ${text}`, fix: 'set port (or --port) to a free one' }
  },
}

/** The system's code for why the address cannot be listened on; undefined when it can. */
function bindFault(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', (error) => {
      if (isErrno(error)) resolve(error.code)
      else reject(error)
    })
    server.listen(port, host, () => server.close(() => resolve(undefined)))
  })
}
