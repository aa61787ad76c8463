// What a child says beside its answer: error records, plain lines, lines nobody could read. Kept small, for the failure
// that may follow. Pure.
import type { Failure } from '../../core/events.ts'
import { classify } from '../classify.ts'

const MOST_PLAIN_TEXT = 8 * 1024
const NO_ANSWER: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message:
    'Cursor reported success but gave no answer and ran no tool. In the modes ask and plan this happens when it is asked to write.',
}

/** What is known when the output is over. */
export interface EndFacts {
  /** Undefined when the process is not known to have ended. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined
  readonly stderrTail: string
}

export class Said {
  readonly #model: string
  readonly #home: string
  #error = ''
  #plainText = ''
  #dropped = 0

  constructor({ model = '', home = '' }: { readonly model?: string; readonly home?: string }) {
    this.#model = model
    this.#home = home
  }

  /** The last few thousand characters of plain text. */
  get plainText(): string {
    return this.#plainText
  }

  /** The last error record, then the plain text; either may be ''. */
  get words(): readonly string[] {
    return [this.#error, this.#plainText]
  }

  error(text: string): void {
    this.#error = text
  }

  plain(line: string): void {
    this.#plainText = `${this.#plainText}${line}\n`.slice(-MOST_PLAIN_TEXT)
  }

  dropped(count: number): void {
    this.#dropped += count
  }

  /** The failure that these words tell. */
  failure(words: readonly string[], exit?: EndFacts['exit']): Failure {
    const text = words.filter((word) => word !== '').join('\n')
    return classify({ text, exit, model: this.#model, home: this.#home })
  }

  /** The failure of a success without an answer or a tool. */
  ofNothing(): Failure {
    const words = this.words.join('')
    return words === '' ? NO_ANSWER : this.failure([words])
  }

  /** The failure of an output that ended without a result; `dump`: an error at the end of its text, or ''. */
  atEnd({ exit, stderrTail }: EndFacts, dump: string): Failure {
    const failure = this.failure([...this.words, stderrTail, dump], exit)
    if (this.#dropped === 0) return failure
    const note = ` (${this.#dropped} lines of its output were longer than limits.line_mb and were dropped.)`
    return { ...failure, message: failure.message + note }
  }
}
