// Our own version, from the package.json this code was installed with.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isErrno } from './errno.ts'
import { isObject, parseJson, stringAt } from './json.ts'

/** The version in the nearest package.json above this file. */
export function ownVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const value = parseJson(readIfThere(join(folder, 'package.json')))
    if (isObject(value)) return stringAt(value, 'version') ?? 'unknown'
    if (folder === dirname(folder)) return 'unknown'
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return ''
    throw error
  }
}
