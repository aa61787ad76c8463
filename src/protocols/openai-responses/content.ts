// Content of an item: a string, null, or parts → Turn's parts.
import type { Part, ResultPart } from '../../core/turn.ts'
import { check, type Path } from '../check.ts'
import { imageOfUrl, textParts, unsupported } from '../parts.ts'
import { part } from './schema.ts'

export type Content = string | readonly unknown[] | null | undefined

export function contentParts(content: Content, path: Path): readonly Part[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return textParts(content)
  return content.flatMap((entry, index) => partsOf(entry, [...path, index]))
}

/** Output of a call; what is neither text nor image is named in a text. */
export function resultParts(content: Content, path: Path): readonly ResultPart[] {
  return contentParts(content, path).map((entry) => {
    if (entry.type === 'text' || entry.type === 'image') return entry
    const kind = entry.type === 'unsupported' ? entry.kind : entry.type
    return { type: 'text', text: `[${kind} left out]` }
  })
}

function partsOf(entry: unknown, path: Path): readonly Part[] {
  const { type } = check(part.any, entry, path)
  switch (type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return textParts(check(part.text, entry, path).text)
    case 'refusal':
      return textParts(check(part.refusal, entry, path).refusal)
    case 'input_image':
    case 'image_url': {
      const { image_url: image } = check(part.image, entry, path)
      // A `file_id` could be opened by the provider only.
      if (image === null || image === undefined) return [unsupported(type)]
      const url = typeof image === 'string' ? image : image.url
      return [{ type: 'image', source: imageOfUrl(url) }]
    }
    case 'input_file': {
      const { filename } = check(part.file, entry, path)
      return [...textParts(filename ?? ''), unsupported(type)]
    }
    default:
      // `input_audio` and kinds newer than this program.
      return [unsupported(type)]
  }
}
