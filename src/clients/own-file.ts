// A client's own file: writes our settings into it, remembers how it was, and brings that back.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { sha256 } from '../lib/digest.ts'
import { isErrno } from '../lib/errno.ts'
import { isObject, parseJson, stringAt } from '../lib/json.ts'
import { type Hunk, lineDiff, takeBack } from './line-diff.ts'

/** For people: why a file was left as it is. */
export class FileProblem extends Error {
  override readonly name = 'FileProblem'
}

export interface Target {
  readonly client: string
  /** Absolute. */
  readonly path: string
  /** Folder for what is remembered: our own folder's `setup`. */
  readonly memory: string
}

export interface Planned {
  readonly path: string
  readonly after: string
  readonly hunks: readonly Hunk[]
}

export interface Written extends Planned {
  /** Copy of the file as it was; undefined when there was none. */
  readonly backup: string | undefined
}

type Edit = (text: string) => string

/**
 * What writing would change. Starts from the file as it was before an earlier write, if nobody changed it since, so that
 * settings of that time do not stay behind. @throws FileProblem
 */
export function plan(target: Target, edit: Edit): Planned {
  const { now, base } = state(target)
  const after = edited(target, base, edit)
  return { path: target.path, after, hunks: lineDiff(now ?? '', after) }
}

/** Writes, having kept a copy; does nothing when nothing would change. @throws FileProblem */
export function write(target: Target, edit: Edit): Written {
  const { now, base, memory, untouched } = state(target)
  const after = edited(target, base, edit)
  const hunks = lineDiff(now ?? '', after)
  const paths = memoryPaths(target)
  const isNew = memory === undefined
  const original = isNew ? now : memory.original
  const backup = original === undefined ? undefined : paths.before
  if (now === after && !isNew) return { path: target.path, after, hunks, backup }
  mkdirSync(target.memory, { recursive: true, mode: 0o700 })
  // What was changed by hand since the last write is part of what must come back.
  const kept = isNew || untouched ? original : carried(target, base, memory)
  if (kept !== undefined) writeFileSync(paths.before, kept, { mode: 0o600 })
  const made = isNew ? firstMissing(dirname(target.path)) : memory.made
  writeFileSync(paths.after, after, { mode: 0o600 })
  const facts = { path: target.path, existed: kept !== undefined, made: made ?? null }
  writeFileSync(paths.facts, `${JSON.stringify(facts)}\n`, { mode: 0o600 })
  replaceFile(target.path, after)
  return { path: target.path, after, hunks, backup }
}

export type Undone =
  | { readonly how: 'restored' | 'removed' | 'taken-back'; readonly path: string }
  | { readonly how: 'nothing'; readonly path: string }

/**
 * The file as it was, byte for byte; when somebody changed it since, only our lines are taken out of it.
 * @throws FileProblem when those cannot be found any more.
 */
export function undo(target: Target): Undone {
  const { path } = target
  const memory = remembered(target)
  if (memory === undefined) return { how: 'nothing', path }
  const now = readText(path)
  let how: 'restored' | 'removed' | 'taken-back' = 'restored'
  if (now === undefined || now === memory.after) {
    if (memory.original !== undefined) replaceFile(path, memory.original)
    else {
      rmSync(path, { force: true })
      how = 'removed'
    }
  } else {
    replaceFile(path, carried(target, now, memory))
    how = 'taken-back'
  }
  if (how === 'removed' && memory.made !== undefined) removeEmpty(dirname(path), memory.made)
  for (const file of Object.values(memoryPaths(target))) rmSync(file, { force: true })
  return { how, path }
}

interface Memory {
  /** Undefined: there was no file. */
  readonly original: string | undefined
  readonly after: string
  /** The topmost folder made for the file. */
  readonly made: string | undefined
}

function state(target: Target): {
  readonly now: string | undefined
  readonly base: string
  readonly memory: Memory | undefined
  /** Nobody changed the file since we wrote it. */
  readonly untouched: boolean
} {
  const now = readText(target.path)
  const memory = remembered(target)
  const untouched = memory !== undefined && now === memory.after
  return { now, base: (untouched ? memory.original : now) ?? '', memory, untouched }
}

/** What somebody made of the file since, without what we wrote. */
function carried(target: Target, now: string, { original = '', after }: Memory): string {
  const back = takeBack(now, lineDiff(original, after), original)
  if (back !== undefined) return back
  const { before } = memoryPaths(target)
  throw new FileProblem(
    `${target.path} was changed since in the very lines that were written; take them out by hand (a copy of the file as it was: ${before})`,
  )
}

function edited({ path }: Target, base: string, edit: Edit): string {
  try {
    return edit(base)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new FileProblem(`${path} is left as it is: ${error.message}`, { cause: error })
  }
}

function memoryPaths({
  client,
  path,
  memory,
}: Target): Record<'before' | 'after' | 'facts', string> {
  const digest = sha256(path).slice(0, 8)
  const base = join(memory, `${client}-${digest}`)
  return { before: `${base}.before`, after: `${base}.after`, facts: `${base}.json` }
}

function remembered(target: Target): Memory | undefined {
  const paths = memoryPaths(target)
  const facts = parseJson(readText(paths.facts) ?? '')
  const after = readText(paths.after)
  if (!isObject(facts) || after === undefined) return undefined
  const original = facts.existed === true ? readText(paths.before) : undefined
  return { original, after, made: stringAt(facts, 'made') }
}

/** Undefined when there is no such file. @throws FileProblem for what is no UTF-8 text. */
function readText(path: string): string | undefined {
  try {
    const bytes = readFileSync(path)
    const text = bytes.toString('utf8')
    if (!Buffer.from(text, 'utf8').equals(bytes)) throw new FileProblem(`${path} is no UTF-8 text`)
    return text
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (!isErrno(error)) throw error
    throw new FileProblem(`${path} cannot be read (${error.code})`, { cause: error })
  }
}

/** Whole or not at all; a link keeps pointing where it points, the file keeps its mode. */
function replaceFile(path: string, text: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const real = existsSync(path) ? realpathSync(path) : path
    const mode = existsSync(real) ? statSync(real).mode & 0o777 : 0o600
    const draft = `${real}.${process.pid}.tmp`
    writeFileSync(draft, text, { mode })
    renameSync(draft, real)
  } catch (error) {
    if (!isErrno(error)) throw error
    throw new FileProblem(`${path} cannot be written (${error.code})`, { cause: error })
  }
}

/** The topmost folder that is not there yet. */
function firstMissing(folder: string): string | undefined {
  let missing: string | undefined
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing = at
  return missing
}

/** Removes the folders that were made for the file, as far as nothing else is in them. */
function removeEmpty(folder: string, top: string): void {
  for (let at = folder; at.startsWith(top); at = dirname(at)) {
    try {
      rmdirSync(at)
    } catch (error) {
      if (isErrno(error, 'ENOTEMPTY', 'EEXIST', 'ENOENT')) return
      throw error
    }
  }
}
