// Settings into a client's file, whatever its format; the outcome is read again before anybody writes it. Pure.
import { isDeepStrictEqual } from 'node:util'
import type { ConfigFile, Setting } from '../client.ts'
import { withValue } from './json-value.ts'
import { readJsonc, setJsonc } from './jsonc.ts'
import { setToml } from './toml.ts'
import { readYaml, setYaml } from './yaml.ts'

interface Editor {
  readonly set: (text: string, settings: readonly Setting[]) => string
  /** Undefined where the format cannot be read back. */
  readonly read: ((text: string) => unknown) | undefined
}

const EDITORS: Readonly<Record<ConfigFile['format'], Editor>> = {
  jsonc: { set: setJsonc, read: readJsonc },
  toml: { set: setToml, read: undefined },
  yaml: { set: setYaml, read: readYaml },
}

/** The text with the settings in it. @throws Error naming the line that is not understood; nothing is guessed. */
export function applySettings(
  format: ConfigFile['format'],
  text: string,
  settings: readonly Setting[],
): string {
  const { set, read } = EDITORS[format]
  const after = set(text, settings)
  if (read !== undefined) {
    const wanted = settings.reduce<unknown>(
      (base, { path, value }) => withValue(base, path, value),
      read(text),
    )
    if (!isDeepStrictEqual(read(after), wanted)) {
      throw new Error('the file has a form that cannot be edited safely')
    }
  }
  return after
}
