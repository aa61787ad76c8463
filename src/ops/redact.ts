// Takes keys and the home folder out of any text that leaves the process: log lines, error bodies, health. Pure.

export interface RedactionFacts {
  /** Exact values that must never appear; empty and absent ones are ignored. */
  readonly secrets: readonly (string | null | undefined)[]
  /** The user's home folder; shown as `~`. */
  readonly home: string
}

const HIDDEN = '[hidden]'
/** Shapes of keys and tokens whoever printed them. Source: key prefixes of Cursor, OpenAI and Anthropic; HTTP headers. */
const SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(crsr_|sk-)[A-Za-z0-9_-]{6,}/g, `$1${HIDDEN}`],
  [/\bkey_[0-9a-f]{32,}/g, HIDDEN],
  [/\b(Bearer\s+)[A-Za-z0-9._~+/=-]+/gi, `$1${HIDDEN}`],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]*)?/g, HIDDEN],
  [/\b((?:x-)?api[-_]?key["']?\s*[:=]\s*["']?)(?!\[hidden)[^\s"',;}]{4,}/gi, `$1${HIDDEN}`],
]

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')

/** Returns a function that gives the same text without secrets and with `~` for the home folder. */
export function redactor({ secrets, home }: RedactionFacts): (text: string) => string {
  const known = [...new Set(secrets)].filter((secret) => secret !== null && secret !== undefined)
  const exact = known.filter((secret) => secret.length > 0).sort((a, b) => b.length - a.length)
  const secretPattern =
    exact.length === 0 ? undefined : new RegExp(exact.map((s) => escaped(s)).join('|'), 'g')
  const bareHome = home.replace(/[/\\]+$/, '')
  const homePattern =
    bareHome === '' ? undefined : new RegExp(`${escaped(bareHome)}(?![\\w.-])`, 'g')
  return (text) => {
    let clean = secretPattern === undefined ? text : text.replace(secretPattern, HIDDEN)
    for (const [shape, replacement] of SHAPES) clean = clean.replace(shape, replacement)
    return homePattern === undefined ? clean : clean.replace(homePattern, '~')
  }
}
