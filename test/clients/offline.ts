// Runs the suite once more where there is no network but loopback, if the system lets an ordinary user do that.
import { spawn, spawnSync } from 'node:child_process'

const INSIDE = 'CURSOR_ADAPTER_CLIENTS_OFFLINE'
const UP = 'ip link set lo up'
/** No network but loopback; a process table of its own, so that no helper of a client outlives the suite. */
const APART = ['-rn', '--pid', '--fork', '--kill-child', '--mount-proc', 'sh', '-c']

/** Exit code of the suite inside; undefined when this is the inside, or there is none to be had. */
export async function offline(): Promise<number | undefined> {
  if (process.env[INSIDE] !== undefined) return undefined
  if (spawnSync('unshare', [...APART, UP]).status !== 0) {
    process.stderr.write(
      'no network namespace (unshare): the clients are only told to use a proxy that is not there\n',
    )
    return undefined
  }
  const inside = [...APART, `${UP} && exec "$@"`, 'sh', process.execPath]
  const child = spawn('unshare', [...inside, ...process.argv.slice(1)], {
    env: { ...process.env, [INSIDE]: '1' },
    stdio: 'inherit',
  })
  // The inside is the first process of its table: the system spares it signals that it does not handle.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => child.kill('SIGKILL'))
  }
  return await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('exit', (code) => resolve(code ?? 1))
  })
}
