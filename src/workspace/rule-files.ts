// Writes rule files where Cursor's agent finds them: freely in a scratch folder; in a real workspace shared by all runs
// that need them, across threads and services, and taken away by the last one.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { RuleFile } from '../core/job.ts'
import { sha256 } from '../lib/digest.ts'
import { isErrno } from '../lib/errno.ts'
import { thisProcess, withLock } from './file-lock.ts'
import { addExclude, excludeFileOf, removeExclude } from './git-exclude.ts'
import {
  childOf,
  newUserName,
  placeName,
  type RulePlace,
  type RuleUser,
  readPlaces,
  readUsers,
  removeOldDrafts,
  removeRecord,
  userLives,
  writeRecord,
} from './rule-records.ts'
import { RULE_MARK } from './rules.ts'

const FOLDERS = ['.cursor', join('.cursor', 'rules')] as const
const LOCK_MS = 5_000
/** Names that we give to rules; nothing else is ever written or removed. */
const OUR_NAME = /^cursor-adapter-[\w.-]+\.mdc$/

export interface SharedRules {
  /** The agent that needs them runs: they stay as long as it does, even if the thread that started it dies. */
  bind(pid: number): void
  /** Not needed any more; the last user's release takes everything away. Idempotent. */
  release(): Promise<void>
}

/** Into a scratch folder, which goes away as a whole. */
export async function writeScratchRules(work: string, rules: readonly RuleFile[]): Promise<void> {
  const folder = join(work, FOLDERS[1])
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await Promise.all(rules.map(({ name, text }) => writeFile(join(folder, name), text)))
}

/**
 * Puts the rules into `<workspace>/.cursor/rules` and hides them from git. A file that is already there and not ours is
 * left as it is. `dir` is our own folder for records.
 * @throws a system error when something of it is not possible (no permission, `.cursor` is a link or a file, the lock is
 * not free within 5 s); nothing is left behind then.
 */
export async function shareRules(
  dir: string,
  workspace: string,
  rules: readonly RuleFile[],
): Promise<SharedRules> {
  const name = newUserName()
  const user: RuleUser = {
    holder: thisProcess(),
    workspace,
    files: rules.map((rule) => rule.name).filter((file) => OUR_NAME.test(file)),
    exclude: excludeFileOf(workspace),
    sinceMs: Date.now(),
    child: undefined,
  }
  await withLock(dir, LOCK_MS, () => {
    collect(dir)
    writeRecord(dir, name, user)
    try {
      write(dir, user, rules)
    } catch (error) {
      removeRecord(dir, name)
      collect(dir)
      throw error
    }
  })
  let released = false
  return {
    bind(pid) {
      if (!released) writeRecord(dir, name, { ...user, child: childOf(pid) })
    },
    async release() {
      if (released) return
      released = true
      // Whoever collects next, or the next start, finishes what the lock did not let us do.
      removeRecord(dir, name)
      await withLock(dir, LOCK_MS, () => collect(dir))
    },
  }
}

/**
 * Takes away what users that are gone left behind, in every workspace. `own`: users of this very process count as gone
 * too (it is about to end). @returns how many rule files were removed.
 */
export async function sweepRules(dir: string, own: 'kept' | 'gone' = 'kept'): Promise<number> {
  if (!existsSync(dir)) return 0
  return withLock(dir, LOCK_MS, () => {
    removeOldDrafts(dir, Date.now())
    return collect(dir, own)
  })
}

function write(dir: string, user: RuleUser, rules: readonly RuleFile[]): void {
  const { workspace, exclude } = user
  const record = placeName(workspace)
  const known = readPlaces(dir).get(record)
  const missing = FOLDERS.filter((folder) => isMissing(join(workspace, folder)))
  const target = join(workspace, FOLDERS[1])
  const absent = user.files.filter((name) => !existsSync(join(target, name)))
  const place: RulePlace = {
    workspace,
    files: [...new Set([...(known?.files ?? []), ...absent])],
    folders: FOLDERS.filter((it) => missing.includes(it) || known?.folders.includes(it) === true),
    exclude,
  }
  writeRecord(dir, record, place)
  // Before the files, so that `git status` never shows them.
  if (exclude !== undefined) addExclude(exclude, tagOf(dir))
  for (const folder of missing) mkdirSync(join(workspace, folder))
  for (const { name, text } of rules) {
    // A file that is there is another run's, which may be reading it at this moment, or the project's own.
    if (absent.includes(name)) writeFileSync(join(target, name), text, { flag: 'wx' })
  }
}

/** True when the folder has to be made. @throws ENOTDIR for a file or a link: a link may lead anywhere. */
function isMissing(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false })
  if (found === undefined) return true
  if (found.isDirectory()) return false
  throw Object.assign(new Error(`${folder} is not a folder`), { code: 'ENOTDIR' })
}

/** Removes what no living user needs. Holds the lock. Errors in one workspace do not keep the others from being cleaned. */
function collect(dir: string, own: 'kept' | 'gone' = 'kept'): number {
  const nowMs = Date.now()
  const live: RuleUser[] = []
  for (const [name, user] of readUsers(dir)) {
    const isOwn = user.holder.pid === process.pid && own === 'gone'
    if (!isOwn && userLives(user, nowMs)) live.push(user)
    else removeRecord(dir, name)
  }
  let removed = 0
  for (const [record, place] of readPlaces(dir)) {
    try {
      removed += clean(dir, record, place, live)
    } catch (error) {
      // Not writable at the moment: the record stays, and so does the chance.
      if (!isErrno(error)) throw error
    }
  }
  return removed
}

function clean(dir: string, record: string, place: RulePlace, live: readonly RuleUser[]): number {
  const here = live.filter(({ workspace }) => workspace === place.workspace)
  const needed = new Set(here.flatMap(({ files }) => files))
  const surplus = place.files.filter((name) => !needed.has(name))
  for (const name of surplus) removeRule(join(place.workspace, FOLDERS[1], name))
  if (here.length > 0) {
    const files = place.files.filter((name) => needed.has(name))
    if (surplus.length > 0) writeRecord(dir, record, { ...place, files })
    return surplus.length
  }
  for (const folder of place.folders.toReversed()) removeIfEmpty(join(place.workspace, folder))
  const { exclude } = place
  const isShared = live.some((user) => user.exclude === exclude)
  if (exclude !== undefined && !isShared) removeExclude(exclude, tagOf(dir))
  removeRecord(dir, record)
  return surplus.length
}

/** Only what bears our mark (or is still empty): the project may have put its own file there meanwhile. */
function removeRule(path: string): void {
  try {
    if (!lstatSync(path).isFile()) return
    const text = readFileSync(path, 'utf8')
    if (text === '' || text.includes(RULE_MARK)) unlinkSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTDIR')) throw error
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch (error) {
    // Somebody put something in it, or it is gone already.
    if (!isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR')) throw error
  }
}

/** Tells the lines of services with different folders apart in one exclude file. */
function tagOf(dir: string): string {
  return sha256(dir).slice(0, 8)
}
