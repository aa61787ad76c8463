// When are two requests equal? A digest over everything that decides what the agent would do. Pure.
import { createHash, type Hash } from 'node:crypto'
import { isObject } from '../lib/json.ts'

export interface FingerprintParts {
  readonly api: string
  /** Digest of the client's credential, '' for none. */
  readonly credential: string
  /** The client's conversation id where it sent one. */
  readonly conversation: string | undefined
  readonly headers: Headers
  readonly body: unknown
}

/**
 * Fields that differ between a request and its own retry. `stream`: Claude Code repeats a broken stream with
 * `stream: false`, and with fewer tokens where the first try asked for very many (measured with 2.1.332). Cache marks move
 * to the newest block on every turn.
 */
const IGNORED_AT_TOP = new Set([
  'stream',
  'stream_options',
  'metadata',
  'client_metadata',
  'user',
  'max_tokens',
  'max_completion_tokens',
  'max_output_tokens',
])
const IGNORED_ANYWHERE = new Set(['cache_control'])

/** Headers that change the plan or name the conversation. */
const PLAN_HEADER =
  /^x-cursor-|session|^x-claude-code-(?:agent|parent-agent)-id$|^conversation_id$|^thread-id$/

/** Hex digest, equal for equal requests whatever the order of keys. */
export function fingerprint(parts: FingerprintParts): string {
  const hash = createHash('sha256')
  hash.update(`${parts.api}\n${parts.credential}\n${parts.conversation ?? ''}\n`)
  const names = [...parts.headers.keys()].filter((name) => PLAN_HEADER.test(name)).toSorted()
  for (const name of names) hash.update(`${name}:${parts.headers.get(name) ?? ''}\n`)
  if (isObject(parts.body)) feedObject(hash, parts.body, IGNORED_AT_TOP)
  else feed(hash, parts.body)
  return hash.digest('hex')
}

function feed(hash: Hash, value: unknown): void {
  if (Array.isArray(value)) {
    hash.update('[')
    for (const item of value) feed(hash, item)
    hash.update(']')
    return
  }
  if (isObject(value)) {
    feedObject(hash, value, IGNORED_ANYWHERE)
    return
  }
  // A length before each string keeps ["ab","c"] and ["a","bc"] apart.
  if (typeof value === 'string') hash.update(`s${value.length}:`).update(value)
  else hash.update(`${typeof value}:${String(value)};`)
}

function feedObject(
  hash: Hash,
  value: Readonly<Record<string, unknown>>,
  ignored: ReadonlySet<string>,
): void {
  hash.update('{')
  for (const key of Object.keys(value).toSorted()) {
    if (ignored.has(key) || IGNORED_ANYWHERE.has(key) || value[key] === undefined) continue
    hash.update(`k${key.length}:`).update(key)
    feed(hash, value[key])
  }
  hash.update('}')
}
