// Fragments of a text that may be cut inside a surrogate pair: the first half of one waits for the second. Pure.

export class WholeCharacters {
  #half = ''

  /** What of the text so far is whole and new; '' while it is but half a character. */
  push(fragment: string): string {
    const text = this.#half + fragment
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ''
    return this.#half === '' ? text : text.slice(0, -1)
  }

  /** The text is over: a half that never became whole, as it is. */
  rest(): string {
    const half = this.#half
    this.#half = ''
    return half
  }
}
