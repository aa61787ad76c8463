// The ways a signal is sent: to a group, to one process that is surely still the same, to a tree by other programs.
import treeKill from 'tree-kill'
import { isErrno } from '../lib/errno.ts'
import { hasProc, readStat } from '../lib/process-identity.ts'
import { type ProcessFact, startTimeOf } from './descendants.ts'

export type EndSignal = 'SIGTERM' | 'SIGKILL'

/**
 * Signals the whole group led by `pid`. False when it is already gone, or holds only what is not ours to signal;
 * throws on any other error.
 */
export function signalGroup(pid: number, signal: EndSignal): boolean {
  try {
    return process.kill(-pid, signal)
  } catch (error) {
    // EPERM: only zombies (macOS) or only processes of other users are left in it.
    if (isErrno(error, 'ESRCH', 'EPERM')) return false
    throw error
  }
}

/** Signals one process after checking that the pid still belongs to it. False when it is gone or not ours. */
export async function signalOne(fact: ProcessFact, signal: EndSignal): Promise<boolean> {
  const now = hasProc ? readStat(fact.pid)?.startTime : await startTimeOf(fact.pid)
  if (now !== fact.startTime) return false
  try {
    return process.kill(fact.pid, signal)
  } catch (error) {
    if (isErrno(error, 'ESRCH', 'EPERM')) return false
    throw error
  }
}

/**
 * tree-kill in its callback form: `taskkill /T /F` on Windows, `pgrep`/`ps` elsewhere. Only call it where those exist
 * and the root lives. Resolves in any case: what it could not end is seen by the next look at the tree.
 */
export function signalTree(pid: number, signal: EndSignal): Promise<void> {
  return new Promise((resolve) => {
    try {
      treeKill(pid, signal, () => {
        resolve()
      })
    } catch (error) {
      // It throws when it cannot even start its helper (out of descriptors or processes).
      if (!(error instanceof Error)) throw error
      resolve()
    }
  })
}
