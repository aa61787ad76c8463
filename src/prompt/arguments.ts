// Tool arguments as plain lines (`key: value`, deeper values indented), so that a prompt holds no JSON noise. Pure.
import type { Json } from '../core/turn.ts'
import { headingText } from './headings.ts'

/** All arguments of a call; text without a trailing newline. A raw string (not JSON) is given as it is. */
export function argumentLines(value: Json): string {
  if (typeof value === 'string') return value === '' ? '(no arguments)' : value
  const text = lines(value, '').join('\n')
  return text === '' || text === '{}' || text === 'null' ? '(no arguments)' : text
}

/** Argument names that say best what a call was about, in order of preference. */
const TELLING = ['file_path', 'path', 'command', 'cmd', 'pattern', 'query', 'url', 'description']

/** One short line that tells calls of the same tool apart: the main argument, '' when there is none. */
export function mainArgument(value: Json): string {
  if (typeof value === 'string') return headingText(value, 60)
  if (!isRecord(value)) return ''
  const named = TELLING.map((key) => value[key]).find((entry) => typeof entry === 'string')
  const main = named ?? Object.values(value).find((entry) => isScalar(entry) && entry !== null)
  return main === undefined ? '' : headingText(scalar(main), 60)
}

type JsonRecord = { readonly [key: string]: Json }

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isScalar(value: Json): boolean {
  return typeof value !== 'object' || value === null
}

function scalar(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function lines(value: Json, indent: string): string[] {
  if (isRecord(value)) {
    return Object.entries(value).flatMap(([key, entry]) => entryLines(`${key}:`, entry, indent))
  }
  if (isList(value)) return value.flatMap((entry) => entryLines('-', entry, indent))
  return [indent + scalar(value)]
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

function entryLines(head: string, entry: Json, indent: string): string[] {
  const deeper = `${indent}  `
  if (isScalar(entry)) {
    const text = scalar(entry)
    if (!text.includes('\n')) return [`${indent}${head} ${text}`]
    return [`${indent}${head} |`, ...text.split('\n').map((line) => deeper + line)]
  }
  const inner = lines(entry, deeper)
  if (inner.length === 0) return [`${indent}${head} (empty)`]
  return [indent + head, ...inner]
}
