// Memory of a process as the system sees it.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** Resident memory in MiB, from /proc where it exists, else from `ps`. */
export function residentMiB(pid: number): number {
  const file = `/proc/${pid}/status`
  const text = existsSync(file)
    ? (/^VmRSS:\s+(\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '')
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' }).trim()
  if (text === '') throw new Error(`no memory of process ${pid}`)
  return Number(text) / 1024
}
