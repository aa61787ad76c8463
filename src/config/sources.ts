// The four sources of settings, each as a flat map key → raw value with its name. Pure; nothing is validated here but
// whether a key exists.
import { assertNever } from '../core/events.ts'
import { isObject } from '../lib/json.ts'
import type { Kind } from './kinds.ts'
import { unknownKey } from './problem.ts'
import { ENV_PREFIX, SETTINGS, type Setting } from './settings.ts'

export interface Given {
  readonly value: unknown
  /** For people: `config file /x/config.yaml`, `variable CURSOR_ADAPTER_PORT`, `flag --port`. */
  readonly source: string
}

export interface Source {
  readonly given: ReadonlyMap<string, Given>
  readonly problems: readonly string[]
}

const BY_KEY = new Map(SETTINGS.map((setting) => [setting.key, setting]))
const BY_ENV = new Map(SETTINGS.map((setting) => [setting.env, setting]))
const GROUPS = new Set(SETTINGS.filter((s) => s.key.includes('.')).map((s) => s.key.split('.')[0]))
/** Variables of ours that are no settings: our folder, the mark on our children, the demo agent's own. */
const NOT_SETTINGS = /^CURSOR_ADAPTER_(HOME|CHILD|DEMO_\w+)$/

/** Settings of a parsed YAML document. `undefined` and `null` (an empty file) give none. */
export function fromFile(document: unknown, file: string): Source {
  const source = `config file ${file}`
  if (document === undefined || document === null) return { given: new Map(), problems: [] }
  if (!isObject(document)) {
    return { given: new Map(), problems: [`${source}: expected keys and values at the top level`] }
  }
  const given = new Map<string, Given>()
  const problems: string[] = []
  const put = (key: string, value: unknown): void => {
    if (BY_KEY.has(key)) given.set(key, { value, source })
    else problems.push(unknownKey(key, source, [...BY_KEY.keys()]))
  }
  for (const [key, value] of Object.entries(document)) {
    if (!GROUPS.has(key)) put(key, value)
    else if (isObject(value)) for (const [k, v] of Object.entries(value)) put(`${key}.${k}`, v)
    else if (value !== null) problems.push(`${key}: in ${source}: expected a group of settings`)
  }
  return { given, problems }
}

/** Settings of the environment. An empty variable counts as not set, but for secrets, where it is refused. */
export function fromEnvironment(env: NodeJS.ProcessEnv): Source {
  const given = new Map<string, Given>()
  const problems: string[] = []
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !name.startsWith(ENV_PREFIX) || NOT_SETTINGS.test(name)) continue
    const setting = BY_ENV.get(name)
    if (setting === undefined) problems.push(unknownKey(name, 'environment', [...BY_ENV.keys()]))
    else if (value !== '' || setting.secret) {
      given.set(setting.key, { value: fromText(setting.kind, value), source: `variable ${name}` })
    }
  }
  return { given, problems }
}

/** Settings of flags, by key; `undefined` = not given. */
export function fromFlags(flags: Readonly<Record<string, string | undefined>>): Source {
  const given = new Map<string, Given>()
  for (const [key, value] of Object.entries(flags)) {
    const setting: Setting | undefined = BY_KEY.get(key)
    if (setting === undefined) throw new Error(`no setting ${key} behind a flag`)
    if (value === undefined) continue
    const source = `flag ${setting.flag ?? key}`
    given.set(key, { value: fromText(setting.kind, value), source })
  }
  return { given, problems: [] }
}

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  false: false,
  '0': false,
}

/** A text as the value it spells; a text that spells none stays as it is and is refused later, with its own words. */
function fromText(kind: Kind, text: string): unknown {
  switch (kind) {
    case 'integer':
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : text
    case 'boolean':
      return BOOLEANS[text.trim().toLowerCase()] ?? text
    case 'list':
      return text.split(',').map((item) => item.trim())
    case 'map':
      return jsonOr(text)
    case 'text':
      return text
    default:
      return assertNever(kind)
  }
}

function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return text
    throw error
  }
}
