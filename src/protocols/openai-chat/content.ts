// Content of one chat message: a string, null, or parts → Turn's parts.
import { z } from 'zod'
import type { Part, ResultPart } from '../../core/turn.ts'
import { check, type Path } from '../check.ts'
import { imageOfUrl, textParts, unsupported } from '../parts.ts'

export type Content = string | readonly unknown[] | null | undefined

const kind = z.looseObject({ type: z.string() })
const text = z.looseObject({ text: z.string() })
const refusal = z.looseObject({ refusal: z.string() })
/** Some clients give the URL itself. */
const imageUrl = z.looseObject({
  image_url: z.union([z.string(), z.looseObject({ url: z.string() })]),
})

export function contentParts(content: Content, path: Path): readonly Part[] {
  if (content === null || content === undefined) return []
  if (typeof content === 'string') return textParts(content)
  return content.flatMap((part, index) => partsOf(part, [...path, index]))
}

/** Content of a tool's result; what is neither text nor image is named in a text. */
export function resultParts(content: Content, path: Path): readonly ResultPart[] {
  return contentParts(content, path).map((part) => {
    if (part.type === 'text' || part.type === 'image') return part
    return {
      type: 'text',
      text: `[${part.type === 'unsupported' ? part.kind : part.type} left out]`,
    }
  })
}

function partsOf(part: unknown, path: Path): readonly Part[] {
  const { type } = check(kind, part, path)
  switch (type) {
    case 'text':
      return textParts(check(text, part, path).text)
    case 'refusal':
      return textParts(check(refusal, part, path).refusal)
    case 'image_url': {
      const { image_url: image } = check(imageUrl, part, path)
      const source = imageOfUrl(typeof image === 'string' ? image : image.url)
      return [{ type: 'image', source }]
    }
    default:
      // `input_audio`, `file` and kinds newer than this program.
      return [unsupported(type)]
  }
}
