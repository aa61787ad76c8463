// Folders for work that belongs to no project: made, removed and swept here. Deletes only names it made itself.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, rmdirSync, type Stats, unlinkSync, writeFileSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, readFile, realpath, rm, rmdir } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'
import { processLives, readStat } from '../lib/process-identity.ts'

export interface ScratchFolder {
  /** `<scratchRoot>/<instance>-<random>`; the three below are in it. */
  readonly root: string
  readonly work: string
  readonly config: string
  readonly data: string
}

const NAME = /^([a-z0-9]{12})-[a-f0-9]{12}$/
const OWNER_FILE = 'owner.json'
/** A folder without an owner file is being made right now, unless it is older than this. */
const YOUNG_MS = 60_000
const PRIVATE = 0o700

/** `<scratchRoot>/<instance>-<random>/{work,config,data}`, 0700. The root must exist (prepareScratchRoot). */
export async function createScratch(scratchRoot: string, instance: string): Promise<ScratchFolder> {
  const root = join(scratchRoot, `${instance}-${randomBytes(6).toString('hex')}`)
  if (!NAME.test(basename(root))) throw new Error(`not an instance: ${JSON.stringify(instance)}`)
  // Synchronous: a seat's thread has nothing else to do meanwhile, and a round trip through the thread pool for each of
  // these small steps costs several times the step itself (measured: a third of all that a short run costs).
  mkdirSync(root, { mode: PRIVATE })
  writeOwner(root)
  const folder = {
    root,
    work: join(root, 'work'),
    config: join(root, 'config'),
    data: join(root, 'data'),
  }
  for (const path of [folder.work, folder.config, folder.data]) mkdirSync(path, { mode: PRIVATE })
  return folder
}

/** Removes a folder made by createScratch; already gone is fine. Throws for any other name. */
export async function removeScratch(folder: Pick<ScratchFolder, 'root'>): Promise<void> {
  if (!NAME.test(basename(folder.root))) {
    throw new Error(`not a scratch folder of ours: ${basename(folder.root)}`)
  }
  await removeOwned(folder.root)
}

/**
 * The folder all scratch folders live in: `configured`, else `<system tmp>/cursor-adapter-<uid>`; created 0700.
 * @returns its real path. Throws when it is a link, a file, or somebody else's: another user could then read or
 * replace what agents work on.
 */
export async function prepareScratchRoot(configured: string | undefined): Promise<string> {
  const path = configured ?? join(tmpdir(), `cursor-adapter-${userTag()}`)
  if (!isAbsolute(path)) throw rootError(path, 'is not an absolute path')
  await mkdir(dirname(path), { recursive: true })
  await makeIfMissing(path)
  const stat = await lstat(path)
  if (stat.isSymbolicLink()) throw rootError(path, 'is a link')
  if (!stat.isDirectory()) throw rootError(path, 'is not a folder')
  if (!isOwn(stat)) throw rootError(path, 'belongs to another user')
  if (process.platform !== 'win32' && (stat.mode & 0o077) !== 0) {
    // A folder the user pointed us to may be used by others on purpose; the one we named is ours to close.
    if (configured !== undefined) throw rootError(path, 'is open to others (chmod 700 it)')
    await chmod(path, PRIVATE)
  }
  return realpath(path)
}

/**
 * Removes scratch folders of dead instances: neither `isLive` nor the folder's own owner file vouches for them. Other
 * names, links and other users' folders are not touched. @returns how many were removed.
 */
export async function sweepScratch(
  scratchRoot: string,
  isLive: (instance: string) => boolean,
): Promise<number> {
  let removed = 0
  for (const name of await namesIn(scratchRoot)) {
    const instance = NAME.exec(name)?.[1]
    if (instance === undefined) continue
    const path = join(scratchRoot, name)
    const stat = await statOrNothing(path)
    if (stat === undefined || !stat.isDirectory() || !isOwn(stat)) continue
    if (isLive(instance) || (await ownerLives(path, stat))) continue
    await removeOwned(path)
    removed += 1
  }
  return removed
}

