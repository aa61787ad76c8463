// Small steps that all request parsers share: text parts, data URIs, names of what was left out.
import type { Effort, ImageSource, Message, Part } from '../core/turn.ts'

const MAX_KIND_CHARS = 64

/** A text part, or none for empty text. */
export function textParts(text: string): readonly Part[] {
  return text === '' ? [] : [{ type: 'text', text }]
}

export function thinkingParts(text: string): readonly Part[] {
  return text === '' ? [] : [{ type: 'thinking', text }]
}

export function unsupported(kind: string): Part {
  return { type: 'unsupported', kind: kind.slice(0, MAX_KIND_CHARS) }
}

/** `data:image/png;base64,…` → its bytes; anything else is a URL that is named, never fetched. */
export function imageOfUrl(url: string): ImageSource {
  const match = /^data:([^;,]{1,100})(?:;[^;,]{1,100})*;base64,/i.exec(url.slice(0, 300))
  if (match === null) return { kind: 'url', url }
  return {
    kind: 'base64',
    mediaType: match[1] ?? 'application/octet-stream',
    data: url.slice(match[0].length),
  }
}

/**
 * Claude Code's first system block carries a version hash, not an instruction.
 * Source: Claude Code 2.1.332, also through Claude Code Router 2.0.0 on chat completions (recorded requests).
 */
export function withoutBilling(message: Message): Message {
  if (message.role !== 'system') return message
  const parts = message.parts.filter(
    (part) => part.type !== 'text' || !part.text.startsWith('x-anthropic-billing-header:'),
  )
  return parts.length === message.parts.length ? message : { ...message, parts }
}

const EFFORTS: readonly Effort[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** The effort of that name; undefined for names we do not know. */
export function effortOf(name: string | null | undefined): Effort | undefined {
  return EFFORTS.find((effort) => effort === name)
}
