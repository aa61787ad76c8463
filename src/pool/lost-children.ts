// Ends children whose worker thread can no longer do it: by pid, with what the ledger recorded about them.
import { readdirSync, rmSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { openLedger } from '../process/ledger.ts'
import { type LedgerEntry, readEntry } from '../process/ledger-files.ts'
import { endGroup } from '../process/terminate.ts'
import type { SeatSettings } from './options.ts'

export type OnKilled = (signal: 'SIGTERM' | 'SIGKILL') => void

export interface LostChildren {
  /** Ends the group led by `pid` with all it left, removes its folders, forgets it. Never rejects for one already gone. */
  end(pid: number): Promise<void>
  /** Ends all that this instance's ledger still holds. For a pool whose threads are gone. */
  endRecorded(): Promise<number>
}

export function lostChildren(settings: SeatSettings, onKilled: OnKilled): LostChildren {
  const { ledgerDir, instance, killGraceMs, hasPs } = settings
  const folder = join(ledgerDir, instance)

  async function end(pid: number): Promise<void> {
    const entry = readEntry(join(folder, `${pid}.json`))
    const startTime = entry?.startTime
    await endGroup(pid, { exitGraceMs: 0, killGraceMs, hasPs, onKilled, startTime })
    if (entry !== undefined) removeFolders(entry, instance)
    openLedger(ledgerDir, instance).forget(pid)
  }

  async function endRecorded(): Promise<number> {
    const pids = filesOf(folder).flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
    await Promise.all(pids.map((pid) => end(Number(pid))))
    return pids.length
  }

  return { end, endRecorded }
}

/** Only folders whose name says that this instance made them. */
function removeFolders(entry: LedgerEntry, instance: string): void {
  for (const folder of entry.folders) {
    if (!basename(folder).startsWith(`${instance}-`)) continue
    rmSync(folder, { recursive: true, force: true, maxRetries: 2 })
  }
}

function filesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}
