// The groups that live now, as small files written synchronously, so that the next start can end what a killed service
// left: `<dir>/<instance>/owner.json` and one `<pid>.json` per group.
import { mkdirSync, readFileSync, renameSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { arrayAt, isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'
import { processLives, readStat } from '../lib/process-identity.ts'

export interface LedgerEntry {
  readonly pid: number
  readonly startTime: string | undefined
  readonly folders: readonly string[]
}

/** One small file per live group below `dir/<instance>/`. */
export interface Ledger {
  /** Synchronous: a crash right after spawn must be covered. Throws when the file cannot be written. */
  record(entry: LedgerEntry): void
  forget(pid: number): void
}

interface Owner {
  readonly pid: number
  readonly startTime: string | undefined
  readonly host: string
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

/**
 * True while the service that minted this instance lives, or when that cannot be judged from here (its home folder is
 * shared with another machine). Synchronous, so that it can be asked right before something is removed.
 */
export function instanceIsLive(dir: string, instance: string): boolean {
  const owner = readOwner(join(dir, instance))
  if (owner === undefined) return false
  if (owner.host !== hostname()) return true
  return processLives(owner.pid, owner.startTime)
}

/** The entry a file holds; undefined for a torn or foreign one. Pure. */
export function parseEntry(text: string): LedgerEntry | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const pid = numberAt(value, 'pid')
  if (pid === undefined || !Number.isInteger(pid) || pid <= 1) return undefined
  const folders = (arrayAt(value, 'folders') ?? []).filter((folder) => typeof folder === 'string')
  return { pid, startTime: stringAt(value, 'startTime'), folders }
}

/** Written under another name first: an owner file is whole or absent. */
function writeOwner(folder: string): void {
  const owner: Owner = {
    pid: process.pid,
    startTime: readStat(process.pid)?.startTime,
    host: hostname(),
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = join(folder, `owner.${process.pid}.${process.hrtime.bigint()}.tmp`)
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 })
  renameSync(draft, join(folder, 'owner.json'))
}

function readOwner(folder: string): Owner | undefined {
  const value = parseJson(readText(join(folder, 'owner.json')))
  if (!isObject(value)) return undefined
  const pid = numberAt(value, 'pid')
  const host = stringAt(value, 'host')
  if (pid === undefined || host === undefined) return undefined
  return { pid, startTime: stringAt(value, 'startTime'), host }
}

/** The file's text, '' when there is none. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES')) return ''
    throw error
  }
}
