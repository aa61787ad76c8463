// What the effects of a script work on.
import type { JsonObject } from '../lib/json.ts'
import type { ToolCall } from './answer.ts'
import type { Journal, Life } from './life.ts'
import type { McpTools } from './mcp.ts'
import type { Step } from './script.ts'

type Written = Promise<void> | undefined

/** What an answer is told, in the words of print mode: each mode says it in its own way. */
export interface Teller {
  /** False where only the end is printed. */
  readonly streams: boolean
  init(overrides: JsonObject): Written
  echo(): Written
  delta(text: string): Written
  /** Text that was printed elsewhere (bursts) and belongs to the open segment. */
  heard(text: string): void
  recap(modelCallId: string | undefined): Written
  full(text: string, modelCallId: string | undefined): Written
  thinking(text: string | undefined): Written
  tool(call: ToolCall, modelCallId: string | undefined): Written
  result(overrides: JsonObject): Written
  line(line: JsonObject): Written
  /** Makes the line of a delta around its (ASCII, unescaped) text, for bursts. */
  deltaFrame(): (text: string) => string
  /** Bytes made with `deltaFrame`. */
  bulk(lines: string): Written
}

/** What only ACP mode can do. */
export interface AcpTurn {
  readonly sessionId: string
  update(update: JsonObject): Written
  notify(method: string, params: JsonObject): Written
  /** A request of the agent's own; resolves with the client's answer, which goes into the journal. */
  ask(method: string, params: JsonObject): Promise<unknown>
  /** True when --force or --yolo was given. */
  readonly forced: boolean
  stop(reason: string): void
  fail(error: JsonObject): never
  /** From now on a cancel is not heeded. */
  deaf(): void
  /** Text that still comes after the answer to the prompt. */
  late(text: string): void
  /** Fields of the answer to a scripted method. */
  answer(fields: JsonObject): void
}

export interface Stage {
  readonly answer: Teller
  /** Undefined in print mode. */
  readonly acp?: AcpTurn
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
  /** Tools of MCP servers; undefined where there is none. */
  readonly mcp?: McpTools | undefined
  /** Folder of cli-config.json. */
  readonly configFolder: string
  /** True when --force or --yolo was given. */
  readonly forced: boolean
  /** Aborted when the prompt is cancelled (ACP). */
  readonly signal: AbortSignal
  /** Texts of what tools said, in the order of their calls. */
  readonly results: string[]
  /** Set by `noExit`. */
  staysUp: boolean
  /** Set when a recorded stream printed a result line. */
  sawResult: boolean
  /** Set by `closeStdin`. */
  stdinClosed: boolean
}

export type Effect = (step: Step, stage: Stage) => Promise<void> | undefined
