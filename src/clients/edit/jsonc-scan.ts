// JSON with comments and trailing commas → values with their places in the text. Pure.

export interface ScannedMember {
  readonly key: string
  /** Offset of the key's opening quote. */
  readonly start: number
  readonly value: Scanned
}

export type Scanned = {
  /** Offsets of the value in the text; `end` is behind its last character. */
  readonly start: number
  readonly end: number
} & (
  | {
      readonly kind: 'object'
      readonly members: readonly ScannedMember[]
      readonly trailingComma: boolean
    }
  | { readonly kind: 'other'; readonly value: unknown }
)

export class JsoncError extends Error {
  override readonly name = 'JsoncError'
}

/** The one value of the text; undefined for a text without any. @throws JsoncError */
export function scanJsonc(text: string): Scanned | undefined {
  const start = skip(text, text.startsWith('\ufeff') ? 1 : 0)
  if (start >= text.length) return undefined
  const value = scanValue(text, start)
  if (skip(text, value.end) < text.length) throw fault(text, value.end, 'more than one value')
  return value
}

/** What JSON.parse would make of it, were it plain JSON. A key given twice counts with its last value. */
export function plain(scanned: Scanned): unknown {
  if (scanned.kind === 'other') return scanned.value
  return Object.fromEntries(scanned.members.map(({ key, value }) => [key, plain(value)]))
}

function scanValue(text: string, at: number): Scanned {
  if (text[at] === '{') return scanObject(text, at)
  if (text[at] === '[') return scanArray(text, at)
  const end = text[at] === '"' ? stringEnd(text, at) : wordEnd(text, at)
  return { kind: 'other', start: at, end, value: literal(text, at, end) }
}

function scanObject(text: string, start: number): Scanned {
  const members: ScannedMember[] = []
  let trailingComma = false
  let at = skip(text, start + 1)
  while (text[at] !== '}') {
    if (members.length > 0 && !trailingComma) throw fault(text, at, 'a comma or } is missing')
    if (text[at] !== '"') throw fault(text, at, 'a key is missing')
    const keyEnd = stringEnd(text, at)
    const colon = skip(text, keyEnd)
    if (text[colon] !== ':') throw fault(text, colon, 'a colon is missing')
    const value = scanValue(text, skip(text, colon + 1))
    members.push({ key: String(literal(text, at, keyEnd)), start: at, value })
    at = skip(text, value.end)
    trailingComma = text[at] === ','
    if (trailingComma) at = skip(text, at + 1)
  }
  return { kind: 'object', start, end: at + 1, members, trailingComma }
}

function scanArray(text: string, start: number): Scanned {
  const items: unknown[] = []
  let comma = true
  let at = skip(text, start + 1)
  while (text[at] !== ']') {
    if (!comma) throw fault(text, at, 'a comma or ] is missing')
    const value = scanValue(text, at)
    items.push(plain(value))
    at = skip(text, value.end)
    comma = text[at] === ','
    if (comma) at = skip(text, at + 1)
  }
  return { kind: 'other', start, end: at + 1, value: items }
}

/** Offset behind blanks and comments. */
function skip(text: string, from: number): number {
  const trivia = /(?:\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
  trivia.lastIndex = from
  return from + (trivia.exec(text)?.[0].length ?? 0)
}

function stringEnd(text: string, at: number): number {
  const string = /"(?:[^"\\\n]|\\.)*"/y
  string.lastIndex = at
  const found = string.exec(text)
  if (found === null) throw fault(text, at, 'a string does not end')
  return at + found[0].length
}

function wordEnd(text: string, at: number): number {
  const word = /[-+.\w]+/y
  word.lastIndex = at
  const found = word.exec(text)
  if (found === null) throw fault(text, at, 'a value is missing')
  return at + found[0].length
}

function literal(text: string, start: number, end: number): unknown {
  try {
    return JSON.parse(text.slice(start, end))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw fault(text, start, 'this is no JSON')
  }
}

/** Never quotes the text: it may hold a key. */
function fault(text: string, at: number, what: string): JsoncError {
  return new JsoncError(`line ${text.slice(0, at).split('\n').length}: ${what}`)
}
