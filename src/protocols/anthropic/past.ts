// Blocks of server and MCP tools in a history: what ran by itself in an earlier turn → lines of past activity, among them
// our own blocks that come back. Readable, and short: the work is done, the files show it.
import type { Json, Part } from '../../core/turn.ts'

/** How the calls seen so far are called, by id: a result names its call only by id. */
export type PastCalls = Map<string, string>

export function pastCall(
  calls: PastCalls,
  id: string,
  name: string,
  input: Json | undefined,
): Part {
  const args = Object.entries(isRecord(input) ? input : {})
  const main = args.find(([, value]) => typeof value === 'string' && value !== '')?.[1]
  calls.set(id, main === undefined ? name : `${name} (${short(main, 60)})`)
  const list = args.map(([key, value]) => `${key}: ${short(value, 300)}`).join(', ')
  return { type: 'past-activity', text: `${name} was run${list === '' ? '' : ` with ${list}`}` }
}

export function pastResult(calls: PastCalls, id: string, content: unknown, failed: boolean): Part {
  const name = calls.get(id) ?? 'A tool'
  const text = outcomeText(content)
  const ended = failed || hasFailed(content)
  if (text === '') return { type: 'past-activity', text: `${name} ${ended ? 'failed' : 'ended'}` }
  return { type: 'past-activity', text: `${name} ${ended ? 'failed' : 'returned'}: ${text}` }
}

function isRecord(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** One line of at most `most` characters and the count of those left out. */
function short(value: Json, most: number): string {
  const plain = typeof value === 'string' && !/[\r\n]/.test(value)
  const text = plain ? value : JSON.stringify(value)
  if (text.length <= most) return text
  return `${text.slice(0, most)}… (${text.length - most} characters left out)`
}

/** Source: `return_code` of both code execution results, `…_tool_result_error` of every server tool (official types). */
function hasFailed(content: unknown): boolean {
  if (typeof content !== 'object' || content === null) return false
  const code: unknown = Reflect.get(content, 'return_code')
  const type: unknown = Reflect.get(content, 'type')
  return (typeof code === 'number' && code !== 0) || String(type).endsWith('_tool_result_error')
}

/** Fields that hold words for people, over all result shapes; encrypted and binary ones are not among them. */
const TEXT_FIELDS = ['stdout', 'stderr', 'text', 'title', 'url', 'error_code', 'error_message']

/** Source: result blocks in the official types (web_search, web_fetch, code_execution, bash_…, tool_search, mcp). */
function outcomeText(content: unknown): string {
  if (typeof content === 'string') return content
  if (Array.isArray(content)) return content.map(outcomeText).filter(Boolean).join('\n')
  if (typeof content !== 'object' || content === null) return ''
  const texts = TEXT_FIELDS.map((field): unknown => Reflect.get(content, field)).filter(
    (value): value is string => typeof value === 'string' && value !== '',
  )
  const inner: unknown = Reflect.get(content, 'content')
  return [...texts, outcomeText(inner)].filter(Boolean).join('\n')
}
