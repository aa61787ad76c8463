// A lock between threads and processes that survives crashes: a file that exists while somebody holds it, and says who.
// No kernel lock is used, because Node has none; a dead holder's lock is taken over by exactly one of those who wait.
import { randomBytes } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { isErrno } from '../lib/errno.ts'
import { isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'
import { processLives, readStat } from '../lib/process-identity.ts'

/** Who holds something; lives as long as that very process. */
export interface Holder {
  readonly pid: number
  readonly startTime: string | undefined
  readonly host: string
}

const POLL_MS = 5
/** No system gives out this pid. */
const NOBODY = 0x7fff_ffff

export function thisProcess(): Holder {
  return { pid: process.pid, startTime: readStat(process.pid)?.startTime, host: hostname() }
}

export function readHolder(value: unknown): Holder | undefined {
  if (!isObject(value)) return undefined
  const pid = numberAt(value, 'pid')
  const host = stringAt(value, 'host')
  if (pid === undefined || host === undefined) return undefined
  return { pid, host, startTime: stringAt(value, 'startTime') }
}

/** Another machine's processes cannot be judged from here: they count as alive. */
export function holderLives(holder: Holder): boolean {
  return holder.host !== hostname() || processLives(holder.pid, holder.startTime)
}

/**
 * Runs `work` (synchronous, so that the lock is held for milliseconds) while nobody else holds the lock of this folder.
 * @throws Error with code ETIMEDOUT when it was not free within `waitMs`; whatever the folder or `work` throws.
 */
export async function withLock<T>(folder: string, waitMs: number, work: () => T): Promise<T> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const nonce = randomBytes(8).toString('hex')
  const endMs = Date.now() + waitMs
  const lock = join(folder, 'lock')
  while (!claim(lock, nonce)) {
    if (takeOver(folder, lock, nonce)) continue
    if (Date.now() > endMs) throw timedOut(folder)
    await delay(POLL_MS * (1 + Math.random()))
  }
  try {
    return work()
  } finally {
    removeIfThere(lock)
  }
}

/** The file appears with its whole content or not at all. */
function claim(path: string, nonce: string): boolean {
  const draft = `${path}.${nonce}.tmp`
  writeFileSync(draft, JSON.stringify({ ...thisProcess(), nonce }), { mode: 0o600 })
  try {
    linkSync(draft, path)
    return true
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false
    throw error
  } finally {
    removeIfThere(draft)
  }
}

/**
 * Frees a lock whose holder died; true when it is worth trying again at once. Whoever frees it first claims the right to,
 * under the dead holder's nonce, and then looks again: only one living claimant can exist per nonce, so a lock that
 * somebody else has got meanwhile is never removed.
 */
function takeOver(folder: string, lock: string, nonce: string): boolean {
  const held = readLock(lock)
  if (held === undefined) return true
  if (holderLives(held.holder)) return false
  const right = join(folder, `takeover-${held.nonce}`)
  if (!claim(right, nonce)) {
    // The one who had the right died too: its claim is freed the same way.
    const claimant = readLock(right)
    return claimant !== undefined && !holderLives(claimant.holder) && takeOver(folder, right, nonce)
  }
  if (readLock(lock)?.nonce === held.nonce) removeIfThere(lock)
  removeIfThere(right)
  return true
}

interface Held {
  readonly holder: Holder
  readonly nonce: string
}

function readLock(path: string): Held | undefined {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined
    throw error
  }
  const value = parseJson(text)
  const holder = readHolder(value)
  const nonce = isObject(value) ? stringAt(value, 'nonce') : undefined
  // A lost write after a power cut: nobody's.
  if (holder === undefined || nonce === undefined || !/^[a-f0-9]{16}$/.test(nonce)) {
    return { holder: { pid: NOBODY, startTime: 'none', host: hostname() }, nonce: 'torn' }
  }
  return { holder, nonce }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error
  }
}

function timedOut(folder: string): Error {
  return Object.assign(new Error(`the lock in ${folder} was not free in time`), {
    code: 'ETIMEDOUT',
  })
}
