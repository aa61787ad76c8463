// Which text of the stream is new: Cursor repeats each segment of an answer as a whole, and after a lost connection it
// may send a segment again from its beginning. Pure; keeps digests, not the answer, so memory does not grow with it.
import type { UnknownKind } from '../../core/events.ts'
import { type Digest, EMPTY_DIGEST, extend, occursAt } from './digest.ts'

export interface Segments {
  /** A fragment; returns what is new in it. */
  delta(text: string): string
  /** The whole text of a segment, a repeat of its fragments or its only copy; returns what is new in it. */
  full(text: string, modelCallId: string | undefined): string
  /** A tool call started: the segment before it is over. */
  toolStarted(): void
  /** The connection was lost and an attempt starts: the open segment may come again. */
  retryStarted(): void
  /** What the final `result` text has beyond all that was written; '' unless all of it is a strict prefix. */
  result(text: string): string
  /** UTF-16 units written so far. */
  readonly written: number
}

/** Only this much of a segment can be recognised when it is replayed; longer ones are then compared by digest. */
const KEPT_UNITS = 256 * 1024

interface Open {
  digest: Digest
  /** The first KEPT_UNITS of the segment. */
  kept: string
  sawDelta: boolean
  /** Brought back by a retry: it was already closed, and nothing new was added since. */
  reopened: boolean
}

interface Closed {
  readonly digest: Digest
  readonly kept: string
  readonly modelCallId: string | undefined
  /** A whole-text event closed it (and not a tool call): its repeat has been seen. */
  readonly repeated: boolean
  toolFollowed: boolean
}

const fresh = (): Open => ({ digest: EMPTY_DIGEST, kept: '', sawDelta: false, reopened: false })

/**
 * The rule, per segment; it holds with and without `--stream-partial-output`. `mismatch` is told what did not fit.
 * Source: captures of 2026 (force run and run without the flag on 2026.10.01, 2026.07.20 fixture, a published
 * partial-output stream); the replay after `retry` comes from a parser test only.
 */
export function createSegments(mismatch: (kind: UnknownKind) => void): Segments {
  return new SegmentReader(mismatch)
}

class SegmentReader implements Segments {
  written = 0
  readonly #mismatch: (kind: UnknownKind) => void
  /** Digests of the closed segments, in order. */
  readonly #past: Digest[] = []
  #open = fresh()
  #closed: Closed | undefined
  #deltasSeen = false
  /** While a replay is being swallowed: what of the open segment came again. */
  #replay: Digest | undefined

  constructor(mismatch: (kind: UnknownKind) => void) {
    this.#mismatch = mismatch
  }

  delta(text: string): string {
    this.#deltasSeen = true
    this.#open.sawDelta = true
    if (this.#replay !== undefined) return this.#swallow(text, this.#replay)
    this.#open.reopened = false
    return this.#write(text)
  }

  full(text: string, modelCallId: string | undefined): string {
    if (this.#open.sawDelta) return this.#repeatOfOpen(text, modelCallId)
    const closed = this.#closed
    if (closed !== undefined && this.#isRepeat(closed, text, modelCallId)) {
      this.#closed = { ...closed, repeated: true, modelCallId }
      return ''
    }
    this.#write(text)
    this.#close(modelCallId, true)
    return text
  }

  toolStarted(): void {
    if (this.#open.digest.length > 0) this.#close(undefined, false)
    if (this.#closed !== undefined) this.#closed.toolFollowed = true
  }

  retryStarted(): void {
    const closed = this.#closed
    if (this.#open.digest.length === 0 && closed !== undefined && !closed.toolFollowed) {
      const { digest, kept } = closed
      this.#open = { digest, kept, sawDelta: true, reopened: true }
      this.#past.pop()
    }
    this.#replay = this.#open.digest.length > 0 ? EMPTY_DIGEST : undefined
  }

  result(text: string): string {
    if (this.#open.digest.length > 0) this.#close(undefined, true)
    let at = 0
    for (const digest of this.#past) {
      if (!occursAt(digest, text, at)) return ''
      at += digest.length
    }
    const tail = text.slice(at)
    this.written += tail.length
    return tail
  }

  #write(text: string): string {
    const open = this.#open
    open.digest = extend(open.digest, text)
    if (open.kept.length < KEPT_UNITS) open.kept += text.slice(0, KEPT_UNITS - open.kept.length)
    this.written += text.length
    return text
  }

  #close(modelCallId: string | undefined, repeated: boolean): void {
    const { digest, kept } = this.#open
    if (digest.length > 0) this.#past.push(digest)
    this.#closed = { digest, kept, modelCallId, repeated, toolFollowed: false }
    this.#open = fresh()
    this.#replay = undefined
  }

  /** A delta while the open segment may be coming again; `seen` of it came so far. */
  #swallow(text: string, seen: Digest): string {
    const open = this.#open
    const at = seen.length
    const same = Math.min(text.length, open.digest.length - at)
    const comparable = Math.max(0, Math.min(same, open.kept.length - at))
    if (!open.kept.startsWith(text.slice(0, comparable), at)) return this.#noReplay(text, at)
    const again = extend(seen, text, 0, same)
    this.#replay = again
    if (again.length < open.digest.length) return ''
    const isEqual = again.a === open.digest.a && again.b === open.digest.b
    if (!isEqual) this.#mismatch('replay-mismatch')
    this.#replay = undefined
    if (text.length > same) open.reopened = false
    return this.#write(text.slice(same))
  }

  /** Not a replay after all: what was taken for one, up to `at`, is new text. */
  #noReplay(text: string, at: number): string {
    const taken = this.#open.kept.slice(0, at)
    this.#replay = undefined
    this.#mismatch('replay-mismatch')
    if (this.#open.reopened) {
      this.#close(this.#closed?.modelCallId, true)
      this.#open.sawDelta = true
    }
    return this.#write(taken + text)
  }

  /**
   * The tool call overtook the repeat; or it is a second repeat before a parallel call; or the last segment's at the end
   * of a turn that added no text. Should one of these be a new segment after all, `result` brings its text.
   */
  #isRepeat(closed: Closed, text: string, modelCallId: string | undefined): boolean {
    if (closed.digest.length === 0 || text.length !== closed.digest.length) return false
    if (!occursAt(closed.digest, text, 0)) return false
    const isLate = !closed.repeated
    const isSecond = closed.modelCallId === modelCallId
    return isLate || isSecond || (this.#deltasSeen && modelCallId === undefined)
  }

  /** The whole text of a segment of which fragments were written. */
  #repeatOfOpen(text: string, modelCallId: string | undefined): string {
    const open = this.#open
    const isWhole = occursAt(open.digest, text, 0)
    if (!isWhole && open.reopened) {
      this.#close(this.#closed?.modelCallId, true)
      return this.full(text, modelCallId)
    }
    if (!isWhole) this.#mismatch('recap-mismatch')
    const tail = isWhole ? this.#write(text.slice(open.digest.length)) : ''
    this.#close(modelCallId, true)
    return tail
  }
}
