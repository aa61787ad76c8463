// Memory of another process, where that costs nothing to know.
import { readFileSync } from 'node:fs'
import { isErrno } from './errno.ts'

/** Source: man proc: pages are 4 KiB on the systems we run on; larger ones only make the answer smaller. */
const PAGE_BYTES = 4096

/** Resident bytes of a process; undefined where there is no /proc, or no such process. */
export function residentBytes(pid: number): number | undefined {
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    return Number.isFinite(pages) ? pages * PAGE_BYTES : undefined
  } catch (error) {
    if (isErrno(error)) return undefined
    throw error
  }
}
