// Names under which a client's tools are offered over MCP, and the way back from what Cursor says. Pure.
import { createHash } from 'node:crypto'
import type { ToolDefinition } from './turn.ts'

/** Name of our MCP server in Cursor's configuration; short, because Cursor puts it before every tool's name. */
export const TOOL_SERVER = 'client'

/**
 * Source: Cursor's editor leaves out tools whose server and tool name have more than 60 characters together.
 * Assumed: so does the CLI.
 */
const LONGEST = 60 - TOOL_SERVER.length - 1
const SAFE = /^[A-Za-z0-9_-]+$/
/** Source: recorded calls (`<server>-<tool>`); other agents' form (`mcp__<server>__<tool>`); the rest is assumed. */
const PREFIX = new RegExp(`^(?:MCP:\\s*)?(?:mcp__${TOOL_SERVER}__|${TOOL_SERVER}[-_.:/]{1,2})`, 'i')

export interface ToolNames {
  /** The tools, each with the name it is offered under, in the client's order; the first of equal names. */
  readonly offered: readonly { readonly offered: string; readonly tool: ToolDefinition }[]
  /** The client's tool behind a name as Cursor says it, with or without our server's name before it. */
  find(heard: string): ToolDefinition | undefined
}

export function toolNames(tools: readonly ToolDefinition[]): ToolNames {
  const byOffered = new Map<string, ToolDefinition>()
  const taken = new Set(tools.map(({ name }) => name))
  const seen = new Set<string>()
  for (const tool of tools) {
    if (seen.has(tool.name)) continue
    seen.add(tool.name)
    byOffered.set(offeredName(tool.name, taken), tool)
  }
  return {
    offered: [...byOffered].map(([offered, tool]) => ({ offered, tool })),
    find: (heard) => {
      const bare = heard.replace(/^MCP:\s*/i, '')
      return byOffered.get(bare) ?? byOffered.get(withoutServer(heard))
    },
  }
}

/** A name as Cursor says it, without our server's name before it. */
export const withoutServer = (heard: string): string => heard.replace(PREFIX, '')

/** A name in the safe alphabet stays as it is; any other is made safe and told apart by a digest of the whole. */
function offeredName(name: string, taken: Set<string>): string {
  if (SAFE.test(name) && name.length <= LONGEST) return name
  const digest = createHash('sha256').update(name).digest('hex')
  const readable = name.replaceAll(/[^A-Za-z0-9_-]+/g, '_')
  for (let length = 8; ; length += 1) {
    const offered = `${readable.slice(0, LONGEST - length - 1)}_${digest.slice(0, length)}`
    if (taken.has(offered)) continue
    taken.add(offered)
    return offered
  }
}