async function makeIfMissing(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: PRIVATE })
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error
  }
}

/** Another service, with a ledger elsewhere, may share this scratch root: the folder itself says whose it is. */
function writeOwner(root: string): void {
  const owner = { pid: process.pid, startTime: readStat(process.pid)?.startTime }
  writeFileSync(join(root, OWNER_FILE), JSON.stringify(owner), { mode: 0o600 })
}

async function ownerLives(path: string, stat: Stats): Promise<boolean> {
  const owner = parseJson(await textOrNothing(join(path, OWNER_FILE)))
  const pid = isObject(owner) ? numberAt(owner, 'pid') : undefined
  if (!isObject(owner) || pid === undefined) return Date.now() - stat.mtimeMs < YOUNG_MS
  return processLives(pid, stringAt(owner, 'startTime'))
}

/**
 * Removes a folder below one of ours, whatever an agent made of it; already gone is fine. Nobody waits for it, so it is left
 * to the thread pool: an empty folder alone may hold up a thread for a millisecond (measured, ext4 under load).
 */
export async function removeFolder(path: string): Promise<void> {
  try {
    await rmdir(path)
  } catch (error) {
    if (!isErrno(error)) throw error
    if (error.code !== 'ENOENT') await removeTree(path)
  }
}

/** The owner file goes last: a removal that is cut short leaves a folder that can be seen to be a dead service's. */
async function removeOwned(root: string): Promise<void> {
  if (removedAtOnce(root)) return
  for (const name of await namesIn(root)) {
    if (name !== OWNER_FILE) await removeTree(join(root, name))
  }
  await removeTree(root)
}

/** Most folders hold a handful of small files: those are gone sooner than the thread pool would have begun. */
const AT_ONCE = 100

/** False when it holds more than that, or resists: what is left is for the patient way. */
function removedAtOnce(root: string): boolean {
  let left = AT_ONCE
  const remove = (path: string): boolean => {
    const entries = readdirSync(path, { withFileTypes: true })
    left -= entries.length
    if (left < 0) return false
    const last = entries.find(({ name }) => path === root && name === OWNER_FILE)
    for (const entry of entries) {
      const child = join(path, entry.name)
      if (entry === last) continue
      if (!entry.isDirectory()) unlinkSync(child)
      else if (!remove(child)) return false
    }
    if (last !== undefined) unlinkSync(join(root, OWNER_FILE))
    rmdirSync(path)
    return true
  }
  try {
    return remove(root)
  } catch (error) {
    if (isErrno(error)) return false
    throw error
  }
}

/** Removes a folder that something may still be writing into, or that holds folders without write permission. */
async function removeTree(path: string): Promise<void> {
  // Retries cover ENOTEMPTY and EBUSY: a last write of a dying process between listing and removing.
  const options = { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }
  try {
    await rm(path, options)
  } catch (error) {
    if (!isErrno(error, 'EACCES', 'EPERM')) throw error
    // Module caches are read-only folders, for example.
    await openUp(path)
    await rm(path, options)
  }
}

async function openUp(path: string): Promise<void> {
  const stat = await statOrNothing(path)
  if (stat === undefined || !stat.isDirectory()) return
  await chmod(path, PRIVATE)
  for (const name of await namesIn(path)) await openUp(join(path, name))
}

async function namesIn(path: string): Promise<string[]> {
  try {
    return await readdir(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

async function statOrNothing(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
}

async function textOrNothing(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'EISDIR', 'EACCES')) return ''
    throw error
  }
}

function isOwn(stat: Stats): boolean {
  return process.getuid === undefined || stat.uid === process.getuid()
}

function userTag(): string {
  return process.getuid === undefined ? userInfo().username : String(process.getuid())
}

function rootError(path: string, problem: string): Error {
  return new Error(
    `scratch folder ${path} ${problem}; set workspace.scratch_root to a folder only you can use`,
  )
}
