// A tool step of a script (print mode's shape) as ACP mode shows it: few arguments, short outputs. Pure.
// Source: probes and fixtures of 2026.08; Assumed: the words of titles, except `MCP: <tool>`.
import { isObject, type JsonObject, numberAt, objectAt, stringAt } from '../lib/json.ts'
import type { ToolCall } from './answer.ts'

const KINDS: Readonly<Record<string, string>> = {
  shell: 'execute',
  read: 'read',
  edit: 'edit',
  write: 'edit',
  delete: 'edit',
  glob: 'search',
  grep: 'search',
  ls: 'search',
  semSearch: 'search',
}

function titleOf(kind: string, args: JsonObject): string {
  const tool = stringAt(args, 'toolName') ?? stringAt(args, 'name')
  if (kind === 'mcp') return `MCP: ${tool ?? 'tool'}`
  if (kind === 'shell') return `\`${stringAt(args, 'command') ?? ''}\``
  const word = kind.charAt(0).toUpperCase() + kind.slice(1)
  const main = stringAt(args, 'path') ?? stringAt(args, 'pattern') ?? stringAt(args, 'globPattern')
  return main === undefined ? word : `${word} ${main}`
}

export function started(call: ToolCall): JsonObject {
  const kind = call.kind.replace(/ToolCall$/u, '')
  const args = isObject(call.args) ? call.args : {}
  const command = stringAt(args, 'command')
  const inner = kind === 'mcp' ? (objectAt(args, 'args') ?? {}) : {}
  return {
    sessionUpdate: 'tool_call',
    toolCallId: call.id,
    title: titleOf(kind, args),
    kind: KINDS[kind] ?? 'other',
    status: 'pending',
    // Source: probes of 2026.08.11: empty for read, grep and edit.
    rawInput: kind === 'shell' && command !== undefined ? { command } : inner,
  }
}

export const running = ({ id }: ToolCall): JsonObject => ({
  sessionUpdate: 'tool_call_update',
  toolCallId: id,
  status: 'in_progress',
})

/** Failed and rejected calls end `completed` too. Source: probes of 2026.08.11. */
export function completed(call: ToolCall): JsonObject {
  return {
    sessionUpdate: 'tool_call_update',
    toolCallId: call.id,
    status: 'completed',
    ...output(call.kind.replace(/ToolCall$/u, ''), isObject(call.result) ? call.result : {}, call),
  }
}

function output(kind: string, result: JsonObject, call: ToolCall): JsonObject {
  const [outcome = 'success'] = Object.keys(result)
  const detail = objectAt(result, outcome) ?? {}
  const { exitCode, stdout = '', stderr = '' } = detail
  if (kind === 'shell' && exitCode !== undefined) return { rawOutput: { exitCode, stdout, stderr } }
  if (outcome !== 'success') {
    const words = ['reason', 'error', 'errorMessage'].map((key) => stringAt(detail, key))
    const error = words.find((word) => word !== undefined) ?? outcome
    return { rawOutput: { error: outcome === 'rejected' ? `Rejected: ${error}` : error } }
  }
  if (kind === 'edit') return { content: [diffOf(detail, isObject(call.args) ? call.args : {})] }
  if (kind === 'grep') return { rawOutput: { totalMatches: matches(detail), truncated: false } }
  if (kind === 'read') {
    const lines = Array.from({ length: numberAt(detail, 'totalLines') ?? 0 }, () => '…')
    return { rawOutput: { content: stringAt(detail, 'content') ?? lines.join('\n') } }
  }
  return { rawOutput: detail }
}

function diffOf(detail: JsonObject, args: JsonObject): JsonObject {
  return {
    type: 'diff',
    path: stringAt(detail, 'path') ?? stringAt(args, 'path') ?? '',
    oldText: stringAt(detail, 'beforeFullFileContent') ?? null,
    newText: stringAt(detail, 'afterFullFileContent') ?? stringAt(args, 'streamContent') ?? '',
  }
}

const matches = (detail: JsonObject): number => numberAt(detail, 'totalMatches') ?? 0
