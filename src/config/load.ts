// defaults < YAML file < environment < flags → frozen Config. Any doubt stops the start, all problems at once.
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parse, YAMLParseError } from 'yaml'
import { adapterHome, expandHome, isLoopback } from './paths.ts'
import { badValue, ConfigError } from './problem.ts'
import { type Config, configSchema } from './schema.ts'
import { SETTINGS } from './settings.ts'
import { fromEnvironment, fromFile, fromFlags, type Given } from './sources.ts'

export interface LoadInput {
  readonly env: NodeJS.ProcessEnv
  /** Setting key → text of its flag. */
  readonly flags?: Readonly<Record<string, string | undefined>>
  /** `--config`: must exist. Without it the usual file is read if it is there. */
  readonly file?: string | undefined
  /** The user's home folder; default: the system's answer. */
  readonly userHome?: string
}

export interface Loaded {
  readonly config: Config
  /** Our own folder, absolute: `~/.cursor-adapter` or `CURSOR_ADAPTER_HOME`. It may not exist yet. */
  readonly home: string
  /** The file that was read, if any. */
  readonly file: string | undefined
  /** Where each setting that is not at its default came from. */
  readonly sources: ReadonlyMap<string, string>
}

/** Reads all sources. @throws ConfigError naming every bad key, value, source and expected form. */
export function loadConfig(input: LoadInput): Loaded {
  const userHome = input.userHome ?? homedir()
  const home = resolve(adapterHome(input.env, userHome))
  const file =
    input.file === undefined ? join(home, 'config.yaml') : resolve(expandHome(input.file, userHome))
  const text = readConfigFile(file, input.file !== undefined)
  const sources = [
    fromFile(text === undefined ? undefined : parseYaml(text, file), file),
    fromEnvironment(input.env),
    fromFlags(input.flags ?? {}),
  ]
  const given = new Map(sources.flatMap((source) => [...source.given]))
  const problems = sources.flatMap((source) => source.problems)
  const checked = check(given, userHome)
  const all = [...problems, ...checked.problems]
  if (checked.config === undefined || all.length > 0) throw new ConfigError(all)
  const from = new Map([...given].map(([key, { source }]) => [key, source]))
  return {
    config: checked.config,
    home,
    file: text === undefined ? undefined : file,
    sources: from,
  }
}

/** The settings when nothing is configured at all. */
export function defaultConfig(): Config {
  return freeze(configSchema.parse(NO_GROUPS))
}

const NO_GROUPS = Object.fromEntries(
  SETTINGS.filter(({ key }) => key.includes('.')).map(({ key }) => [key.split('.')[0], {}]),
)

function readConfigFile(file: string, required: boolean): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOENT' && !required) return undefined
    const why = code === 'ENOENT' ? 'does not exist' : `cannot be read (${String(code)})`
    throw new ConfigError([`config file ${file} ${why}`], { cause: error })
  }
}

function parseYaml(text: string, file: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch (error) {
    // yaml's word for an alias without its anchor; the message would quote the alias.
    if (error instanceof ReferenceError)
      throw new ConfigError([`config file ${file}: unknown alias`])
    if (!(error instanceof YAMLParseError)) throw error
    const line = error.linePos?.[0].line
    // Only the first line: the rest quotes the file, which may hold a key.
    const what = error.message.split('\n')[0] ?? ''
    throw new ConfigError([
      `config file ${file}${line === undefined ? '' : `, line ${line}`}: ${what}`,
    ])
  }
}

interface Checked {
  readonly config: Config | undefined
  readonly problems: readonly string[]
}

function check(given: ReadonlyMap<string, Given>, userHome: string): Checked {
  const raw: Record<string, unknown> = {}
  const groups: Record<string, Record<string, unknown>> = {}
  for (const { key, path } of SETTINGS) {
    const [group = '', inner] = key.split('.')
    const value = given.get(key)?.value
    const ready = path ? expanded(value, userHome) : value
    if (inner === undefined) raw[key] = ready
    else {
      groups[group] ??= {}
      groups[group][inner] = ready
    }
  }
  const parsed = configSchema.safeParse({ ...raw, ...groups })
  if (parsed.success) return { config: freeze(parsed.data), problems: exposure(parsed.data) }
  const bad = new Set(parsed.error.issues.map((issue) => keyOf(issue.path)))
  return {
    config: undefined,
    problems: SETTINGS.filter(({ key }) => bad.has(key)).map((setting) => {
      const at = given.get(setting.key)
      return badValue(setting, at?.value, at?.source ?? 'its default')
    }),
  }
}

const KEYS = new Set(SETTINGS.map(({ key }) => key))

/** The setting that an issue inside it (an item of a list) belongs to. */
function keyOf(path: readonly PropertyKey[]): string {
  const two = path.slice(0, 2).join('.')
  return KEYS.has(two) ? two : String(path[0])
}

function expanded(value: unknown, userHome: string): unknown {
  if (typeof value === 'string') return expandHome(value, userHome)
  return Array.isArray(value) ? value.map((item: unknown) => expanded(item, userHome)) : value
}

/** Open to other machines without a key is refused: anyone could spend the plan and drive an agent. */
function exposure(config: Config): readonly string[] {
  if (isLoopback(config.host) || config.api_key !== null) return []
  return [
    `host: '${config.host}' can be reached from other machines, so api_key must be set too (or use 127.0.0.1)`,
  ]
}

function freeze<T extends object>(value: T): T {
  for (const inner of Object.values(value)) {
    if (typeof inner === 'object' && inner !== null) freeze(inner)
  }
  return Object.freeze(value)
}
