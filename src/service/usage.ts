// Token counts as the client is told them. Pure.
import type { CursorUsage, ReplyUsage } from '../core/events.ts'

export interface UsageFacts {
  /** `prompt`: the conversation as the client sees it. `cursor`: Cursor's own totals, inner steps included. */
  readonly setting: 'prompt' | 'cursor'
  /** Our count of the request, already clamped below the model's window. */
  readonly inputTokens: number
  /** Our count of the text and thinking sent. */
  readonly outputTokens: number
  readonly cursor: CursorUsage | undefined
  /** A tool ran in this exchange: Cursor's output figure then holds inner steps the client never saw. */
  readonly toolRan: boolean
  /** The reply is a part of a run that spans several (mode bridge): Cursor's figures are those of the whole run. */
  readonly isPart?: boolean
}

export function replyUsage(facts: UsageFacts): ReplyUsage {
  const cursor = facts.isPart === true ? undefined : facts.cursor
  if (facts.setting === 'cursor' && cursor !== undefined) return withoutDoubleCache(cursor)
  const cursorOutput = cursor !== undefined && cursor.output > 0 && !facts.toolRan
  return {
    input: facts.inputTokens,
    output: cursorOutput ? cursor.output : facts.outputTokens,
    cacheRead: 0,
    cacheWrite: 0,
  }
}

/**
 * Cursor's figures with every cached token counted once: `input` is what is left beside the cached ones.
 * Assumed: `inputTokens` excludes cache reads (recordings with input below cache reads prove it for those), but a
 * figure that could hold them (input ≥ read + write) is taken as holding them, so that no token counts twice.
 * A capture of a run whose true total is known settles it: `cursor-adapter doctor --prompt` prints the raw figures.
 */
export function withoutDoubleCache(usage: CursorUsage): ReplyUsage {
  const cached = usage.cacheRead + usage.cacheWrite
  const input = usage.input >= cached ? usage.input - cached : usage.input
  return {
    input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
  }
}

/** Below the model's window, so that a client never starts compacting because of our figure. */
export function clampToWindow(tokens: number, window: number | undefined): number {
  return window === undefined ? tokens : Math.min(tokens, window - 1)
}
