// Digest of a text that comes in pieces, white space left out.
import { createHash, type Hash } from 'node:crypto'
import { sha256 } from '../lib/digest.ts'

/** Shorter texts are hashed at once at the end: feeding a hash costs more than a delta is long. */
const GATHERED_UNITS = 4096
/** A text of many megabytes squeezed at once takes three times as long (measured), most of it garbage collection. */
const PIECE_UNITS = 65_536

export class TextDigest {
  #gathered = ''
  #hash: Hash | undefined

  add(text: string): void {
    this.#gathered += text
    if (this.#gathered.length >= GATHERED_UNITS) this.#feed()
  }

  /** 64 hex characters. Nothing ends: more may follow. */
  hex(): string {
    const rest = squeeze(this.#gathered)
    // A copy: a hash can be read only once.
    return this.#hash?.copy().update(rest).digest('hex') ?? sha256(rest)
  }

  #feed(): void {
    this.#hash ??= createHash('sha256')
    const text = this.#gathered
    // A pair cut in two would be hashed as two broken characters: its other half may be still to come.
    const end = /[\uD800-\uDBFF]$/.test(text) ? text.length - 1 : text.length
    this.#gathered = text.slice(end)
    for (let from = 0; from < end; ) {
      let to = Math.min(from + PIECE_UNITS, end)
      if (/[\uDC00-\uDFFF]/.test(text.charAt(to))) to += 1
      this.#hash.update(squeeze(text.slice(from, to)))
      from = to
    }
  }
}

/**
 * White space does not count: clients join blocks with nothing, a line break or two, and trim ends (Claude Code turns an
 * earlier block list into one string on the next turn; measured with 2.1.332).
 */
export function squeeze(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
