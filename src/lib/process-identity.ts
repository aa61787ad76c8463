// Who a pid is: pid plus start time names one process for good, a pid alone is reused. Cheap and synchronous where the
// system has /proc; elsewhere only "exists" can be said without starting `ps`.
import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import { isErrno } from './errno.ts'

export interface ProcessStat {
  readonly pid: number
  readonly ppid: number
  readonly group: number
  readonly session: number
  /** `<clock ticks since boot>@<start of the boot id>`: equal strings = the same process, also across a reboot. */
  readonly startTime: string
  readonly zombie: boolean
}

/** True where processes can be read from /proc. */
export const hasProc = process.platform === 'linux'

let bootTag: string | undefined

function bootId(): string {
  bootTag ??= readBootId()
  return bootTag
}

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').slice(0, 8)
  } catch (error) {
    // Some sandboxes hide it: start times then only hold within one boot.
    if (isErrno(error)) return ''
    throw error
  }
}

/** Reads the text of /proc/<pid>/stat. The command in brackets may itself hold spaces and brackets. Source: proc(5). */
export function parseStat(text: string, boot: string): ProcessStat | undefined {
  const pid = Number.parseInt(text, 10)
  const rest = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [state, ppid, group, session] = rest
  const threads = Number(rest[17])
  const ticks = rest[19]
  if (state === undefined || ticks === undefined || !Number.isInteger(pid)) return undefined
  return {
    pid,
    ppid: Number(ppid),
    group: Number(group),
    session: Number(session),
    startTime: `${ticks}@${boot}`,
    // A main thread that ended before its siblings shows Z too, but that process still works.
    zombie: (state === 'Z' && !(threads > 1)) || state === 'X',
  }
}

// Synchronous use only, so one buffer per thread is enough; a stat line is far shorter.
const scratch = Buffer.allocUnsafe(4096)

/** The process as it is now; undefined when there is none (or no /proc). Throws when out of descriptors. */
export function readStat(pid: number): ProcessStat | undefined {
  if (!hasProc) return undefined
  const text = readProc(pid, 'stat', scratch)
  return text === undefined ? undefined : parseStat(text, bootId())
}

/** Reads at most one buffer of a /proc file, as latin1; undefined when the process is gone or not ours to look at. */
export function readProc(pid: number, name: string, buffer: Buffer): string | undefined {
  let file: number | undefined
  try {
    file = openSync(`/proc/${pid}/${name}`, 'r')
    return buffer.toString('latin1', 0, readSync(file, buffer, 0, buffer.length, null))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) return undefined
    throw error
  } finally {
    if (file !== undefined) closeSync(file)
  }
}

/** True when something with this pid exists, zombies included; also when it belongs to somebody else. */
export function pidExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
    if (isErrno(error, 'EPERM')) return true
    throw error
  }
}

/**
 * True while that very process lives; a zombie does not. Where the start time cannot be read at once, any process with
 * this pid counts: the careful answer for "may its things be removed?".
 */
export function processLives(pid: number, startTime: string | undefined): boolean {
  if (!hasProc) return pidExists(pid)
  const stat = readStat(pid)
  if (stat === undefined || stat.zombie) return false
  return startTime === undefined || stat.startTime === startTime
}
