// The ledger's files: `<dir>/<instance>/owner.json` and one `<pid>.json` per live group. Reading tolerates torn files.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { arrayAt, isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'
import { processLives, readStat } from '../lib/process-identity.ts'

export interface LedgerEntry {
  readonly pid: number
  readonly startTime: string | undefined
  readonly folders: readonly string[]
  /** Carried only by this child's processes; ends what outlived its leader (see marker.ts). */
  readonly marker?: string | undefined
}

interface Owner {
  readonly pid: number
  readonly startTime: string | undefined
  readonly host: string
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

export function readEntry(file: string): LedgerEntry | undefined {
  return parseEntry(readText(file))
}

/** The entry a file holds; undefined for a torn or foreign one. Pure. */
export function parseEntry(text: string): LedgerEntry | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const pid = numberAt(value, 'pid')
  if (pid === undefined || !Number.isInteger(pid) || pid <= 1) return undefined
  const folders = (arrayAt(value, 'folders') ?? []).filter((folder) => typeof folder === 'string')
  return {
    pid,
    startTime: stringAt(value, 'startTime'),
    folders,
    marker: stringAt(value, 'marker'),
  }
}

/** Written under another name first: an owner file is whole or absent. */
export function writeOwner(folder: string): void {
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
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES')) return ''
    throw error
  }
}
