// Provisional: tokens of a text by tokenx.
import { estimateTokenCount } from 'tokenx'

export const SLICE_CHARS = 16_384

/** Estimated tokens of `text.slice(from, to)`, with fractions. */
export function sliceTokens(text: string, from: number, to: number): number {
  return estimateTokenCount(text.slice(from, to))
}

/** Estimated tokens of a whole text; pure, 0 for ''. Takes the thread for as long as the text is long. */
export function countText(text: string): number {
  let total = 0
  for (let from = 0; from < text.length; from += SLICE_CHARS) {
    total += sliceTokens(text, from, Math.min(from + SLICE_CHARS, text.length))
  }
  return Math.ceil(total)
}
