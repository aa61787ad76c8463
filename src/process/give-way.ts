// A child's share of the processor while there is not enough for all.
import { writeFileSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { isErrno } from '../lib/errno.ts'
import { hasProc } from '../lib/process-identity.ts'

/** Linux takes one change of a session's share every 100 ms, from all processes together (kernel/sched/autogroup.c). */
const AGAIN_MS = 120
const TRIES = 20

/**
 * Makes the child, and what it starts, step back by `nice` (0 to 19, as of nice(1)) behind everything else that wants
 * the processor. On Linux each session is also weighed as a whole where `sched_autogroup_enabled` is 1 (source:
 * sched(7)): five children then outweigh all threads of the process that relays their words five to one. Best effort:
 * what the system does not allow stays as it is. `isThere` guards against a pid that is somebody else's by now.
 */
export function giveWay(pid: number, nice: number, isThere: () => boolean): void {
  if (nice <= 0) return
  try {
    if (getPriority(pid) < nice) setPriority(pid, nice)
  } catch (error) {
    if (!isErrno(error)) throw error
  }
  if (hasProc) sessionGivesWay({ pid, nice, isThere }, TRIES)
}

function sessionGivesWay(
  child: { readonly pid: number; readonly nice: number; readonly isThere: () => boolean },
  tries: number,
): void {
  if (!child.isThere()) return
  try {
    writeFileSync(`/proc/${child.pid}/autogroup`, String(child.nice))
  } catch (error) {
    if (!isErrno(error)) throw error
    // Another session's turn. Anything else is final: no such feature, not permitted, gone.
    if (!isErrno(error, 'EAGAIN') || tries <= 1) return
    setTimeout(() => sessionGivesWay(child, tries - 1), AGAIN_MS * (0.5 + Math.random())).unref()
  }
}
