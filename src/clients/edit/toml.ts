// Puts single settings into TOML text: keys above all tables, and keys of one table. Every other character stays. Pure.
import type { Setting } from '../client.ts'

export class TomlError extends Error {
  override readonly name = 'TomlError'
}

interface Statement {
  readonly start: number
  /** Behind its line end. */
  readonly end: number
  readonly kind: 'blank' | 'table' | 'key'
  /** Of the header or the key, unquoted. */
  readonly path: readonly string[]
}

/** A setting's last path element is the key, the elements before it are the table. @throws TomlError */
export function setToml(text: string, settings: readonly Setting[]): string {
  const all = statements(text)
  for (const { path } of settings) refuseOtherForms(text, all, path.slice(0, -1))
  return settings.reduce((now, { path, value }) => {
    if (typeof value !== 'string') throw new TomlError('only text can be written')
    return setOne(now, path.slice(0, -1), path.at(-1) ?? '', JSON.stringify(value))
  }, text)
}

function setOne(text: string, table: readonly string[], key: string, value: string): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const all = statements(text)
  const line = `${key} = ${value}${eol}`
  const header = all.findIndex(({ kind, path }) => kind === 'table' && same(path, table))
  if (table.length > 0 && header < 0) {
    const gap = text === '' ? '' : `${text.endsWith('\n') ? '' : eol}${eol}`
    return `${text}${gap}[${table.join('.')}]${eol}${line}`
  }
  const after = all.findIndex(({ kind }, at) => at > header && kind === 'table')
  const own = all.slice(header + 1, after < 0 ? undefined : after)
  const keys = own.filter(({ kind }) => kind === 'key')
  const old = keys.find(({ path }) => same(path, [key]))
  if (old !== undefined) return text.slice(0, old.start) + line + text.slice(old.end)
  const at = keys.at(-1)?.end ?? all[header]?.end ?? 0
  const gap = at > 0 && text[at - 1] !== '\n' ? eol : ''
  // Above the first table a blank line keeps the two apart.
  const space = at === 0 && table.length === 0 && /\S/.test(text) ? eol : ''
  return text.slice(0, at) + gap + line + space + text.slice(at)
}

/** The same table as an inline table or by dotted keys: TOML then forbids the header form. */
function refuseOtherForms(text: string, all: readonly Statement[], table: readonly string[]): void {
  if (table.length === 0) return
  let open: readonly string[] = []
  for (const { kind, path, start } of all) {
    if (kind === 'table') open = path
    if (kind !== 'key' || startsWith(open, table)) continue
    const full = [...open, ...path]
    if (startsWith(full, table) || startsWith(table, full)) {
      const line = text.slice(0, start).split('\n').length
      throw new TomlError(
        `line ${line}: ${table.join('.')} is written in a form that is not edited here`,
      )
    }
  }
}

function statements(text: string): readonly Statement[] {
  const found: Statement[] = []
  let at = text.startsWith('\ufeff') ? 1 : 0
  while (at < text.length) {
    const line = text.slice(at, lineEnd(text, at))
    const bare = line.trim()
    if (bare === '' || bare.startsWith('#')) {
      found.push({ kind: 'blank', start: at, end: at + line.length, path: [] })
    } else if (bare.startsWith('[')) {
      const inner = /^\[\[?\s*((?:"[^"]*"|'[^']*'|[^\]"'])*?)\s*\]/.exec(bare)?.[1]
      if (inner === undefined)
        throw new TomlError(`line ${lineOf(text, at)}: a header does not end`)
      found.push({ kind: 'table', start: at, end: at + line.length, path: keyPath(inner) })
    } else {
      const equals = /^((?:"(?:[^"\\]|\\.)*"|'[^']*'|[^="'])+)=/.exec(line)
      if (equals === null) throw new TomlError(`line ${lineOf(text, at)}: this is no TOML`)
      const end = lineEnd(text, valueEnd(text, at + equals[0].length))
      found.push({ kind: 'key', start: at, end, path: keyPath(equals[1] ?? '') })
    }
    at = found.at(-1)?.end ?? text.length
  }
  return found
}

/** Offset behind a value that may go on over lines (arrays, multi-line strings). */
function valueEnd(text: string, from: number): number {
  const token =
    /"""[\s\S]*?"""+|'''[\s\S]*?'''+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|#[^\n]*|[[\]{}]|\n|[^"'#[\]{}\n]+|["']/y
  let depth = 0
  let at = from
  while (at < text.length) {
    token.lastIndex = at
    const piece = token.exec(text)?.[0] ?? ''
    if (piece === '[' || piece === '{') depth += 1
    if (piece === ']' || piece === '}') depth -= 1
    if (piece === '"' || piece === "'") {
      throw new TomlError(`line ${lineOf(text, at)}: a string does not end`)
    }
    if (piece === '\n' && depth <= 0) return at
    at += piece.length
  }
  if (depth > 0) throw new TomlError(`line ${lineOf(text, from)}: a value does not end`)
  return at
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split('\n').length

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end + 1
}

function keyPath(text: string): readonly string[] {
  return [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s."']+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  )
}

const startsWith = (path: readonly string[], head: readonly string[]): boolean =>
  same(path.slice(0, head.length), head)
const same = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at])
