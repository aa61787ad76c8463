// Reads the `stamps` of the demo agent (monotonic ns of the writing) out of any stream and compares them with now.

/** Also where a late service puts several into one frame. */
const STAMP = /\b(\d{9,}) /g
/** Longer than a stamp with its quotes: what a chunk may have cut in two. */
const OVERLAP = 40

/** The first second of a stream is not counted: the agents themselves are still starting then, side by side. */
const UNDER_WAY = 100

export interface StampReader {
  /** Bytes that arrived at `atMs` (monotonic). */
  push(chunk: Buffer, atMs: number): void
  /** Milliseconds from writing to arrival, one per stamp that counts. */
  readonly lateMs: readonly number[]
}

export function stampReader(): StampReader {
  const lateMs: number[] = []
  let seen = 0
  let newest = 0
  let rest = ''
  return {
    lateMs,
    push(chunk, atMs) {
      const text = rest + chunk.toString('latin1')
      let end = 0
      for (const match of text.matchAll(STAMP)) {
        end = match.index + match[0].length
        const stamp = Number(match[1])
        // The program repeats its whole text at the end.
        if (stamp <= newest) continue
        newest = stamp
        seen += 1
        if (seen > UNDER_WAY) lateMs.push(atMs - stamp / 1e6)
      }
      rest = text.slice(Math.max(end, text.length - OVERLAP))
    },
  }
}
