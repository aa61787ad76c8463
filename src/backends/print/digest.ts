// A running digest of text, so that a long answer can be compared with its repeat without being kept. Pure.

/** Length and two 32-bit lanes over the UTF-16 units of a text. */
export interface Digest {
  readonly length: number
  readonly a: number
  readonly b: number
}

export const EMPTY_DIGEST: Digest = { length: 0, a: 0x811c9dc5, b: 0x9e3779b9 | 0 }

/** The digest of the digested text followed by `text[from, to)`. */
export function extend(digest: Digest, text: string, from = 0, to = text.length): Digest {
  let a = digest.a
  let b = digest.b
  for (let at = from; at < to; at += 1) {
    const unit = text.charCodeAt(at)
    a = Math.imul(a ^ unit, 0x01000193)
    b = (Math.imul(((b << 5) | (b >>> 27)) ^ unit, 0x2c1b3c6d) + 0x27d4eb2f) | 0
  }
  return { length: digest.length + to - from, a, b }
}

/** True when `text` has the digested text at `from`. */
export function occursAt(digest: Digest, text: string, from: number): boolean {
  const to = from + digest.length
  if (to > text.length) return false
  const found = extend(EMPTY_DIGEST, text, from, to)
  return found.a === digest.a && found.b === digest.b
}
