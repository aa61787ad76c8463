// Blocks of server and MCP tools in a history: what ran by itself in an earlier turn → one line of past activity.
import type { Json, Part } from '../../core/turn.ts'

/** Names of the calls seen so far by id: a result names its call only by id. */
export type PastCalls = Map<string, string>

export function pastCall(
  calls: PastCalls,
  id: string,
  name: string,
  input: Json | undefined,
): Part {
  calls.set(id, name)
  return { type: 'past-activity', text: `${name} was run with ${JSON.stringify(input ?? {})}` }
}

export function pastResult(calls: PastCalls, id: string, content: unknown): Part {
  const name = calls.get(id) ?? 'A tool'
  const text = outcomeText(content)
  return {
    type: 'past-activity',
    text: text === '' ? `${name} ended` : `${name} returned: ${text}`,
  }
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
