// Which folder a request may name as its workspace. Decides on real paths only, so that a link cannot lead outside.
import { constants, type Stats } from 'node:fs'
import { access, realpath, stat } from 'node:fs/promises'
import { isAbsolute, join, parse, relative, sep } from 'node:path'
import { Refusal } from '../core/failure.ts'
import { isErrno } from '../lib/errno.ts'

export interface LocateRules {
  /** Setting `workspace.roots`; empty = the home folder and the temporary folder. */
  readonly roots: readonly string[]
  readonly home: string
  readonly tmp: string
  readonly scratchRoot: string
  /** The service's own folder (configuration, state). */
  readonly ownHome: string
}

const CONTROL = /\p{Cc}/u

/**
 * The real path of a requested workspace.
 * @throws Refusal `invalid-request` (empty, relative, `..`, control characters, missing, a file) or `forbidden` (outside
 * the roots after resolving links; `/`, ~/.ssh, our own folder, below the scratch root; not accessible to us).
 */
export async function locateWorkspace(requested: string, rules: LocateRules): Promise<string> {
  checkText(requested)
  const shown = shortForm(requested, rules.home)
  const path = await realFolder(requested, shown)
  if (path === parse(path).root) throw forbidden(`${shown} is the root of the file system`)
  const closed = [join(rules.home, '.ssh'), rules.ownHome, rules.scratchRoot]
  for (const folder of await realPaths(closed)) {
    if (isWithin(path, folder)) throw forbidden(`${shown} is never a workspace`)
  }
  const roots = rules.roots.length === 0 ? [rules.home, rules.tmp] : rules.roots
  const open = await realPaths(roots.map((root) => expandHome(root, rules.home)))
  if (!open.some((root) => isWithin(path, root))) {
    throw forbidden(`${shown} is outside the allowed folders (setting workspace.roots)`)
  }
  return path
}

/** What can be said without looking at the disk. */
function checkText(requested: string): void {
  if (requested.trim() === '') throw invalid('it is empty')
  if (CONTROL.test(requested)) throw invalid('it contains control characters')
  if (requested.startsWith('~')) throw invalid('it must be an absolute path; "~" is not expanded')
  if (!isAbsolute(requested)) throw invalid('it must be an absolute path')
  if (requested.split(/[/\\]/).includes('..')) throw invalid('it must not contain ".."')
}

async function realFolder(requested: string, shown: string): Promise<string> {
  let path: string
  let found: Stats
  try {
    path = await realpath(requested)
    found = await stat(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) throw invalid(`${shown} does not exist`)
    if (isErrno(error, 'ELOOP', 'ENAMETOOLONG')) throw invalid(`${shown} cannot be resolved`)
    if (isErrno(error, 'EACCES', 'EPERM')) throw forbidden(`${shown} cannot be entered`)
    throw error
  }
  if (!found.isDirectory()) throw invalid(`${shown} is not a folder`)
  await checkAccess(path, shown)
  return path
}

async function checkAccess(path: string, shown: string): Promise<void> {
  try {
    await access(path, constants.R_OK | constants.X_OK)
  } catch (error) {
    if (isErrno(error, 'EACCES', 'EPERM')) throw forbidden(`${shown} cannot be entered`)
    throw error
  }
}

/** Real paths of those that exist; a folder that does not exist contains nothing. */
async function realPaths(paths: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(paths.map(realPathOrNothing))
  return found.filter((path) => path !== undefined)
}

async function realPathOrNothing(path: string): Promise<string | undefined> {
  try {
    return await realpath(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return undefined
    throw error
  }
}

/** Both absolute and real; a folder is within itself. */
export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

function expandHome(root: string, home: string): string {
  return root === '~' || root.startsWith('~/') ? join(home, root.slice(1)) : root
}

/** The value as it may be shown: an answer never spells out the home folder. */
function shortForm(requested: string, home: string): string {
  const text = isWithin(requested, home) ? join('~', relative(home, requested)) : requested
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text)
}

function invalid(problem: string): Refusal {
  return new Refusal('invalid-request', `The requested workspace is not usable: ${problem}.`)
}

function forbidden(problem: string): Refusal {
  return new Refusal('forbidden', `The requested workspace is not allowed: ${problem}.`)
}
