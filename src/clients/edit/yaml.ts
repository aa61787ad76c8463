// Puts settings of one block mapping into YAML text; every other character stays. Pure.
import { isMap, isScalar, type Pair, parse, parseAllDocuments, type YAMLMap } from 'yaml'
import type { Setting } from '../client.ts'
import { isMap as isPlainMap, type JsonValue } from './json-value.ts'

export class YamlError extends Error {
  override readonly name = 'YamlError'
}

/** Every path is `[mapping, key]`. @throws YamlError */
export function setYaml(text: string, settings: readonly Setting[]): string {
  // A new key becomes the first of its mapping.
  return settings.toReversed().reduce((now, { path, value }) => {
    const [map = '', key = ''] = path
    return setOne(now, map, key, value)
  }, text)
}

/** @throws YamlError */
export function readYaml(text: string): unknown {
  return rootOf(text) === undefined ? {} : parse(text)
}

function setOne(text: string, name: string, key: string, value: JsonValue): string {
  const line = `${key}: ${scalar(value)}`
  const root = rootOf(text)
  const pair = root === undefined ? undefined : pairOf(root, name)
  if (pair === undefined) {
    const gap = text === '' || text.endsWith('\n') ? '' : '\n'
    return `${text}${gap}${name}:\n  ${line}\n`
  }
  const block = pair.value
  if (isMap(block) && block.flow !== true) {
    const old = pairOf(block, key)
    const first = block.items[0]
    if (old !== undefined) return overwrite(text, old, scalar(value))
    const at = rangeOf(first?.key)[0]
    const column = at - (text.lastIndexOf('\n', at - 1) + 1)
    return `${text.slice(0, at)}${line}\n${' '.repeat(column)}${text.slice(at)}`
  }
  // `model: some-name`, `model:` or `model: {…}` becomes a block; what a map held stays.
  const held: unknown = isMap(block) ? block.toJSON() : {}
  const kept = Object.entries(isPlainMap(held) ? held : {})
    .filter(([other]) => other !== key)
    .map(([other, inner]) => `\n  ${other}: ${JSON.stringify(inner)}`)
  return overwrite(text, pair, `${kept.join('')}\n  ${line}`)
}

/** Replaces a pair's value; one that stands for nothing is put behind the colon. */
function overwrite(text: string, pair: Pair, fresh: string): string {
  const [start, end] = rangeOf(pair.value)
  const gap = start === end && !/\s/.test(fresh[0] ?? '') && text[start - 1] === ':' ? ' ' : ''
  const head = fresh.startsWith('\n') ? text.slice(0, start).trimEnd() : text.slice(0, start)
  return head + gap + fresh + text.slice(end)
}

function rootOf(text: string): YAMLMap | undefined {
  const documents = parseAllDocuments(text)
  if (!Array.isArray(documents)) return undefined
  const [document, ...more] = documents
  const problem = document?.errors[0]
  if (problem !== undefined) {
    // Only the first line: the rest quotes the file, which may hold a key.
    throw new YamlError(problem.message.split('\n')[0] ?? 'this is no YAML')
  }
  if (more.length > 0) throw new YamlError('the file holds more than one document')
  const root: unknown = document?.contents
  if (root === undefined || root === null || (isScalar(root) && root.value === null)) {
    return undefined
  }
  if (!isMap(root) || root.flow === true) throw new YamlError('the file is no block mapping')
  return root
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((item) => isScalar(item.key) && item.key.value === key)
}

/** Start and end of a node's text, without what follows it. */
function rangeOf(node: unknown): readonly [number, number] {
  const range =
    typeof node === 'object' && node !== null && 'range' in node ? node.range : undefined
  if (!Array.isArray(range)) throw new YamlError('an entry has no place in the text')
  const [start, end]: readonly unknown[] = range
  return [Number(start), Number(end)]
}

/** Plain where YAML reads it as the same text, else quoted. */
function scalar(value: JsonValue): string {
  const isPlain =
    typeof value === 'string' && /^[\w$][\w${}:/.-]*$/.test(value) && parse(value) === value
  return isPlain ? value : JSON.stringify(value)
}
