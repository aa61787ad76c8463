// Where our own files are, and what counts as the local machine. Pure: environment and home come in as arguments.
import { join } from 'node:path'

/** `~` and `~/x` with the home folder put in; every other text unchanged (`~user` is not understood). */
export function expandHome(path: string, home: string): string {
  if (path === '~') return home
  return path.startsWith('~/') || path.startsWith('~\\') ? join(home, path.slice(2)) : path
}

/** Our own folder: `CURSOR_ADAPTER_HOME`, else `~/.cursor-adapter`. */
export function adapterHome(env: NodeJS.ProcessEnv, home: string): string {
  const set = env.CURSOR_ADAPTER_HOME
  return set === undefined || set === '' ? join(home, '.cursor-adapter') : expandHome(set, home)
}

/** True for addresses that only this machine can reach. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1').toLowerCase()
  return bare === 'localhost' || bare === '::1' || /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(bare)
}
