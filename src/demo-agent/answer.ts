// The answer under way: what was said so far, and its lines in the chosen output format.
import {
  assistantLine,
  initLine,
  type Line,
  resultLine,
  thinkingLine,
  toolLine,
  userLine,
} from './lines.ts'
import { write } from './pipes.ts'
import type { Teller } from './stage.ts'

export type OutputFormat = 'text' | 'json' | 'stream-json'

export interface AnswerFacts {
  readonly format: OutputFormat
  readonly showThinking: boolean
  readonly apiKeySource: string
  readonly cwd: string
  readonly model: string
  readonly sessionId: string
  readonly requestId: string
  readonly prompt: string
  /** Characters of earlier turns of a resumed chat: they count as cache reads. */
  readonly resumedChars: number
  readonly reportsUsage: boolean
}

type Written = Promise<void> | undefined

export interface ToolCall {
  readonly kind: string
  readonly id: string
  readonly args: unknown
  readonly result?: unknown
}

/** Each method prints its line (stream-json) or keeps what the other formats print at the end. */
export class Answer implements Teller {
  readonly #facts: AnswerFacts
  readonly #startMs = Date.now()
  readonly #toolStarts = new Map<string, number>()
  #segment = ''
  #lastSegment = ''
  #text = ''
  #thoughts = ''
  #modelCallId: string
  #result: Line | undefined

  constructor(facts: AnswerFacts) {
    this.#facts = facts
    this.#modelCallId = `${facts.requestId}-0-demo`
  }

  get finished(): boolean {
    return this.#result !== undefined
  }

  get text(): string {
    return this.#text
  }

  get streams(): boolean {
    return this.#facts.format === 'stream-json'
  }

  deltaFrame(): (text: string) => string {
    const mark = 'TEXT'
    const line = assistantLine(mark, this.#facts.sessionId, { timestampMs: 0 })
    const [head = '', rest = ''] = JSON.stringify(line).split(mark)
    const tail = rest.slice(0, rest.lastIndexOf('0'))
    return (text) => `${head}${text}${tail}${Date.now()}}\n`
  }

  bulk(lines: string): Written {
    return this.streams ? write(lines) : undefined
  }

  line(line: Line): Written {
    if (!this.streams) return undefined
    return write(`${JSON.stringify(line)}\n`)
  }

  init(overrides: Line): Written {
    return this.line({ ...initLine(this.#facts), ...overrides })
  }

  echo(): Written {
    return this.line(userLine(this.#facts.prompt, this.#facts.sessionId))
  }

  delta(text: string): Written {
    this.heard(text)
    return this.line(assistantLine(text, this.#facts.sessionId, { timestampMs: Date.now() }))
  }

  heard(text: string): void {
    this.#segment += text
    this.#text += text
  }

  recap(modelCallId: string | undefined): Written {
    const text = this.#segment
    this.#closeSegment(modelCallId)
    return this.#fullText(text, modelCallId)
  }

  full(text: string, modelCallId: string | undefined): Written {
    this.#closeSegment(modelCallId)
    this.#lastSegment = text
    this.#text += text
    return this.#fullText(text, modelCallId)
  }

  thinking(text: string | undefined): Written {
    this.#thoughts += text ?? ''
    return this.line(thinkingLine(text, this.#facts.sessionId, Date.now()))
  }

  tool(call: ToolCall, modelCallId: string | undefined): Written {
    const nowMs = Date.now()
    const startedAtMs = this.#toolStarts.get(call.id) ?? nowMs
    this.#toolStarts.set(call.id, startedAtMs)
    const { kind, id: callId, args } = call
    const { sessionId } = this.#facts
    // Source: captures of 2026.07 to 2026.10: parallel calls of one step share the id of the repeat before them.
    const owner = modelCallId ?? this.#modelCallId
    const shared = { kind, callId, args, startedAtMs, modelCallId: owner, sessionId, nowMs }
    return this.line(toolLine('result' in call ? { ...shared, result: call.result } : shared))
  }

  /** The result line; a `usage: null` in `overrides` leaves usage out, as builds before February 2026 did. */
  result(overrides: Line): Written {
    const { sessionId, requestId, reportsUsage } = this.#facts
    const usage = reportsUsage && overrides.usage !== null ? this.#usage() : undefined
    const durationMs = Date.now() - this.#startMs
    const facts = { durationMs, text: this.#text, sessionId, requestId, usage }
    const merged = { ...resultLine(facts), ...overrides }
    this.#result = Object.fromEntries(
      Object.entries(merged).filter(([key, value]) => {
        return key !== 'usage' || value !== null
      }),
    )
    return this.line(this.#result)
  }

  /**
   * What text and json print when all is over. Source: captures of 2026.08 and 2026.10: nothing at all without a
   * result.
   */
  close(): Written {
    if (this.#result === undefined) return undefined
    if (this.streams) return undefined
    if (this.#facts.format === 'json') {
      return write(`${JSON.stringify({ ...this.#result, ...this.#thinkingBlocks() })}\n`)
    }
    // Source: captures of 2026.08 and 2026.10: only the final message.
    return write(`${this.#segment || this.#lastSegment}\n`)
  }

  #fullText(text: string, modelCallId: string | undefined): Written {
    // Source: captures of 2026.07 to 2026.10: a repeat before a tool call has both marks, the one at the end of the
    // turn neither.
    const marks = modelCallId === undefined ? {} : { modelCallId, timestampMs: Date.now() }
    return this.line(assistantLine(text, this.#facts.sessionId, marks))
  }

  #closeSegment(modelCallId: string | undefined): void {
    if (this.#segment !== '') this.#lastSegment = this.#segment
    this.#segment = ''
    if (modelCallId !== undefined) this.#modelCallId = modelCallId
  }

  /** Source: captures of 2026.10.01: a trivial prompt costs 8 to 13 k. Assumed: four characters a token. */
  #usage(): Line {
    const { prompt, resumedChars } = this.#facts
    const resumedTokens = Math.ceil(resumedChars / 4)
    return {
      // Source: runs of 2026.08 and 2026.10: on a resumed turn only the new part counts as input.
      inputTokens: (resumedTokens > 0 ? 0 : 8192) + Math.ceil(prompt.length / 4),
      outputTokens: Math.ceil((this.#text.length + this.#thoughts.length) / 4),
      cacheReadTokens: resumedTokens > 0 ? 8192 + 5888 + resumedTokens : 5888,
      cacheWriteTokens: 0,
    }
  }

  #thinkingBlocks(): Line {
    const shown = this.#facts.showThinking && this.#thoughts !== ''
    return shown ? { thinking_blocks: [{ text: this.#thoughts }] } : {}
  }
}
