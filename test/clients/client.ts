// What the suite must know of a client program to run it without a terminal.
import type { Package } from './install.ts'
import type { Running } from './running.ts'

export interface Ask {
  readonly prompt: string
  /** Root URL of the endpoint. */
  readonly url: string
  /** The folder the client works in. */
  readonly project: string
  /** Home and temporary folder of this client; the same for a later turn of the same conversation. */
  readonly home: string
  /** The project is handed to Cursor as its workspace, where the client can send a header. */
  readonly handsOver: boolean
  /** The access key that the service asks for; the client's environment has it as `KEY_ENV`. */
  readonly key: string | undefined
  /** A library is to offer its tool. */
  readonly bringsTools: boolean
  /** Go on with the conversation before. */
  readonly goOn: boolean
  /** The project's own settings and skills count, for clients that leave them out unless they are told. */
  readonly readsProject: boolean
  /** Ask before anything is done; for clients that can. */
  readonly careful: boolean
}

/** Source: the setting `api_key` as an environment variable. */
export const KEY_ENV = 'CURSOR_ADAPTER_API_KEY'

export type Env = Readonly<Record<string, string>>

/** A loop over a tool of the client's own, in mode bridge: the client reads `notes.txt` for the model. */
export interface ToolLoop {
  /** The client's name of the tool, and the arguments that make it read that file. */
  readonly tool: string
  readonly input: (file: string) => object
}

export interface Client {
  readonly name: string
  readonly version: string
  /** Installed before; their programs are on the PATH. */
  readonly packages: readonly Package[]
  /** What `--quick` plays with it: everything, or the scenarios of these names. */
  readonly quick?: 'all' | readonly string[]
  /** Runs on Node 24 instead of the Node of the suite. */
  readonly node24?: boolean
  /** The endpoint it cannot do without, where the service may not have it yet. */
  readonly needs?: '/v1/responses'
  /** Before its first start in a home: what a user sets up. What `run` starts is ended with the scenario. */
  readonly prepare?: (ask: Ask, run: (command: readonly string[]) => Running) => Promise<void>
  readonly command: (ask: Ask, folders: readonly string[]) => readonly string[]
  readonly env?: (ask: Ask, folders: readonly string[]) => Env
  /** Prints its messages as JSON lines, as Claude Code does. */
  readonly printsMessages?: boolean
  /** Heeds `careful`. */
  readonly canAsk?: boolean
  /** Name that `setup` and `run` know it by, for those whose file `setup` writes or that `run` starts. */
  readonly setup?: {
    readonly name: string
    readonly writes: boolean
    /** A file of a user who has had the client for a while: path in the home, text. */
    readonly file?: { readonly path: string; readonly text: string }
    /** Arguments for `run`. */
    readonly runArgs?: (ask: Ask) => readonly string[]
  }
  readonly toolLoop?: ToolLoop
  /** For clients that ask to go on in other words after a broken stream: their own message, and how often. */
  readonly brokenOff?: { readonly says: RegExp; readonly runs: number }
  /** Scenario names that make no sense for it, each with the reason. */
  readonly without?: Readonly<Record<string, string>>
}
