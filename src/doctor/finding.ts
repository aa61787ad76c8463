// What a finding is, and what it may look at. One finding per file: check, why it matters, fix.
import type { Loaded } from '../config/load.ts'
import type { ClientTools } from '../core/client-tools.ts'
import type { CliOutput } from '../process/cli.ts'

/** Things the program relies on that only a run with the real CLI can settle. Source: open questions about the CLI. */
export const ASSUMPTIONS = {
  'version-form': 'the CLI names its version as YYYY.MM.DD-hash',
  'login-in-private-config': 'a private CURSOR_CONFIG_DIR still finds the login',
  'parked-on-stdin': 'a print process started without a prompt waits on stdin in silence',
  'prompt-on-stdin': 'this version of the CLI reads its prompt from stdin',
  'result-event': 'a run ends with a result event',
  'usage-reported': 'the result reports token usage',
  'parked-ten-minutes': 'a parked process is still good after ten minutes',
  'parallel-starts': 'many processes can start at once with private config folders',
  'user-rules-in-private-config':
    "the user's own rules and MCP servers count with a private config folder",
  'acp-session': 'ACP mode initialises and opens a session',
  'resume-remembers': '--resume in print mode knows what was said before',
  'tool-wait': "Cursor waits more than a minute for a client's tool",
} as const
export type Assumption = keyof typeof ASSUMPTIONS

export type Settled = Partial<Readonly<Record<Assumption, boolean>>>

export interface Result {
  readonly at: 'good' | 'warning' | 'bad' | 'skipped'
  /** What was found, one line. */
  readonly text: string
  /** What to do about it; none when all is well. */
  readonly fix?: string
  readonly settled?: Settled
}

/** The CLI as far as it could be looked at. */
export type CliFacts =
  | { readonly path: string; readonly version: string; readonly usual: boolean }
  | { readonly missing: string }

export interface ToolsPlace {
  readonly tools: ClientTools
  /** What a profile's offer names. */
  readonly endpoint: string
  close(): Promise<void>
}

export interface Patient {
  readonly env: NodeJS.ProcessEnv
  /** The configuration; the defaults where it cannot be read. */
  readonly loaded: Loaded
  /** Why it cannot be read; empty when it can. */
  readonly configProblems: readonly string[]
  /** Whether a prompt may be sent (`--prompt`). */
  readonly prompt: boolean
  /** How long a tool may be held back, which takes a prompt, too (`--tool-wait`); undefined = not to be tried. */
  readonly toolWaitS: number | undefined
  /** Serves tools over MCP as the service does. */
  openTools(): Promise<ToolsPlace>
  /** Looked up once. */
  cli(): Promise<CliFacts>
  /** Runs the CLI without a prompt; `missing` counts as not ok. */
  ask(args: readonly string[], extra?: Readonly<Record<string, string>>): Promise<CliOutput>
  /** Calls `use` with an empty folder that is removed afterwards. */
  inFolder<T>(use: (folder: string) => Promise<T>): Promise<T>
}

export interface Finding {
  readonly name: string
  /** Why it matters, for people. */
  readonly why: string
  check(patient: Patient): Promise<Result>
}
