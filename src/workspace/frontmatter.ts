// The head of a SKILL.md: simple YAML between two lines of dashes. Reads the forms that skills use, never throws. Pure.

export type FrontmatterValue = string | readonly string[]

export interface Document {
  /** Keys in lower case. */
  readonly head: ReadonlyMap<string, FrontmatterValue>
  /** What stands below the head, without blank lines around it. */
  readonly body: string
}

const FENCE = /^---[ \t]*$/
const ENTRY = /^([A-Za-z][\w-]*)[ \t]*:[ \t]*(.*)$/
const ITEM = /^[ \t]*-[ \t]+(.*)$/

/** Text without a head (or with one that is never closed) is all body. */
export function parseDocument(text: string): Document {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const end = FENCE.test(lines[0] ?? '')
    ? lines.findIndex((line, at) => at > 0 && FENCE.test(line))
    : -1
  if (end < 0) return { head: new Map(), body: trimLines(lines) }
  return { head: parseHead(lines.slice(1, end)), body: trimLines(lines.slice(end + 1)) }
}

function trimLines(lines: readonly string[]): string {
  return lines
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd()
}

function parseHead(lines: readonly string[]): Map<string, FrontmatterValue> {
  const head = new Map<string, FrontmatterValue>()
  for (let at = 0; at < lines.length; at += 1) {
    const [, key, rest = ''] = ENTRY.exec(lines[at] ?? '') ?? []
    if (key === undefined) continue
    const deeper = indented(lines, at + 1)
    head.set(key.toLowerCase(), readValue(rest.trim(), deeper))
    at += deeper.length
  }
  return head
}

/** The lines that belong to the entry before them: indented ones, and list items at the margin. */
function indented(lines: readonly string[], from: number): readonly string[] {
  let end = from
  while (end < lines.length && /^(?:[ \t]+\S|[ \t]*$|- )/.test(lines[end] ?? '')) end += 1
  return lines.slice(from, end)
}

function readValue(rest: string, deeper: readonly string[]): FrontmatterValue {
  if (/^[|>][+-]?$/.test(rest)) {
    return deeper
      .map((line) => line.trim())
      .join(rest.startsWith('|') ? '\n' : ' ')
      .trim()
  }
  if (rest.startsWith('[') && rest.endsWith(']')) return splitList(rest.slice(1, -1))
  const items = deeper.flatMap((line) => ITEM.exec(line)?.[1] ?? []).map(unquote)
  if (rest === '' && items.length > 0) return items
  return unquote([rest, ...deeper.map((line) => line.trim())].join(' ').trim())
}

/** Splits at commas outside of brackets, braces and quotes: `Bash(git a, b), *.{ts,js}` are two. */
export function splitList(text: string): readonly string[] {
  const parts: string[] = []
  let depth = 0
  let quote = ''
  let part = ''
  for (const char of text) {
    if (quote !== '') quote = char === quote ? '' : quote
    else if (char === '"' || char === "'") quote = char
    else if ('([{'.includes(char)) depth += 1
    else if (')]}'.includes(char)) depth -= 1
    if (char === ',' && depth <= 0 && quote === '') {
      parts.push(part)
      part = ''
    } else part += char
  }
  return [...parts, part].map((entry) => unquote(entry.trim())).filter((entry) => entry !== '')
}

function unquote(text: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(text)
  return quoted?.[2] ?? text.replace(/[ \t]+#.*$/, '')
}
