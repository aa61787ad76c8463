// Our own version, from the package.json this code was installed with.
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readIfThere } from './files.ts'
import { isObject, parseJson, stringAt } from './json.ts'

/** The version in the nearest package.json above this file. */
export function ownVersion(): string {
  for (let folder = dirname(fileURLToPath(import.meta.url)); ; folder = dirname(folder)) {
    const value = parseJson(readIfThere(join(folder, 'package.json')))
    if (isObject(value)) return stringAt(value, 'version') ?? 'unknown'
    if (folder === dirname(folder)) return 'unknown'
  }
}
