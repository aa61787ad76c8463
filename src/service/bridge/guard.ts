// What may pass between Cursor and the client in mode bridge, one reply at a time: calls that name our scratch folder are sent
// back, a demanded call is insisted on, and a run that never saw the client's tools does not pass for an answer.
import type { ClientToolCall, ClientToolResult, ClientTools } from '../../core/client-tools.ts'
import type { Failure, Finish } from '../../core/events.ts'
import type { Logger, Telemetry } from '../../core/telemetry.ts'
import type { ToolChoice } from '../../core/turn.ts'
import { demandedTool } from '../../prompt/tools.ts'
import type { Leg } from './leg.ts'
import { correctionText, findScratchPath, isBelow } from './scratch-path.ts'

export interface GuardParts {
  readonly tools: ClientTools
  /** Our scratch root, under every name it has. */
  readonly scratchRoots: readonly string[]
  /** The client's working folder; undefined when it names none. */
  readonly folder: () => string | undefined
  /** Corrections given to a session so far. */
  readonly corrections: Pick<Map<string, number>, 'get'> & {
    set(token: string, count: number): unknown
  }
  /** Cursor never asked for the client's tools. */
  readonly onNotContacted: () => void
  readonly telemetry: Telemetry
  readonly logger: Logger
}

/** Then the call goes through: a model that does not learn must not loop for ever. */
const MOST_CORRECTIONS = 3

export class Guard {
  readonly #parts: GuardParts
  #violations = 0
  #corrected = 0

  constructor(parts: GuardParts) {
    this.#parts = parts
  }

  /** The answer for a call that must not go out. */
  correct(call: ClientToolCall, leg: Leg, token: string): ClientToolResult | undefined {
    const { toolChoice } = leg.wish
    if (!leg.obeyed && toolChoice.kind === 'named' && call.name !== toolChoice.name) {
      return mistake(
        `Not run: the user's program insists on ${wordsFor(toolChoice)} first. Make that call now.`,
      )
    }
    return this.#scratchPath(call, token)
  }

  judge(_finish: Finish, leg: Leg, token: string | undefined): Failure | 'again' | undefined {
    if (token === undefined || this.#parts.tools.contact(token) === 'none') {
      this.#parts.onNotContacted()
      return NOT_CONTACTED
    }
    const { toolChoice } = leg.wish
    const demanded = wordsFor(toolChoice)
    if (demanded === undefined || leg.obeyed) return undefined
    if (!leg.askedAgain) return 'again'
    return {
      type: 'failure',
      code: 'agent-failed',
      message: `tool_choice demands ${demanded}, but the model ended its turn twice without it. Ask again, or leave tool_choice at "auto".`,
    }
  }

  /** One line for the reply that is over, where there is something to say. */
  summarize(): void {
    const [violations, corrected] = [this.#violations, this.#corrected]
    this.#violations = 0
    this.#corrected = 0
    if (violations === 0) return
    this.#parts.logger.info('tool calls named the scratch folder', { violations, corrected })
  }

  #scratchPath(call: ClientToolCall, token: string): ClientToolResult | undefined {
    const { scratchRoots, corrections, telemetry } = this.#parts
    const folder = this.#parts.folder()
    if (folder !== undefined && isBelow(folder, scratchRoots)) return undefined
    const found = findScratchPath(call.arguments, scratchRoots)
    if (found === undefined) return undefined
    const given = corrections.get(token) ?? 0
    const mayCorrect = given < MOST_CORRECTIONS
    this.#violations += 1
    telemetry.scratchPath(mayCorrect)
    if (!mayCorrect) return undefined
    this.#corrected += 1
    corrections.set(token, given + 1)
    return mistake(correctionText(found, folder))
  }
}

function wordsFor(toolChoice: ToolChoice): string | undefined {
  return demandedTool({ toolChoice })
}

const mistake = (text: string): ClientToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

const NOT_CONTACTED: Failure = {
  type: 'failure',
  code: 'bridge-not-contacted',
  message:
    "Cursor's CLI answered without ever asking for the client's tools (it did not contact the MCP server that it was given), so the answer is not shown as one. Check `cursor-agent mcp list` and the CLI's version, or use X-Cursor-Mode: agent.",
}
