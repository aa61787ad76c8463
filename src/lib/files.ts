// Looks at the file system where what is not there is an answer, not an error.
import { readdirSync, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { isErrno } from './errno.ts'

/** False also for what cannot be looked at. */
export async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (error) {
    if (isErrno(error)) return false
    throw error
  }
}

/** Names in a folder, [] when there is no such folder. @throws any other system error */
export function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

/** '' when there is no such file. @throws any other system error */
export function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return ''
    throw error
  }
}
