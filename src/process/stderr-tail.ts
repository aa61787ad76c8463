// The last bytes of a stream as text, in bounded memory.

const TAIL_BYTES = 64 << 10

export interface Tail {
  push(chunk: Buffer): void
  /** At most the last 64 KiB; a character cut at the front is left out. */
  text(): string
}

export function tailOf(limitBytes = TAIL_BYTES): Tail {
  // Kept below twice the limit, so that each byte is moved about once.
  let kept = Buffer.alloc(0)
  let used = 0
  let cut = false
  const push = (chunk: Buffer): void => {
    if (chunk.length === 0) return
    const fresh = chunk.subarray(Math.max(0, chunk.length - limitBytes))
    cut ||= used + chunk.length > limitBytes
    if (used + fresh.length > kept.length) {
      const old = kept.subarray(Math.max(0, used - limitBytes), used)
      const size = Math.min(limitBytes * 2, Math.max(1024, 2 * (old.length + fresh.length)))
      const next = Buffer.allocUnsafeSlow(Math.max(size, old.length + fresh.length))
      old.copy(next)
      kept = next
      used = old.length
    }
    fresh.copy(kept, used)
    used += fresh.length
  }
  const text = (): string => {
    let from = Math.max(0, used - limitBytes)
    if (cut) while (from < used && isContinuation(kept[from])) from += 1
    return kept.toString('utf8', from, used)
  }
  return { push, text }
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80
}
