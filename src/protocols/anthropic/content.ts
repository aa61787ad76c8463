// Content of one message: a string, or blocks → Turn's parts.
import { assertNever } from '../../core/events.ts'
import type { ImageSource, Part, ResultPart } from '../../core/turn.ts'
import { check, type Path } from '../check.ts'
import { imageOfUrl, textParts, thinkingParts, unsupported } from '../parts.ts'
import { type PastCalls, pastCall } from '../past.ts'
import { pastResult } from './past.ts'
import { block, sources } from './schema.ts'

export type Content = string | readonly unknown[] | null | undefined

export function contentParts(content: Content, path: Path, past: PastCalls): readonly Part[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return textParts(content)
  return content.flatMap((entry, index) => blockParts(entry, [...path, index], past))
}

function blockParts(entry: unknown, path: Path, past: PastCalls): readonly Part[] {
  const { type } = check(block.any, entry, path)
  switch (type) {
    case 'text':
      return textParts(check(block.text, entry, path).text)
    case 'thinking':
      return thinkingParts(check(block.thinking, entry, path).thinking)
    case 'redacted_thinking':
      return [] // encrypted for another provider: nothing a reader could use
    case 'image':
      return [imagePart(entry, path)]
    case 'document':
      return documentParts(entry, path, past)
    case 'search_result': {
      const { title, source, content } = check(block.searchResult, entry, path)
      return [
        ...textParts(`${title} (${source})`),
        ...contentParts(content, [...path, 'content'], past),
      ]
    }
    case 'tool_use': {
      const { id, name, input } = check(block.toolUse, entry, path)
      return [{ type: 'tool-call', id, name, arguments: input ?? {} }]
    }
    case 'tool_result': {
      const result = check(block.toolResult, entry, path)
      const content = resultParts(result.content, [...path, 'content'], past)
      const isError = result.is_error ?? false
      return [{ type: 'tool-result', callId: result.tool_use_id, isError, content }]
    }
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { id, name, input } = check(block.toolUse, entry, path)
      return [pastCall(past, id, name, input)]
    }
    default:
      return type.endsWith('_tool_result') ? [pastPart(entry, path, past)] : [unsupported(type)]
  }
}

function pastPart(entry: unknown, path: Path, past: PastCalls): Part {
  const { tool_use_id: id, is_error: failed, content } = check(block.pastResult, entry, path)
  return pastResult(past, id, content, failed ?? false)
}

function imagePart(entry: unknown, path: Path): Part {
  const { source } = check(block.image, entry, path)
  const image = imageOf(source, [...path, 'source'])
  return image === undefined ? unsupported('image') : { type: 'image', source: image }
}

/** Undefined for sources that only the provider could open (`file`). */
function imageOf(source: { readonly type: string }, path: Path): ImageSource | undefined {
  if (source.type === 'url') return imageOfUrl(check(sources.url, source, path).url)
  if (source.type !== 'base64') return undefined
  const { media_type: mediaType, data } = check(sources.base64, source, path)
  return { kind: 'base64', mediaType, data }
}

/** Text documents become their text; PDFs, URLs and files are named as left out. */
function documentParts(entry: unknown, path: Path, past: PastCalls): readonly Part[] {
  const { source, title } = check(block.document, entry, path)
  const sourcePath = [...path, 'source']
  const titleParts = textParts(title ?? '')
  if (source.type === 'text') {
    return [...titleParts, ...textParts(check(sources.text, source, sourcePath).data)]
  }
  if (source.type === 'content') {
    const { content } = check(sources.content, source, sourcePath)
    return [...titleParts, ...contentParts(content, [...sourcePath, 'content'], past)]
  }
  return [...titleParts, unsupported('document')]
}

/** Content of a tool_result; what is neither text nor image is said in a text. */
function resultParts(content: Content, path: Path, past: PastCalls): readonly ResultPart[] {
  if (!Array.isArray(content)) return contentParts(content, path, past).flatMap(resultPart)
  const found: string[] = []
  const parts = content.flatMap((entry: unknown, index) => {
    const at = [...path, index]
    if (check(block.any, entry, at).type !== 'tool_reference') {
      return blockParts(entry, at, past).flatMap(resultPart)
    }
    found.push(check(block.toolReference, entry, at).tool_name)
    return []
  })
  // Source: Claude Code's ToolSearch answers with references to tools that are in `tools` from then on (recorded).
  return found.length === 0
    ? parts
    : [...parts, { type: 'text', text: `Tools found: ${found.join(', ')}` }]
}

function resultPart(part: Part): readonly ResultPart[] {
  switch (part.type) {
    case 'text':
    case 'image':
      return [part]
    case 'unsupported':
      return [{ type: 'text', text: `[${part.kind} left out]` }]
    case 'past-activity':
    case 'thinking':
      return [{ type: 'text', text: part.text }]
    case 'tool-call':
    case 'tool-result':
      return [{ type: 'text', text: `[${part.type} left out]` }]
    default:
      return assertNever(part)
  }
}
