// Result blocks of server and MCP tools in a history → lines of past activity, among them our own blocks that come back.
import type { Part } from '../../core/turn.ts'
import { type PastCalls, pastOutcome } from '../past.ts'

export function pastResult(calls: PastCalls, id: string, content: unknown, failed: boolean): Part {
  return pastOutcome(calls, id, outcomeText(content), failed || hasFailed(content))
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
