// What `setup` and `run` know of one client. Pure data and functions: no file is read or written here.
import type { JsonValue } from './edit/json-value.ts'

export interface Facts {
  /** Root URL of the service, without `/v1`. */
  readonly url: string
  /** Variable that holds the access key; undefined when the service asks for none. */
  readonly keyEnv: string | undefined
  /** What was asked for with `--model`. */
  readonly model: string | undefined
  /** Models to offer where a client wants a list; at least `auto`. */
  readonly models: readonly KnownModel[]
}

export interface KnownModel {
  readonly id: string
  readonly label: string
  /** Tokens; undefined when unknown. */
  readonly contextWindow: number | undefined
}

/** The environment and home folder that decide where a client keeps its files. */
export interface Places {
  readonly env: NodeJS.ProcessEnv
  readonly home: string
}

/** One thing to do: a sentence, and the text it is about. */
export interface Part {
  readonly say: string
  readonly language: 'sh' | 'json' | 'toml' | 'yaml' | 'js'
  readonly text: string
}

export interface Setting {
  readonly path: readonly string[]
  readonly value: JsonValue
}

export interface ConfigFile {
  readonly format: 'jsonc' | 'toml' | 'yaml'
  /** Candidates, absolute; the first that exists is meant, else the last. */
  readonly paths: (places: Places) => readonly string[]
  /** In the order in which they are put in. */
  readonly settings: (facts: Facts) => readonly Setting[]
}

/** How the client is started for one run. */
export interface Launch {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** Variables of the user that would lead the client elsewhere. */
  readonly unset: readonly string[]
  /** A file in a folder that is there for this run only; the variable is set to the folder. */
  readonly folder?: { readonly variable: string; readonly file: string; readonly text: string }
}

export interface Client {
  /** As the command line takes it. */
  readonly name: string
  readonly title: string
  readonly parts: (facts: Facts) => readonly Part[]
  /** Worth knowing, after the parts. */
  readonly notes?: readonly string[]
  readonly file?: ConfigFile
  readonly run?: {
    readonly program: string
    /** What to type when the program is missing. */
    readonly install: string
    /** `key`: the access key itself, or any text where none is asked for. It may go into `env` only. */
    readonly launch: (facts: Facts, args: readonly string[], key: string) => Launch
  }
}

/** Name under which we appear in the files of clients. */
export const PROVIDER = 'cursor-adapter'
/** Any text will do where no key is asked for, but most clients insist on one. */
export const NO_KEY = 'unused'

export const v1 = ({ url }: Facts): string => `${url}/v1`
export const modelOf = ({ model }: Facts): string => model ?? 'auto'
/** The key as a shell writes it: a reference, never the key. */
export const shellKey = ({ keyEnv }: Facts): string =>
  keyEnv === undefined ? NO_KEY : `"$${keyEnv}"`
/** The key in JavaScript. */
export const jsKey = ({ keyEnv }: Facts): string =>
  keyEnv === undefined ? `'${NO_KEY}'` : `process.env.${keyEnv}`

/** `export A=1` lines. Values come as a shell reads them. */
export const exports = (vars: Readonly<Record<string, string>>): string =>
  Object.entries(vars)
    .map(([name, value]) => `export ${name}=${value}`)
    .join('\n')

/** True when the arguments name one of these options, as `--model x` or `--model=x`. */
export const names = (args: readonly string[], ...options: readonly string[]): boolean =>
  args.some((arg) => options.some((option) => arg === option || arg.startsWith(`${option}=`)))
