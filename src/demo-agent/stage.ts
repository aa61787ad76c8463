// What the effects of a script work on.
import type { Answer } from './answer.ts'
import type { Journal, Life } from './life.ts'
import type { Step } from './script.ts'

export interface Stage {
  readonly answer: Answer
  readonly prompt: string
  /** The working folder of the run. */
  readonly cwd: string
  /** Where files named by `play` and `once` lie. */
  readonly scriptFolder: string
  readonly journal: Journal
  readonly life: Life
  /** Resolves when `init` is due (CURSOR_ADAPTER_DEMO_THINK_MS after the prompt). */
  readonly thought: () => Promise<void> | undefined
  /** Called after the init line: the chat begins to exist on disk. */
  readonly begun: () => void
  /** Set by `noExit`. */
  staysUp: boolean
  /** Set when a recorded stream printed a result line. */
  sawResult: boolean
  /** Set by `closeStdin`. */
  stdinClosed: boolean
}

export type Effect = (step: Step, stage: Stage) => Promise<void> | undefined
