// The text of `reasoning_content`: thinking, and one line for each tool that Cursor ran itself.
import type { ToolEnd, ToolStart } from '../../core/events.ts'

const MAX_TITLE_CHARS = 200

/** Keeps tool lines on lines of their own between thinking text. One per reply. */
export class Reasoning {
  #midLine = false

  /** Thinking goes through unchanged. */
  thinking(text: string): string {
    this.#midLine = !text.endsWith('\n')
    return text
  }

  /** `[Read src/app.ts: success, 12 ms]` and a line end, on a new line. */
  toolLine(call: ToolStart, end: ToolEnd): string {
    const lead = this.#midLine ? '\n' : ''
    this.#midLine = false
    return `${lead}[${headOf(call)}: ${outcomeOf(end)}${durationOf(end)}]\n`
  }
}

function headOf(call: ToolStart): string {
  const title = call.title.replaceAll(/\s+/g, ' ').trim()
  if (title === '') return call.name
  const short = title.length > MAX_TITLE_CHARS ? `${title.slice(0, MAX_TITLE_CHARS)}…` : title
  return `${call.name} ${short}`
}

/** An MCP tool may succeed in saying that it failed. */
function outcomeOf({ isError, outcome }: ToolEnd): string {
  return isError && outcome === 'success' ? 'failure' : outcome
}

function durationOf(end: ToolEnd): string {
  if (end.durationMs === undefined) return ''
  if (end.durationMs < 1000) return `, ${Math.round(end.durationMs)} ms`
  return `, ${(end.durationMs / 1000).toFixed(1)} s`
}
