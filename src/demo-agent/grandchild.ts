// A process left behind by the agent, as shells and language servers are. Source: reports on builds from 2025.09 on
// (worker-server).
import { spawn } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { JsonObject } from '../lib/json.ts'

/**
 * Starts a process that lives for ever and resolves with its pid once it is deaf (when asked to be): no signal can come
 * too early. It never keeps the agent itself alive.
 */
export async function startGrandchild(options: JsonObject): Promise<number> {
  const deaf = options.ignoreTerm === true
  const [command, args] = process.platform === 'win32' ? nodeSleeper(deaf) : shellSleeper(deaf)
  const child = spawn(command, args, {
    detached: options.ownGroup === true,
    stdio: ['ignore', options.holdStdout === true ? 'inherit' : 'ignore', 'ignore', 'pipe'],
  })
  const ready = child.stdio[3]
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    ready?.once('data', () => resolve())
  })
  child.unref()
  // The pipe's other end dies with the shell's `exec`; ours must not keep the event loop busy.
  if (isReadable(ready)) ready.destroy()
  return child.pid ?? 0
}

function isReadable(stream: unknown): stream is Readable {
  return typeof stream === 'object' && stream !== null && 'destroy' in stream
}

/** One small process: an ignored signal stays ignored across exec. */
function shellSleeper(deaf: boolean): readonly [string, string[]] {
  const trap = deaf ? `trap '' TERM; ` : ''
  return ['/bin/sh', ['-c', `${trap}echo ready >&3; exec 3>&-; exec sleep 2147483647`]]
}

function nodeSleeper(deaf: boolean): readonly [string, string[]] {
  const trap = deaf ? `process.on('SIGTERM', () => {});` : ''
  const code = `${trap}require('fs').writeSync(3, 'ready'); setInterval(() => {}, 2 ** 30)`
  return [process.execPath, ['-e', code]]
}
