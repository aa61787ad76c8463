// A model name taken apart: family words, version, and what picks a variant. Pure; knows no list of models.

export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
/** Effort words of model ids, weakest first. */
export type EffortWord = (typeof EFFORTS)[number]

export interface ModelName {
  /** Family words in alphabetical order, without version and variant (`['claude', 'sonnet']`). */
  readonly words: readonly string[]
  /** `[4, 5]` for 4.5; empty when the name has none. */
  readonly version: readonly number[]
  readonly effort: EffortWord | undefined
  /** Undefined when the name says nothing about it. */
  readonly thinking: boolean | undefined
  readonly fast: boolean
  /** The variant with the long context (`[1m]`, `-1m`). */
  readonly long: boolean
}

/**
 * Takes a name apart whatever the order of its words and the form of its version: `claude-sonnet-4-5-20250929`,
 * `anthropic/claude-4.5-sonnet` and `sonnet-4.5` have the same words and version.
 * Source of the forms: `agent models` of 2025 and October 2026, and the names clients send (clients.md 9).
 */
export function parseModelName(name: string): ModelName {
  const parts = { words: new Set<string>(), version: [] as number[] }
  let effort: EffortWord | undefined
  let thinking: boolean | undefined
  let fast = false
  let long = false
  const words = splitWords(name)
  for (const [at, word] of words.entries()) {
    const before = words[at - 1] ?? ''
    const known = effortWord(word, before)
    if (known !== undefined) effort = known
    else if (word === 'extra' && words[at + 1] === 'high') continue
    else if (word === 'thinking') thinking = true
    else if (word === 'nothinking') thinking = false
    else if (word === 'fast') fast = true
    else if (word === '1m') long = true
    else if (/^\d{1,3}(\.\d{1,3})*$/.test(word)) parts.version.push(...word.split('.').map(Number))
    else parts.words.add(word)
  }
  if (CLAUDE_TIERS.some((tier) => parts.words.has(tier))) parts.words.add('claude')
  return { words: [...parts.words].sort(), version: parts.version, effort, thinking, fast, long }
}

/** Claude names are often written without the first word. */
export const CLAUDE_TIERS = ['opus', 'sonnet', 'haiku', 'fable'] as const

/** Equal for names of the same model in whatever variant. */
export function baseKey(name: ModelName): string {
  return `${name.words.join(' ')} ${trimZeros(name.version).join('.')}`
}

/** Positive when `a` is the newer version. */
export function compareVersions(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function splitWords(name: string): readonly string[] {
  const plain = withoutBrackets(name.trim().toLowerCase())
    // Provider prefixes: `anthropic/…`, `models/…`, Bedrock's `us.anthropic.…`.
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]+\.)*(?:anthropic|openai|google|xai)\./, '')
    // Dates and revisions: `-20250514`, `@20250514`, `-2025-08-07`, `-latest`, Bedrock's `-v1:0`.
    .replace(/[-@](?:19|20)\d{2}-?\d{2}-?\d{2}(?=$|[-:[])/, '')
    .replace(/-v\d+:\d+$/, '')
    .replace(/[-:@](?:latest|preview|beta)$/, '')
  return plain.split(/[^a-z0-9.]+/).flatMap((word) => {
    const trimmed = word.replaceAll(/^\.+|\.+$/g, '')
    return trimmed === '' ? [] : [trimmed]
  })
}

/** `[1m]` and Cursor's `[effort=high,thinking=true]` as words at the end of the name. */
function withoutBrackets(name: string): string {
  const bracket = /^([^[]*)\[([^\]]*)\]$/.exec(name)
  if (bracket === null) return name
  const words = (bracket[2] ?? '').split(',').map((entry) => {
    const [key = '', value = ''] = entry.split('=').map((text) => text.trim())
    switch (key) {
      case '1m':
        return '-1m'
      case 'effort':
      case 'reasoning':
        return `-${value}`
      case 'thinking':
        return value === 'true' ? '-thinking' : '-nothinking'
      case 'fast':
        return value === 'true' ? '-fast' : ''
      case 'context':
        return value === '1m' ? '-1m' : ''
      default:
        return ''
    }
  })
  return `${bracket[1] ?? ''}${words.join('')}`
}

function effortWord(word: string, before: string): EffortWord | undefined {
  // `gpt-5.1-codex-max` is a model, not an effort.
  if (word === 'max' && before === 'codex') return undefined
  if (word === 'high' && before === 'extra') return 'xhigh'
  return EFFORTS.find((effort) => effort === word)
}

/** `5` and `5.0` are one version. */
function trimZeros(version: readonly number[]): readonly number[] {
  const end = version.findLastIndex((part) => part !== 0)
  return version.slice(0, end + 1)
}
