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
 * The rule, per segment; it holds with and without `--stream-partial-output`.
 * Source: captures of 2026 (force run and run without the flag on 2026.10.01, 2026.07.20 fixture, a published
 * partial-output stream); the replay after `retry` comes from a parser test only.
 */
export function createSegments(mismatch: (kind: UnknownKind) => void): Segments {
  const past: Digest[] = []
  let open = fresh()
  let closed: Closed | undefined
  let deltasSeen = false
  let written = 0
  /** While a replay is being swallowed: how much of the open segment came again, and its digest. */
  let replay: Digest | undefined

  const write = (text: string): string => {
    open.digest = extend(open.digest, text)
    if (open.kept.length < KEPT_UNITS) open.kept += text.slice(0, KEPT_UNITS - open.kept.length)
    written += text.length
    return text
  }

  const close = (modelCallId: string | undefined, repeated: boolean): void => {
    if (open.digest.length > 0) past.push(open.digest)
    closed = { digest: open.digest, kept: open.kept, modelCallId, repeated, toolFollowed: false }
    open = fresh()
    replay = undefined
  }

  /** A delta while the open segment may be coming again. */
  const swallow = (text: string, seen: Digest): string => {
    const at = seen.length
    const same = Math.min(text.length, open.digest.length - at)
    const comparable = Math.max(0, Math.min(same, open.kept.length - at))
    if (open.kept.startsWith(text.slice(0, comparable), at)) {
      replay = extend(seen, text, 0, same)
      if (replay.length < open.digest.length) return ''
      const equal = replay.a === open.digest.a && replay.b === open.digest.b
      if (!equal) mismatch('replay-mismatch')
      replay = undefined
      if (text.length > same) open.reopened = false
      return write(text.slice(same))
    }
    // Not a replay after all: what was taken for one is new text.
    const taken = open.kept.slice(0, at)
    replay = undefined
    mismatch('replay-mismatch')
    if (open.reopened) {
      close(closed?.modelCallId, true)
      open.sawDelta = true
    }
    return write(taken + text)
  }

  const isRepeat = (closed: Closed, text: string, modelCallId: string | undefined): boolean => {
    if (closed.digest.length === 0) return false
    if (text.length !== closed.digest.length || !occursAt(closed.digest, text, 0)) return false
    // The tool call overtook the repeat; a second repeat before a parallel call; the last segment's repeat at the end
    // of a turn that added no text. If one of these was a new segment after all, `result` brings its text.
    return (
      !closed.repeated ||
      closed.modelCallId === modelCallId ||
      (deltasSeen && modelCallId === undefined)
    )
  }

  /** The whole text of a segment of which fragments were written. */
  const repeatOfOpen = (text: string, modelCallId: string | undefined): string => {
    const extendsIt = occursAt(open.digest, text, 0)
    if (!extendsIt && open.reopened) {
      close(closed?.modelCallId, true)
      return full(text, modelCallId)
    }
    if (!extendsIt) mismatch('recap-mismatch')
    const tail = extendsIt ? write(text.slice(open.digest.length)) : ''
    close(modelCallId, true)
    return tail
  }

  const full = (text: string, modelCallId: string | undefined): string => {
    if (open.sawDelta) return repeatOfOpen(text, modelCallId)
    if (closed !== undefined && isRepeat(closed, text, modelCallId)) {
      closed = { ...closed, repeated: true, modelCallId }
      return ''
    }
    write(text)
    close(modelCallId, true)
    return text
  }

  return {
    full,
    delta(text) {
      deltasSeen = true
      open.sawDelta = true
      if (replay !== undefined) return swallow(text, replay)
      open.reopened = false
      return write(text)
    },
    toolStarted() {
      if (open.digest.length > 0) close(undefined, false)
      if (closed !== undefined) closed.toolFollowed = true
    },
    retryStarted() {
      if (open.digest.length === 0 && closed !== undefined && !closed.toolFollowed) {
        open = { digest: closed.digest, kept: closed.kept, sawDelta: true, reopened: true }
        past.pop()
      }
      replay = open.digest.length > 0 ? EMPTY_DIGEST : undefined
    },
    result(text) {
      if (open.digest.length > 0) close(undefined, true)
      let at = 0
      for (const digest of past) {
        if (!occursAt(digest, text, at)) return ''
        at += digest.length
      }
      const tail = text.slice(at)
      written += tail.length
      return tail
    },
    get written() {
      return written
    },
  }
}
