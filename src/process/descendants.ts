// The table of processes and who descends from whom. /proc where there is one, `ps` elsewhere.
import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { isErrno } from '../lib/errno.ts'
import { hasProc, readProc, readStat } from '../lib/process-identity.ts'

export interface ProcessFact {
  readonly pid: number
  readonly ppid: number
  readonly group: number
  /** The session it belongs to; -1 where the system does not tell. */
  readonly session: number
  /** Opaque; equal strings for one pid = the same process. */
  readonly startTime: string
  readonly zombie: boolean
}

/** Stat files read before other work of this thread gets its turn; one takes about 10 µs. */
const SLICE = 128

/** Every process that can be seen: from /proc on Linux, from `ps` elsewhere, [] when neither works. */
export async function listProcesses(): Promise<readonly ProcessFact[]> {
  if (!hasProc) return parsePs(await psOutput(['-A', ...PS_COLUMNS]))
  const facts: ProcessFact[] = []
  let read = 0
  for (const name of procNames()) {
    const stat = readStat(Number(name))
    if (stat !== undefined) facts.push(stat)
    read += 1
    if (read % SLICE === 0) await nextTurn()
  }
  return facts
}

function procNames(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch (error) {
    // No /proc mounted (some chroots): groups can still be signalled, only strays stay unseen.
    if (isErrno(error, 'ENOENT', 'EACCES')) return []
    throw error
  }
}

// Synchronous use only; one child is enough to know.
const scratch = Buffer.allocUnsafe(16)

/**
 * Whether the main thread of this process has a child; undefined where the system does not tell cheaply, and out of file
 * descriptors. Node starts children from there. The other threads are not asked: the kernel has to forget all that was
 * looked at when the process ends, and that costs more than the look (measured: 1 ms for 11 threads).
 * Source: proc(5), /proc/<pid>/task/<tid>/children.
 */
export function hasChildren(pid: number): boolean | undefined {
  if (!hasProc) return undefined
  try {
    const children = readProc(pid, `task/${pid}/children`, scratch)
    return children === undefined ? undefined : children !== ''
  } catch (error) {
    if (isErrno(error, 'EMFILE', 'ENFILE')) return undefined
    throw error
  }
}

/** Children, their children and so on, without the process itself. Pure. */
export function descendantsOf(pid: number, all: readonly ProcessFact[]): readonly ProcessFact[] {
  const children = new Map<number, ProcessFact[]>()
  for (const fact of all) {
    const siblings = children.get(fact.ppid)
    if (siblings === undefined) children.set(fact.ppid, [fact])
    else siblings.push(fact)
  }
  const found: ProcessFact[] = []
  const seen = new Set([pid])
  const open = [pid]
  for (let parent = open.pop(); parent !== undefined; parent = open.pop()) {
    for (const child of children.get(parent) ?? []) {
      if (seen.has(child.pid)) continue
      seen.add(child.pid)
      found.push(child)
      open.push(child.pid)
    }
  }
  return found
}

/** The start time of a live process; undefined when there is none or the system cannot tell. */
export async function startTimeOf(pid: number): Promise<string | undefined> {
  if (hasProc) return readStat(pid)?.startTime
  return parsePs(await psOutput(['-p', String(pid), ...PS_COLUMNS]))[0]?.startTime
}

/** Whether `ps` can be started. tree-kill takes the whole process down where it cannot (measured with 1.2.2). */
export async function hasPs(): Promise<boolean> {
  return (await psOutput(['-p', String(process.pid)])) !== ''
}

const PS_COLUMNS = ['-o', 'pid=,ppid=,pgid=,stat=,lstart=']

/** Output of `ps`, '' when it is missing or fails: callers treat that as "nothing known". */
function psOutput(args: readonly string[]): Promise<string> {
  if (process.platform === 'win32') return Promise.resolve('')
  return new Promise((resolve) => {
    const options = { env: { ...process.env, LC_ALL: 'C' }, timeout: 5_000, maxBuffer: 16 << 20 }
    execFile('ps', args, options, (error, stdout) => {
      resolve(error === null ? stdout : '')
    })
  })
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/gm

/** Lines of `pid ppid pgid stat lstart` → facts. Pure. */
export function parsePs(text: string): ProcessFact[] {
  return Array.from(text.matchAll(PS_LINE), (match) => ({
    pid: Number(match[1]),
    ppid: Number(match[2]),
    group: Number(match[3]),
    session: -1,
    startTime: match[5] ?? '',
    zombie: match[4]?.startsWith('Z') ?? false,
  }))
}
