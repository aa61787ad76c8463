// What is known about rule files in real workspaces, on disk in our own folder: who uses them, and what we made there.
// Written before anything is made, so that whatever a crash leaves can be taken away by the next one who looks.

import { randomBytes } from 'node:crypto'
import { renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../lib/digest.ts'
import { isErrno } from '../lib/errno.ts'
import { namesIn, readIfThere } from '../lib/files.ts'
import {
  arrayAt,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  parseJson,
  stringAt,
} from '../lib/json.ts'
import { processLives, readStat } from '../lib/process-identity.ts'
import { type Holder, holderLives, readHolder } from './file-lock.ts'

/** One run that needs rule files. */
export interface RuleUser {
  readonly holder: Holder
  readonly workspace: string
  /** Names of the rule files it needs. */
  readonly files: readonly string[]
  readonly exclude: string | undefined
  readonly sinceMs: number
  /** The agent's process, once it has started. */
  readonly child: { readonly pid: number; readonly startTime: string | undefined } | undefined
}

/** A workspace in which we made something. */
export interface RulePlace {
  readonly workspace: string
  /** Names of rule files that we made. */
  readonly files: readonly string[]
  /** Folders that we made, relative to the workspace, outer ones first. */
  readonly folders: readonly string[]
  readonly exclude: string | undefined
}

/** A user without a child is about to start one, unless its thread died: then it counts no longer than this. */
const STARTING_MS = 60_000
const USER = /^user-[a-f0-9]{16}\.json$/
const PLACE = /^place-[a-f0-9]{32}\.json$/
const DRAFT = /\.tmp$/

export const newUserName = (): string => `user-${randomBytes(8).toString('hex')}.json`

export function placeName(workspace: string): string {
  return `place-${sha256(workspace).slice(0, 32)}.json`
}

export function userLives(user: RuleUser, nowMs: number): boolean {
  if (!holderLives(user.holder)) return false
  if (user.child === undefined) return nowMs - user.sinceMs < STARTING_MS
  return processLives(user.child.pid, user.child.startTime)
}

export function childOf(pid: number): RuleUser['child'] {
  return { pid, startTime: readStat(pid)?.startTime }
}

/** Whole or not at all. */
export function writeRecord(dir: string, name: string, record: RuleUser | RulePlace): void {
  const draft = join(dir, `${name}.${randomBytes(4).toString('hex')}.tmp`)
  writeFileSync(draft, JSON.stringify(record), { mode: 0o600 })
  renameSync(draft, join(dir, name))
}

export function removeRecord(dir: string, name: string): void {
  try {
    unlinkSync(join(dir, name))
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}

/** All users by file name; files that are not readable as such are nobody's and are left out. */
export function readUsers(dir: string): ReadonlyMap<string, RuleUser> {
  return readAll(dir, USER, parseUser)
}

export function readPlaces(dir: string): ReadonlyMap<string, RulePlace> {
  return readAll(dir, PLACE, parsePlace)
}

/** Drafts of writers that died; a living one takes microseconds. */
export function removeOldDrafts(dir: string, nowMs: number): void {
  for (const name of namesIn(dir).filter((entry) => DRAFT.test(entry))) {
    const found = statSync(join(dir, name), { throwIfNoEntry: false })
    if (found !== undefined && nowMs - found.mtimeMs > STARTING_MS) removeRecord(dir, name)
  }
}

function readAll<T>(
  dir: string,
  form: RegExp,
  parse: (value: JsonObject) => T | undefined,
): Map<string, T> {
  const records = new Map<string, T>()
  for (const name of namesIn(dir)) {
    const value = form.test(name) ? parseJson(readIfThere(join(dir, name))) : undefined
    const record = isObject(value) ? parse(value) : undefined
    if (record !== undefined) records.set(name, record)
  }
  return records
}

function parseUser(value: JsonObject): RuleUser | undefined {
  const holder = readHolder(value.holder)
  const workspace = stringAt(value, 'workspace')
  if (holder === undefined || workspace === undefined) return undefined
  const child = objectAt(value, 'child')
  const pid = child === undefined ? undefined : numberAt(child, 'pid')
  return {
    holder,
    workspace,
    files: stringsAt(value, 'files'),
    exclude: stringAt(value, 'exclude'),
    sinceMs: numberAt(value, 'sinceMs') ?? 0,
    child:
      child === undefined || pid === undefined
        ? undefined
        : { pid, startTime: stringAt(child, 'startTime') },
  }
}

function parsePlace(value: JsonObject): RulePlace | undefined {
  const workspace = stringAt(value, 'workspace')
  if (workspace === undefined) return undefined
  return {
    workspace,
    files: stringsAt(value, 'files'),
    folders: stringsAt(value, 'folders'),
    exclude: stringAt(value, 'exclude'),
  }
}

function stringsAt(value: JsonObject, key: string): readonly string[] {
  return (arrayAt(value, key) ?? []).filter((entry) => typeof entry === 'string')
}
