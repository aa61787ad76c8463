// Holds back the end of an answer while it could still turn out to be an error dump instead of text. Pure.

export interface ErrorHold {
  /** Takes text of the answer, returns what can be shown now. */
  push(text: string): string
  /** The answer goes on with something else than text, or ended well: gives back what was held. */
  release(): string
  /** A new segment begins: a dump may come as a message of its own. */
  segmentStarts(): void
  /** The held text when it is a whole error dump; undefined when it is ordinary text so far. */
  dump(): ErrorDump | undefined
}

export interface ErrorDump {
  readonly text: string
  /** False when it only stands at the start of a later segment, which the model may have written itself. */
  readonly certain: boolean
}

// `(?:^|\n\n)Error: (?:(?:[A-Z]|RetriableError|ConnectError|ActionRequiredError): |WritableIterable)[\s\S]{0,600}$` over
// the text of the turn: anchored at its end, because models also talk about these strings.
// Source: a wrapper's classifier tests, and its issue about false positives before anchoring.
const OPENING = 'Error: '
const NAMES = ['RetriableError: ', 'ConnectError: ', 'ActionRequiredError: ', 'WritableIterable']
const LONGEST_REST = 600

type Verdict = 'no' | 'maybe' | 'dump'

/** Whether text that starts at a line start and runs to the end so far is, or can become, a dump. */
function judge(text: string): Verdict {
  if (text.length < OPENING.length) return OPENING.startsWith(text) ? 'maybe' : 'no'
  if (!text.startsWith(OPENING)) return 'no'
  const rest = text.slice(OPENING.length, OPENING.length + 24)
  const restLength = text.length - OPENING.length
  for (const name of NAMES) {
    if (rest.startsWith(name)) return restLength - name.length <= LONGEST_REST ? 'dump' : 'no'
    if (name.startsWith(rest)) return 'maybe'
  }
  if (!/^[A-Z](?::(?: |$)|$)/.test(rest)) return 'no'
  if (restLength < 3) return 'maybe'
  return restLength - 3 <= LONGEST_REST ? 'dump' : 'no'
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

export function createErrorHold(): ErrorHold {
  return new Holder()
}

class Holder implements ErrorHold {
  #held = ''
  /** Where the candidate's `Error: ` begins in `held` (newlines before it are held with it); -1 = half a pair only. */
  #opening = -1
  #certain = true
  /** Line breaks just before the next unit, at most two. */
  #breaks = 0
  /** Nothing of the answer came yet: a dump may begin here as well as after an empty line. */
  #atStart = true
  #segmentStart = false

  push(text: string): string {
    if (this.#held === '') return this.#scan(text, 0)
    const all = this.#held + text
    if (this.#opening !== -1 && judge(all.slice(this.#opening)) !== 'no') {
      this.#held = all
      return ''
    }
    return this.#scan(all, this.#opening + 1)
  }

  release(): string {
    const text = this.#held
    this.#held = ''
    this.#advance(text, text.length)
    return text
  }

  segmentStarts(): void {
    this.#segmentStart = true
  }

  dump(): ErrorDump | undefined {
    if (this.#held === '' || this.#opening === -1) return undefined
    const text = this.#held.slice(this.#opening)
    return judge(text) === 'dump' ? { text, certain: this.#certain } : undefined
  }

  #scan(text: string, from: number): string {
    const end = cutPair(text, this.#findCandidate(text, from))
    this.#held = text.slice(end)
    this.#advance(text, end)
    return text.slice(0, end)
  }

  /** Length of the text that cannot be part of a dump; sets the candidate that begins there. */
  #findCandidate(text: string, from: number): number {
    for (let at = text.indexOf('E', from); at !== -1; at = text.indexOf('E', at + 1)) {
      const before = this.#breaksBefore(text, at)
      const ownMessage = at === 0 && this.#segmentStart
      if ((before === 2 || ownMessage) && judge(text.slice(at)) !== 'no') {
        let start = at
        while (start > 0 && at - start < 2 && text[start - 1] === '\n') start -= 1
        this.#opening = at - start
        this.#certain = before === 2
        return start
      }
    }
    this.#opening = -1
    return text.length
  }

  #breaksBefore(text: string, at: number): number {
    let count = 0
    while (count < 2 && at - count > 0 && text[at - count - 1] === '\n') count += 1
    if (at - count > 0) return count
    if (this.#atStart) return count === 0 ? 2 : count
    return Math.min(2, count + this.#breaks)
  }

  /** `shown[0, end)` has gone out. */
  #advance(shown: string, end: number): void {
    if (end === 0) return
    const breaks = this.#breaksBefore(shown, end)
    this.#atStart = false
    this.#breaks = breaks
    this.#segmentStart = false
  }
}

/** A fragment may end inside a surrogate pair; no half of one goes out alone. */
function cutPair(text: string, end: number): number {
  const isHalf = end > 0 && end === text.length && isHighSurrogate(text.charCodeAt(end - 1))
  return isHalf ? end - 1 : end
}
