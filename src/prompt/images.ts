// Pictures of a transcript: what the text says of them, and the files or attachments beside it. Pure.
import type { PromptImage } from '../core/job.ts'
import type { ImageSource } from '../core/turn.ts'

/** How the backend can show pictures: as files in the agent's folder, natively beside the text, or not at all. */
export type ImageWay = 'files' | 'native' | 'none'

export interface ImageCollector {
  /** The text that stands for the picture; the picture itself is kept where `way` can show it. */
  place(source: ImageSource): string
  readonly images: readonly PromptImage[]
}

/** Numbers pictures in order of appearance, so that a longer transcript keeps the numbers of a shorter one. */
export function createImageCollector(way: ImageWay): ImageCollector {
  const images: PromptImage[] = []
  let count = 0
  return {
    images,
    place(source) {
      const picture = source.kind === 'url' ? dataUri(source.url) : source
      if (picture === 'other-url' && source.kind === 'url')
        return `[image at ${shownUrl(source.url)}]`
      count += 1
      if (picture === undefined || picture === 'other-url' || way === 'none') {
        return `[image ${count}: left out, pictures cannot be passed on here]`
      }
      const name = `image-${count}.${extension(picture.mediaType)}`
      images.push({ name, mediaType: picture.mediaType, base64: picture.data })
      return way === 'files' ? `[image ${count}: see ./${name}]` : `[image ${count}: attached]`
    },
  }
}

interface Picture {
  readonly mediaType: string
  readonly data: string
}

/** A `data:` URI is a picture in disguise (undefined when it is not base64); any other URL is only named. */
function dataUri(url: string): Picture | 'other-url' | undefined {
  if (!/^\s*data:/i.test(url.slice(0, 64))) return 'other-url'
  const comma = url.indexOf(',')
  const head = url.slice(0, Math.max(comma, 0)).trim()
  const [type = '', ...parameters] = head.slice('data:'.length).split(';')
  if (!parameters.some((entry) => entry.trim().toLowerCase() === 'base64')) return undefined
  return { mediaType: type.trim().toLowerCase(), data: url.slice(comma + 1) }
}

function shownUrl(url: string): string {
  const line = url.slice(0, 2_000).replaceAll(/[\s\p{Cc}\p{Cf}]+/gu, '')
  return url.length > 2_000 ? `${line}…` : line
}

const EXTENSIONS: Readonly<Record<string, string>> = { 'image/jpeg': 'jpg', 'image/svg+xml': 'svg' }

function extension(mediaType: string): string {
  const known = EXTENSIONS[mediaType]
  if (known !== undefined) return known
  return /^image\/([a-z0-9]{1,8})$/.exec(mediaType)?.[1] ?? 'png'
}
