// Tools and tool choice of a Responses request → what Turn knows of them, and the way back from a call's name.
import type { CallForm, ToolChoice, ToolDefinition } from '../../core/turn.ts'
import { check, type Path, refuse } from '../check.ts'
import type { ToolChoiceField } from './schema.ts'
import { tool as schema } from './schema.ts'

export interface OfferedTools {
  readonly tools: readonly ToolDefinition[]
  /** How the tools are called that are no plain functions, by their name in `tools`. */
  readonly callForms: ReadonlyMap<string, CallForm>
}

/** The argument in which a custom tool gets its text. */
export const FREE_TEXT = 'input'

/** The name a tool of a namespace is offered under; the same for the same tool in every request. */
export function offeredName(namespace: string | null | undefined, name: string): string {
  if (namespace === null || namespace === undefined || namespace === '') return name
  return namespace.endsWith('__') ? `${namespace}${name}` : `${namespace}__${name}`
}

/** Kinds that only the provider runs, or that have no schema (web search, local shell, tool search, …), are left out. */
export function offeredTools(list: readonly { readonly type: string }[]): OfferedTools {
  const tools: ToolDefinition[] = []
  const callForms = new Map<string, CallForm>()
  const add = (entry: { readonly type: string }, path: Path, namespace?: string): void => {
    if (entry.type !== 'function' && entry.type !== 'custom') return
    const isCustom = entry.type === 'custom'
    const { name, ...definition } = isCustom ? customTool(entry, path) : functionTool(entry, path)
    const offered = offeredName(namespace, name)
    tools.push({ name: offered, ...definition })
    if (!isCustom && namespace === undefined) return
    callForms.set(offered, { kind: isCustom ? 'custom' : 'function', name, namespace })
  }
  for (const [index, entry] of list.entries()) {
    const path = ['tools', index]
    if (entry.type !== 'namespace') {
      add(entry, path)
      continue
    }
    // Source: Codex CLI 0.171.0 (`multi_agent_v1`, recorded).
    const { name, tools: inner } = check(schema.namespace, entry, path)
    for (const [at, one] of (inner ?? []).entries()) add(one, [...path, 'tools', at], name)
  }
  return { tools, callForms }
}

function functionTool(entry: unknown, path: Path): ToolDefinition {
  const { name, description, parameters } = check(schema.function, entry, path)
  return {
    name,
    description: description ?? '',
    parameters: parameters ?? { type: 'object', properties: {} },
  }
}

/** One string argument, and the grammar in words: MCP knows no free-form tools. */
function customTool(entry: unknown, path: Path): ToolDefinition {
  const { name, description, format } = check(schema.custom, entry, path)
  const grammar =
    format?.definition === null || format?.definition === undefined
      ? ''
      : `\n\nThe text of \`${FREE_TEXT}\` follows this ${format.syntax ?? 'formal'} grammar:\n${format.definition}`
  return {
    name,
    description: `${description ?? ''}${grammar}`.trim(),
    parameters: {
      type: 'object',
      properties: {
        [FREE_TEXT]: { type: 'string', description: 'The whole input as plain text.' },
      },
      required: [FREE_TEXT],
      additionalProperties: false,
    },
  }
}

export function toolChoiceOf(choice: ToolChoiceField | null | undefined): ToolChoice {
  if (choice === null || choice === undefined) return { kind: 'auto' }
  if (typeof choice === 'string') return { kind: choice }
  switch (choice.type) {
    case 'function':
    case 'custom': {
      const name = choice.name ?? refuse(['tool_choice', 'name'], 'a string', 'nothing')
      return { kind: 'named', name: offeredName(choice.namespace, name) }
    }
    case 'allowed_tools':
      return { kind: choice.mode ?? 'auto' }
    default:
      return refuse(
        ['tool_choice', 'type'],
        '"function", "custom" or "allowed_tools" (tools of the provider are not run)',
        JSON.stringify(choice.type.slice(0, 60)),
      )
  }
}
