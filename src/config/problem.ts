// What is wrong with a configuration, said so that a person can mend it. Secrets are never echoed.
import type { Setting } from './settings.ts'

/** The start must stop: one line per problem, each with key, value, source and expected form. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]
  constructor(problems: readonly string[], options?: { readonly cause?: unknown }) {
    super(problems.join('\n'), options)
    this.problems = problems
  }
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? `'${value}'` : (JSON.stringify(value) ?? 'nothing')
  return text.length > 120 ? `${text.slice(0, 117)}...` : text
}

export function badValue(setting: Setting, value: unknown, source: string): string {
  const what = setting.secret ? 'its value (not shown)' : shown(value)
  const unit = setting.unit === '' ? '' : ` (${setting.unit})`
  return `${setting.key}: ${what} from ${source} is not valid; expected ${setting.form}${unit}`
}

/** Number of single-character edits between two short words. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i]
    for (let j = 1; j <= b.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

/** The known word a person most likely meant, or undefined when none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(word.slice(0, 80), candidate) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best !== undefined && best.edits <= Math.max(2, word.length / 4)
    ? best.candidate
    : undefined
}

export function unknownKey(key: string, source: string, known: readonly string[]): string {
  const meant = nearest(key, known)
  return `${key}: unknown setting in ${source}${meant === undefined ? '' : `; did you mean ${meant}?`}`
}
