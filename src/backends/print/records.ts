// One line of the CLI's standard output → the JSON objects in it, and the few fields we read. Pure.
import { stripVTControlCharacters } from 'node:util'
import type { CursorUsage } from '../../core/events.ts'
import {
  arrayAt,
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  parseJson,
} from '../../lib/json.ts'

/**
 * A text delta exactly as the CLI prints it, and nothing that needs unescaping: nine of ten lines. Recognised without
 * parsing, at an eighth of the cost of JSON.parse (measured, Node 20). Any other form of line is parsed.
 */
const PLAIN_DELTA =
  /^\{"type":"assistant","message":\{"role":"assistant","content":\[\{"type":"text","text":"([^"\\\p{Cc}]+)"\}\]\},"session_id":"[\w-]*","timestamp_ms":\d+\}$/u

/** The text of a line that is plainly a delta; undefined for all others, also for other forms of a delta. */
export function plainDelta(line: string): string | undefined {
  return PLAIN_DELTA.exec(line)?.[1]
}

/** The plain deltas that follow one another from `from` on: how many, and their texts joined. */
export function plainDeltas(
  lines: readonly string[],
  from: number,
): { readonly count: number; readonly text: string } {
  let text = ''
  let at = from
  for (; at < lines.length; at += 1) {
    const delta = plainDelta(lines[at] ?? '')
    if (delta === undefined) break
    text += delta
  }
  return { count: at - from, text }
}

/** Where one object ends and the next begins. Source: a parser test that expects two objects on one line. */
const SEAM = /\}\s*(?=\{"type":)/g

/**
 * The objects of a line that is not plainly one: with escapes around it, or several on one line. Undefined when the
 * line (or a part of it) is no such thing: then it is noise as a whole, for no half of it can be trusted.
 */
export function objectsOf(line: string): readonly JsonObject[] | undefined {
  const clean = stripVTControlCharacters(line)
    .replace(/^\uFEFF/, '')
    .trim()
  const whole = parseJson(clean)
  if (isObject(whole)) return [whole]
  if (!clean.startsWith('{')) return undefined
  const parts = clean.replaceAll(SEAM, '}\n').split('\n')
  const found = parts.map(parseJson)
  return found.every(isObject) ? found : undefined
}

/** The text of an `assistant` record, parts joined; undefined when it has none. */
export function messageText(record: JsonObject): string | undefined {
  const { message } = record
  if (!isObject(message)) return undefined
  const { content } = message
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return undefined
  let text: string | undefined
  for (const part of content) {
    if (isObject(part) && typeof part.text === 'string') text = (text ?? '') + part.text
  }
  return text
}

const KEYS = ['inputTokens', 'outputTokens', 'cacheReadTokens', 'cacheWriteTokens']

/** Undefined when Cursor reported none: unknown is not zero. Source: builds before February 2026 have no `usage`. */
export function usageOf(result: JsonObject): CursorUsage | undefined {
  const usage = objectAt(result, 'usage')
  if (usage === undefined || !KEYS.some((key) => numberAt(usage, key) !== undefined))
    return undefined
  return {
    input: numberAt(usage, 'inputTokens') ?? 0,
    output: numberAt(usage, 'outputTokens') ?? 0,
    cacheRead: numberAt(usage, 'cacheReadTokens') ?? 0,
    cacheWrite: numberAt(usage, 'cacheWriteTokens') ?? 0,
  }
}

/** What an error record or a failed result says, whichever field holds it. */
export function errorText(record: JsonObject): string {
  const texts: string[] = []
  for (const key of ['result', 'message', 'error', 'errors']) {
    const value = record[key]
    if (typeof value === 'string') texts.push(value)
    else if (isObject(value)) texts.push(errorText(value))
    else
      for (const one of arrayAt(record, key) ?? []) texts.push(typeof one === 'string' ? one : '')
  }
  return texts.filter((text) => text !== '').join('\n')
}
