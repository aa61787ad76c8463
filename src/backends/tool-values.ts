// Small readers and formatters for tool arguments and results. Pure.
import type { Json } from '../core/turn.ts'
import { arrayAt, isObject, type JsonObject, numberAt, stringAt } from '../lib/json.ts'

/** Deeper arguments are no arguments; a bound keeps a hostile one from overflowing the stack. */
const DEEPEST = 200

/** A value as JSON.parse made it, typed as Json; what is no JSON, or nested too deeply, becomes null. */
export function asJson(value: unknown, depth = 0): Json {
  if (depth > DEEPEST) return null
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (Array.isArray(value)) return value.map((member) => asJson(member, depth + 1))
  if (!isObject(value)) return null
  const copy: Record<string, Json> = {}
  for (const [key, member] of Object.entries(value)) copy[key] = asJson(member, depth + 1)
  return copy
}

/** The fields that have a value, in the order given. */
export function fields(pairs: Readonly<Record<string, unknown>>): Json {
  const kept: Record<string, Json> = {}
  for (const [key, value] of Object.entries(pairs))
    if (value !== undefined) kept[key] = asJson(value)
  return kept
}

export function booleanAt(object: JsonObject, key: string): boolean | undefined {
  const value = object[key]
  return typeof value === 'boolean' ? value : undefined
}

/** The first of these fields that is a non-empty string. */
export function firstString(object: JsonObject, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = stringAt(object, key)
    if (value !== undefined && value !== '') return value
  }
  return undefined
}

export const strings = (object: JsonObject, key: string): string[] =>
  (arrayAt(object, key) ?? []).filter((value) => typeof value === 'string')

export const objects = (object: JsonObject, key: string): JsonObject[] =>
  (arrayAt(object, key) ?? []).filter(isObject)

export function count(amount: number, one: string, many = `${one}s`): string {
  return `${amount} ${amount === 1 ? one : many}`
}

const LONGEST_SUMMARY = 2_000

/** Bounded text: the middle is left out where it is too long, because heads and tails say most. */
export function clip(text: string, most = LONGEST_SUMMARY): string {
  if (text.length <= most) return text
  const half = Math.floor(most / 2)
  return `${text.slice(0, half)}\n… (${text.length - 2 * half} characters left out)\n${text.slice(-half)}`
}

/** At most `most` of the lines, and how many more there are. */
export function list(lines: readonly string[], most = 20): string {
  const shown = lines.slice(0, most).join('\n')
  return lines.length > most ? `${shown}\n… and ${lines.length - most} more` : shown
}

/** A heading over optional detail. */
export const over = (heading: string, detail: string): string =>
  detail === '' ? heading : `${heading}\n${detail}`

/** Old and new text of an edit, read from its unified diff; undefined when there is no hunk in it. */
export function textsOfDiff(diff: string): { before: string; after: string } | undefined {
  const before: string[] = []
  const after: string[] = []
  let inHunk = false
  for (const line of diff.split('\n')) {
    if (line.startsWith('@@')) inHunk = true
    else if (inHunk && line.startsWith('-')) before.push(line.slice(1))
    else if (inHunk && line.startsWith('+')) after.push(line.slice(1))
    else if (inHunk && line.startsWith(' ')) {
      before.push(line.slice(1))
      after.push(line.slice(1))
    }
  }
  return inHunk ? { before: before.join('\n'), after: after.join('\n') } : undefined
}

/** The hunks of a unified diff, without its file headers. */
export function hunksOf(diff: string): string {
  const at = diff.startsWith('@@') ? 0 : diff.indexOf('\n@@') + 1
  return diff.startsWith('@@') || at > 0 ? diff.slice(at).trimEnd() : ''
}

export const num = (object: JsonObject, key: string): number => numberAt(object, key) ?? 0
