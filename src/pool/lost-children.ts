// Ends children whose worker thread can no longer do it: by pid, with what the ledger recorded about them.
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { openLedger } from '../process/ledger.ts'
import { readEntry } from '../process/ledger-files.ts'
import { endGroup } from '../process/terminate.ts'
import type { SeatSettings } from './options.ts'

export type OnKilled = (signal: 'SIGTERM' | 'SIGKILL') => void

export interface LostChildren {
  /** Ends the group led by `pid` with all it left, removes its folders, forgets it. Never rejects for one already gone. */
  end(pid: number): Promise<void>
  /** For a pool whose threads are gone: ends what the ledger still holds, removes what is left of this instance's scratch. */
  endAll(): Promise<{ readonly groups: number; readonly folders: number }>
}

export function lostChildren(settings: SeatSettings, onKilled: OnKilled): LostChildren {
  const { ledgerDir, instance, killGraceMs, hasPs } = settings
  const folder = join(ledgerDir, instance)

  async function end(pid: number): Promise<void> {
    const entry = readEntry(join(folder, `${pid}.json`))
    const startTime = entry?.startTime
    await endGroup(pid, { exitGraceMs: 0, killGraceMs, hasPs, onKilled, startTime })
    if (entry !== undefined) removeFolders(entry.folders, instance)
    openLedger(ledgerDir, instance).forget(pid)
  }

  async function endAll(): Promise<{ readonly groups: number; readonly folders: number }> {
    const pids = namesIn(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    await Promise.all(pids.map((pid) => end(Number(pid))))
    // A thread that died between making a folder and recording it, or while removing it.
    const folders = namesIn(settings.scratchRoot).map((name) => join(settings.scratchRoot, name))
    return { groups: pids.length, folders: removeFolders(folders, instance) }
  }

  return { end, endAll }
}

/** Removes only folders whose name says that this instance made them. */
function removeFolders(folders: readonly string[], instance: string): number {
  const own = folders.filter((folder) => basename(folder).startsWith(`${instance}-`))
  for (const folder of own) rmSync(folder, { recursive: true, force: true, maxRetries: 2 })
  return own.length
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
