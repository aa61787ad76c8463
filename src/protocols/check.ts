// Client JSON against a schema; a mismatch becomes a Refusal that says where, what was expected and what came.
import { z } from 'zod'
import { Refusal } from '../core/failure.ts'
import type { Json } from '../core/turn.ts'

export type Path = readonly PropertyKey[]
type Issue = z.core.$ZodIssue

const MAX_SHOWN_CHARS = 60

/** Any value that is there. Sound without a walk: bodies come out of JSON.parse, so what is in them is JSON. */
export const jsonValue = z.custom<Json>((value) => value !== undefined)

/** An object whose values are not looked at. */
export const jsonObject = z.record(z.string(), jsonValue)

/**
 * `value` as the schema describes it. `path` says where in the body it stands.
 * @throws Refusal `invalid-request`, e.g. `messages: expected a non-empty array, received []`.
 */
export function check<T>(schema: z.ZodType<T>, value: unknown, path: Path = []): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = deepest(parsed.error.issues)
  const where = [...path, ...issue.path].map(String).join('.') || 'body'
  const received = described(valueAt(value, issue.path), issue.code === 'invalid_value')
  throw new Refusal(
    'invalid-request',
    `${where}: expected ${expectation(issue)}, received ${received}`,
  )
}

/** Refusal in the same form for rules a schema cannot say. */
export function refuse(path: Path, expected: string, received: string): never {
  throw new Refusal(
    'invalid-request',
    `${path.map(String).join('.')}: expected ${expected}, received ${received}`,
  )
}

/** JSON text → its value; text that is not JSON stays a string, no text is an empty object. */
export function argumentsOf(text: string): Json {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return jsonValue.parse(value)
  } catch (error) {
    if (error instanceof SyntaxError) return text // models do write broken JSON; the history shows it as it was
    throw error
  }
}

function deepest(issues: readonly Issue[]): Issue {
  const [first] = issues
  if (first === undefined) throw new Error('a schema mismatch without an issue')
  if (first.code !== 'invalid_union') return first
  // In a union the branch that got furthest is the one that was meant.
  const branches = first.errors.flatMap((branch) => (branch.length > 0 ? [deepest(branch)] : []))
  const further = branches.find((issue) => issue.path.length > 0)
  return further === undefined ? first : { ...further, path: [...first.path, ...further.path] }
}

function expectation(issue: Issue): string {
  if (issue.code === 'invalid_type') return nounOf(issue.expected)
  if (issue.code === 'invalid_value') {
    return issue.values.map((value) => JSON.stringify(value)).join(' or ')
  }
  if (issue.code === 'too_small') {
    return issue.origin === 'array' ? 'a non-empty array' : `at least ${issue.minimum}`
  }
  if (issue.code === 'invalid_union') {
    const nouns = issue.errors.flatMap(([first]) => (first ? [expectation(first)] : []))
    return [...new Set(nouns)].join(' or ')
  }
  return 'another kind of value'
}

function nounOf(type: string): string {
  const nouns: Readonly<Record<string, string>> = {
    array: 'an array',
    object: 'an object',
    int: 'a whole number',
    null: 'null',
    record: 'an object',
  }
  return nouns[type] ?? `a ${type}`
}

function valueAt(value: unknown, path: Path): unknown {
  let at = value
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return undefined
    at = Reflect.get(at, key)
  }
  return at
}

/** Kind of the value; its text only where the field is a choice of words, so that no prompt gets into a message. */
function described(value: unknown, showText: boolean): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? '[]' : 'an array'
  if (typeof value === 'object') return 'an object'
  if (typeof value === 'string') {
    return showText ? JSON.stringify(value.slice(0, MAX_SHOWN_CHARS)) : 'a string'
  }
  return JSON.stringify(value)
}
