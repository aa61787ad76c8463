// run/service.json in our own folder: where the running service is, for `status` and `models`.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { isObject, numberAt, parseJson, stringAt } from '../lib/json.ts'

export interface ServiceFile {
  readonly pid: number
  readonly url: string
  readonly version: string
  /** ISO 8601. */
  readonly startedAt: string
}

const pathIn = (home: string): string => join(home, 'run', 'service.json')

/** Written whole or not at all, readable by the user only. The last service started wins. */
export function writeServiceFile(home: string, facts: ServiceFile): void {
  const path = pathIn(home)
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  writeFileSync(draft, `${JSON.stringify(facts)}\n`, { mode: 0o600 })
  renameSync(draft, path)
}

/** The file's facts; undefined when there is none or it is not one of ours. */
export function readServiceFile(home: string): ServiceFile | undefined {
  let text: string
  try {
    text = readFileSync(pathIn(home), 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    throw error
  }
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const [pid, url] = [numberAt(value, 'pid'), stringAt(value, 'url')]
  if (pid === undefined || url === undefined) return undefined
  const version = stringAt(value, 'version') ?? ''
  return { pid, url, version, startedAt: stringAt(value, 'startedAt') ?? '' }
}

/** Removes the file if it names this process: a service started later keeps its own. */
export function removeServiceFile(home: string, pid: number): void {
  if (readServiceFile(home)?.pid === pid) rmSync(pathIn(home), { force: true })
}

/** The facts of a service whose process still exists. */
export function liveService(home: string): ServiceFile | undefined {
  const facts = readServiceFile(home)
  return facts !== undefined && exists(facts.pid) ? facts : undefined
}

function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
    if (isErrno(error, 'EPERM')) return true
    throw error
  }
}
