// The groups that live now, recorded synchronously, so that the next start can end what a killed service left.
import { rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { type LedgerEntry, writeOwner } from './ledger-files.ts'

export { instanceIsLive, type LedgerEntry } from './ledger-files.ts'
export { type SweepReport, sweepLedger } from './sweep.ts'

/** One small file per live group below `dir/<instance>/`. */
export interface Ledger {
  /** Synchronous: a crash right after spawn must be covered. Throws when the file cannot be written. */
  record(entry: LedgerEntry): void
  forget(pid: number): void
}

/** Opens the ledger of this instance; every thread may do so for itself, the owner is the process. */
export function openLedger(dir: string, instance: string): Ledger {
  const folder = join(dir, instance)
  writeOwner(folder)
  return {
    record(entry) {
      const text = JSON.stringify(entry)
      const file = join(folder, `${entry.pid}.json`)
      try {
        writeFileSync(file, text, { mode: 0o600 })
      } catch (error) {
        if (!isErrno(error, 'ENOENT')) throw error
        // Somebody removed the folder: a live instance puts it back.
        writeOwner(folder)
        writeFileSync(file, text, { mode: 0o600 })
      }
    },
    forget(pid) {
      try {
        unlinkSync(join(folder, `${pid}.json`))
      } catch (error) {
        // A stale entry is harmless: its pid and start time match nothing any more.
        if (!isErrno(error)) throw error
      }
    },
  }
}

/** For a clean stop: takes the instance's own files away once all its children are gone. */
export function closeLedger(dir: string, instance: string): void {
  rmSync(join(dir, instance), { recursive: true, force: true })
}
