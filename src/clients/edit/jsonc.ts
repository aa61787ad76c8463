// Puts single settings into JSON text; every other character stays. Pure.
import type { Setting } from '../client.ts'
import type { JsonValue } from './json-value.ts'
import { JsoncError, plain, type Scanned, type ScannedMember, scanJsonc } from './jsonc-scan.ts'

type ObjectScan = Extract<Scanned, { kind: 'object' }>

/** @throws JsoncError when the text is no JSON object. */
export function setJsonc(text: string, settings: readonly Setting[]): string {
  return settings.reduce((now, { path, value }) => setOne(now, path, value), text)
}

/** @throws JsoncError */
export function readJsonc(text: string): unknown {
  const scanned = scanJsonc(text)
  return scanned === undefined ? {} : plain(scanned)
}

function setOne(text: string, path: readonly string[], value: JsonValue): string {
  const root = scanJsonc(text)
  if (root === undefined) return `${text}${written(nested(path, value), '', '  ', '\n')}\n`
  if (root.kind !== 'object') throw new JsoncError('line 1: it is no object')
  let object = root
  for (const [depth, key] of path.entries()) {
    const member = object.members.findLast((one) => one.key === key)
    const rest = path.slice(depth + 1)
    if (member === undefined) return inserted(text, object, key, nested(rest, value))
    if (rest.length === 0 || member.value.kind !== 'object') {
      return replaced(text, member, nested(rest, value))
    }
    object = member.value
  }
  return text
}

const nested = (path: readonly string[], value: JsonValue): JsonValue =>
  path.reduceRight<JsonValue>((inner, key) => ({ [key]: inner }), value)

function replaced(text: string, { start, value: old }: ScannedMember, value: JsonValue): string {
  const fresh = written(value, indentAt(text, start), unitOf(text), eolOf(text))
  return text.slice(0, old.start) + fresh + text.slice(old.end)
}

function inserted(text: string, object: ObjectScan, key: string, value: JsonValue): string {
  const eol = eolOf(text)
  const unit = unitOf(text)
  const first = object.members[0]
  const last = object.members.at(-1)
  const member = (indent: string): string =>
    `${JSON.stringify(key)}: ${written(value, indent, unit, eol)}`
  if (first === undefined || last === undefined) {
    const outer = indentAt(text, object.start)
    const inside = text.slice(object.start + 1, object.end - 1).trimEnd()
    const fresh = `{${inside}${eol}${outer}${unit}${member(outer + unit)}${eol}${outer}}`
    return text.slice(0, object.start) + fresh + text.slice(object.end)
  }
  const { end } = last.value
  if (!text.slice(object.start, first.start).includes('\n')) {
    const indent = indentAt(text, object.start)
    return `${text.slice(0, end)}, ${member(indent)}${text.slice(end)}`
  }
  const indent = indentAt(text, first.start)
  // A comment behind the last member stays with it.
  const lineEnd = text.indexOf('\n', end)
  const at = lineEnd < 0 || lineEnd > object.end ? end : lineEnd - (eol === '\r\n' ? 1 : 0)
  const comma = object.trailingComma ? '' : ','
  const line = `${eol}${indent}${member(indent)}${object.trailingComma ? ',' : ''}`
  return text.slice(0, end) + comma + text.slice(end, at) + line + text.slice(at)
}

function written(value: JsonValue, indent: string, unit: string, eol: string): string {
  return JSON.stringify(value, undefined, unit).replaceAll('\n', eol + indent)
}

/** Blanks at the start of the line that holds this offset. */
function indentAt(text: string, at: number): string {
  const lineStart = text.lastIndexOf('\n', at - 1) + 1
  return /^[ \t]*/.exec(text.slice(lineStart, at))?.[0] ?? ''
}

const unitOf = (text: string): string => /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
const eolOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')
