// Between the client's tools and results and what MCP says. Pure.
import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { ClientToolResult } from '../core/client-tools.ts'
import type { ToolNames } from '../core/tool-names.ts'
import type { Json, ResultPart } from '../core/turn.ts'
import { isObject, type JsonObject } from '../lib/json.ts'

/** Exactly the client's tools, in its order. */
export function toolList(names: ToolNames): Tool[] {
  return names.offered.map(({ offered, tool }) => ({
    name: offered,
    // The client's own texts speak of the tool by its own name.
    description:
      offered === tool.name
        ? tool.description
        : `(Also called "${tool.name}".) ${tool.description}`,
    inputSchema: inputSchema(tool.parameters),
  }))
}

/**
 * MCP wants an object at the root, objects as properties and a list in `required`; one tool that has something else
 * makes a strict client refuse the whole list. What can stay stays.
 */
function inputSchema(parameters: Json): Tool['inputSchema'] {
  if (!isObject(parameters)) return { type: 'object' }
  const { type: _type, properties, required, ...rest } = parameters
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []
  return {
    ...rest,
    type: 'object',
    ...(isObject(properties) ? { properties: objectsOf(properties) } : {}),
    ...(names.length > 0 ? { required: names } : {}),
  }
}

function objectsOf(properties: JsonObject): Record<string, object> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      // `true` and `false` are schemas too.
      if (isObject(schema)) return [name, schema]
      return [name, schema === false ? { not: {} } : {}]
    }),
  )
}

export function callResult({ content, isError }: ClientToolResult): CallToolResult {
  return { content: content.map(contentOf), ...(isError ? { isError: true } : {}) }
}

export const errorResult = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
})

function contentOf(part: ResultPart): CallToolResult['content'][number] {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { source } = part
  if (source.kind === 'url') return { type: 'text', text: `(image: ${source.url})` }
  return isBase64(source.data)
    ? { type: 'image', data: source.data, mimeType: source.mediaType }
    : { type: 'text', text: '(an image that could not be read)' }
}

function isBase64(data: string): boolean {
  return /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(data) && data.replaceAll(/[\s=]/g, '').length % 4 !== 1
}
