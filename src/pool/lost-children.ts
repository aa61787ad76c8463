// Ends children whose worker thread can no longer do it: by pid, with what the ledger recorded about them.
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { namesIn } from '../lib/files.ts'
import { openLedger } from '../process/ledger.ts'
import { readEntry } from '../process/ledger-files.ts'
import { endGroup } from '../process/terminate.ts'
import type { SeatSettings } from './options.ts'

export interface LostChildrenParts {
  readonly onKilled: (signal: 'SIGTERM' | 'SIGKILL') => void
  readonly removeFolder: ((path: string) => Promise<void>) | undefined
}

export interface LostChildren {
  /** Ends the group led by `pid` with all it left, removes its folders, forgets it. Never rejects for one already gone. */
  end(pid: number): Promise<void>
  /** Removes a folder that a conversation owned. Never rejects for one that is gone, or that is not ours. */
  remove(folder: string): Promise<void>
  /** For a pool whose threads are gone: ends what the ledger still holds, removes what is left of this instance's scratch. */
  endAll(): Promise<{ readonly groups: number; readonly folders: number }>
}

export function lostChildren(settings: SeatSettings, parts: LostChildrenParts): LostChildren {
  const { ledgerDir, instance, killGraceMs, hasPs } = settings
  const folder = join(ledgerDir, instance)
  const { onKilled, removeFolder = removeTree } = parts

  async function end(pid: number): Promise<void> {
    const entry = readEntry(join(folder, `${pid}.json`))
    const known = { startTime: entry?.startTime, marker: entry?.marker }
    await endGroup(pid, { exitGraceMs: 0, killGraceMs, hasPs, onKilled, ...known })
    if (entry !== undefined) await removeOwn(entry.folders)
    openLedger(ledgerDir, instance).forget(pid)
  }

  async function endAll(): Promise<{ readonly groups: number; readonly folders: number }> {
    const pids = namesIn(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    await Promise.all(pids.map((pid) => end(Number(pid))))
    // A thread that died between making a folder and recording it, or while removing it.
    const folders = namesIn(settings.scratchRoot).map((name) => join(settings.scratchRoot, name))
    return { groups: pids.length, folders: await removeOwn(folders) }
  }

  /** Removes only folders whose name says that this instance made them. */
  async function removeOwn(folders: readonly string[]): Promise<number> {
    const own = folders.filter((path) => basename(path).startsWith(`${instance}-`))
    for (const path of own) await removeFolder(path)
    return own.length
  }

  async function remove(path: string): Promise<void> {
    try {
      await removeOwn([path])
    } catch (error) {
      // It is taken by the sweep.
      if (!isErrno(error)) throw error
    }
  }

  return { end, endAll, remove }
}

function removeTree(path: string): Promise<void> {
  return rm(path, { recursive: true, force: true, maxRetries: 2 })
}
