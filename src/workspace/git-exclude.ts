// Hides our rule files from `git status`, through the repository's own exclude file, which is never committed.
// Found without the git program: its layout is documented and stable (gitrepository-layout(5)).
import {
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { RULE_PATTERN } from './rules.ts'

/**
 * The exclude file of the repository that `folder` is in, as `git rev-parse --git-path info/exclude` names it: shared by
 * all worktrees. Undefined outside of a repository.
 */
export function excludeFileOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const git = gitFolder(join(at, '.git'))
    if (git !== undefined) return join(commonFolder(git), 'info', 'exclude')
    if (dirname(at) === at) return undefined
  }
}

/** In a worktree and in a submodule `.git` is a file that names the folder. */
function gitFolder(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return undefined
  if (found.isDirectory()) return textOf(join(path, 'HEAD')) === undefined ? undefined : path
  const named = /^gitdir: (.+?)\s*$/.exec(textOf(path) ?? '')?.[1]
  return named === undefined ? undefined : absolute(named, dirname(path))
}

function commonFolder(git: string): string {
  const named = textOf(join(git, 'commondir'))?.trim()
  return named === undefined || named === '' ? git : absolute(named, git)
}

const absolute = (path: string, from: string): string =>
  isAbsolute(path) ? path : resolve(from, path)

/** Adds our line, once per `tag`. The file and its folder are made where they are missing. */
export function addExclude(file: string, tag: string): void {
  const text = textOf(file)
  if (text?.includes(opening(tag)) === true) return
  const joins = text !== undefined && text !== '' && !text.endsWith('\n')
  const notes = `${text === undefined ? ' (new file)' : ''}${joins ? ' (joined)' : ''}`
  mkdirSync(dirname(file), { recursive: true })
  replace(file, `${text ?? ''}${joins ? '\n' : ''}${opening(tag)}${notes}\n${RULE_PATTERN}\n`)
}

/** Takes our line away again and leaves every other byte as it is; a file that we made goes when nothing else is in it. */
export function removeExclude(file: string, tag: string): void {
  const text = textOf(file)
  if (text === undefined) return
  const start = text.indexOf(opening(tag))
  if (start < 0) return
  const endOfFirst = text.indexOf('\n', start)
  const first = text.slice(start, endOfFirst)
  const pattern = `${RULE_PATTERN}\n`
  const end = endOfFirst + 1 + (text.startsWith(pattern, endOfFirst + 1) ? pattern.length : 0)
  const before = text.slice(0, first.includes('(joined)') ? start - 1 : start)
  const rest = before + text.slice(end)
  if (rest === '' && first.includes('(new file)')) unlinkSync(file)
  else replace(file, rest)
}

const opening = (tag: string): string => `# cursor-adapter ${tag}: goes away with the last run`

/** Whole or not at all; keeps the mode, and a link stays a link. */
function replace(file: string, text: string): void {
  const target =
    lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true
      ? realpathSync(file)
      : file
  const mode = statSync(target, { throwIfNoEntry: false })?.mode
  const draft = `${target}.cursor-adapter.${process.pid}.tmp`
  writeFileSync(draft, text, mode === undefined ? {} : { mode: mode & 0o777 })
  renameSync(draft, target)
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EISDIR')) return undefined
    throw error
  }
}
