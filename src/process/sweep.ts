// Ends what dead instances of the service left behind. Only what is provably ours: pid and start time as recorded, or
// the marker in a process's environment; only folders that carry the dead instance's name.
import { lstatSync, readdirSync, rmdirSync, rmSync, type Stats, unlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { listProcesses, type ProcessFact, startTimeOf } from './descendants.ts'
import { instanceIsLive, type LedgerEntry, readEntry } from './ledger-files.ts'
import { isOfInstance, markerOf } from './marker.ts'
import { type EndOptions, endTree, type GroupOptions } from './terminate.ts'

export interface SweepReport {
  readonly groupsEnded: number
  readonly foldersRemoved: number
}

const INSTANCE = /^[a-z0-9]{12}$/
const ENTRY = /^\d+\.json$/
const OWN_FILE = /^(\d+\.json|owner\.json|owner\..*\.tmp)$/
/** A folder without an owner file is being made by another start right now, unless it is older than this. */
const YOUNG_MS = 10_000

/**
 * Ends what instances that are no longer alive left behind. Safe to run beside another live service and beside another
 * sweep. The exit grace is not used: whoever owned these processes is dead. What cannot be ended stays recorded.
 */
export async function sweepLedger(
  dir: string,
  ownInstance: string,
  options: EndOptions,
): Promise<SweepReport> {
  const dead = namesIn(dir).filter(
    (name) => INSTANCE.test(name) && name !== ownInstance && isDead(dir, name),
  )
  if (dead.length === 0) return { groupsEnded: 0, foldersRemoved: 0 }
  const reports = await Promise.all(dead.map((name) => sweepInstance(dir, name, options)))
  return {
    groupsEnded: reports.reduce((sum, report) => sum + report.groupsEnded, 0),
    foldersRemoved: reports.reduce((sum, report) => sum + report.foldersRemoved, 0),
  }
}

function isDead(dir: string, instance: string): boolean {
  const folder = join(dir, instance)
  const stat = statOrNothing(folder)
  if (stat === undefined || !stat.isDirectory() || instanceIsLive(dir, instance)) return false
  return namesIn(folder).includes('owner.json') || Date.now() - stat.mtimeMs > YOUNG_MS
}

async function sweepInstance(
  dir: string,
  instance: string,
  options: EndOptions,
): Promise<SweepReport> {
  const folder = join(dir, instance)
  const now = { ...options, exitGraceMs: 0 }
  const entries = namesIn(folder)
    .filter((name) => ENTRY.test(name))
    .map((name) => readEntry(join(folder, name)))
    .filter((entry) => entry !== undefined)
  const byLedger = await Promise.all(entries.map((entry) => endRecorded(entry, now)))
  // What lost its leader is found by its mark, after the leaders' trees are gone.
  const byMark = await Promise.all((await marked(instance)).map((fact) => endMarked(fact, now)))
  const ends = [...byLedger, ...byMark]
  if (ends.includes('stuck')) return { groupsEnded: countEnded(ends), foldersRemoved: 0 }
  const foldersRemoved = entries
    .flatMap((entry) => entry.folders)
    .filter((path) => removeFolder(path, instance)).length
  forgetInstance(folder)
  return { groupsEnded: countEnded(ends), foldersRemoved }
}

type Ending = 'ended' | 'nothing' | 'stuck'

function countEnded(ends: readonly Ending[]): number {
  return ends.filter((end) => end === 'ended').length
}

/** A zombie leader with the recorded start time still proves that the group of that number is ours. */
async function endRecorded(entry: LedgerEntry, options: EndOptions): Promise<Ending> {
  const { pid, startTime } = entry
  if (startTime === undefined || (await startTimeOf(pid)) !== startTime) return 'nothing'
  return endAll(pid, { ...options, startTime })
}

function endMarked(fact: Marked, options: EndOptions): Promise<Ending> {
  return endAll(fact.pid, { ...options, startTime: fact.startTime, marker: fact.marker })
}

async function endAll(pid: number, options: GroupOptions): Promise<Ending> {
  let signalled = false
  const gone = await endTree(pid, {
    ...options,
    onKilled: (signal) => {
      signalled = true
      options.onKilled?.(signal)
    },
  })
  if (!gone) return 'stuck'
  return signalled ? 'ended' : 'nothing'
}

interface Marked extends ProcessFact {
  readonly marker: string
}

/** The oldest living process of each marker of this instance: its siblings are found by the same marker. */
async function marked(instance: string): Promise<readonly Marked[]> {
  const oldest = new Map<string, Marked>()
  for (const fact of await listProcesses()) {
    if (fact.zombie || fact.pid === process.pid) continue
    const marker = markerOf(fact.pid)
    if (marker === undefined || !isOfInstance(marker, instance)) continue
    const known = oldest.get(marker)
    if (known === undefined || age(fact) < age(known)) oldest.set(marker, { ...fact, marker })
  }
  return [...oldest.values()]
}

function age(fact: ProcessFact): number {
  return Number.parseInt(fact.startTime, 10)
}

/** Only a real folder of our own named after the dead instance. True when it was there and is gone. */
function removeFolder(path: string, instance: string): boolean {
  if (!basename(path).startsWith(`${instance}-`)) return false
  const stat = statOrNothing(path)
  if (stat === undefined || !stat.isDirectory()) return false
  if (process.getuid !== undefined && stat.uid !== process.getuid()) return false
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 })
    return true
  } catch (error) {
    // Left for the sweep of scratch folders, which can open up read-only ones.
    if (isErrno(error)) return false
    throw error
  }
}

function forgetInstance(folder: string): void {
  for (const name of namesIn(folder))
    if (OWN_FILE.test(name)) tolerate(unlinkSync, join(folder, name))
  tolerate(rmdirSync, folder)
}

/** Another sweep may be faster, and a foreign file keeps its folder: both are fine. */
function tolerate(remove: (path: string) => void, path: string): void {
  try {
    remove(path)
  } catch (error) {
    if (!isErrno(error, 'ENOENT', 'ENOTEMPTY', 'EEXIST')) throw error
  }
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function statOrNothing(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
