// Bytes to lines, byte-exact UTF-8 whatever the edges of the chunks. Pure: knows no stream and no process.

export interface LineSplitter {
  /** The lines that this chunk completed. Work is proportional to the chunk, not to what is pending. */
  push(chunk: Buffer): string[]
  /** The last line when it had no line end; call once. */
  end(): string[]
  /** Lines dropped so far because they were longer than the limit. */
  readonly tooLong: number
}

const NEWLINE = 0x0a
const RETURN = 0x0d
const FIRST_CAPACITY = 4096
/** A larger leftover buffer is given back once its line is complete. */
const KEPT_CAPACITY = 1 << 20

/**
 * Byte-exact UTF-8 lines; `\n` and `\r\n` endings; the last unterminated line comes from end(); a line longer than
 * maxLineBytes (line end not counted) is dropped and counted in tooLong. O(new bytes) per push.
 */
export function lineSplitter(maxLineBytes: number): LineSplitter {
  return new Splitter(maxLineBytes)
}

class Splitter implements LineSplitter {
  readonly #max: number
  /** Bytes of the line that is not complete yet, in the first #pendingBytes of the buffer. */
  #pending = Buffer.alloc(0)
  #pendingBytes = 0
  /** The pending line is already over the limit: its bytes are thrown away up to the next newline. */
  #dropping = false
  #tooLong = 0

  constructor(maxLineBytes: number) {
    this.#max = maxLineBytes
  }

  get tooLong(): number {
    return this.#tooLong
  }

  push(chunk: Buffer): string[] {
    const last = chunk.lastIndexOf(NEWLINE)
    if (last === -1) {
      this.#keep(chunk)
      return []
    }
    const lines: string[] = []
    let from = 0
    if (this.#pendingBytes > 0 || this.#dropping) {
      from = chunk.indexOf(NEWLINE) + 1
      this.#complete(chunk.subarray(0, from - 1), lines)
    }
    this.#whole(chunk, from, last, lines)
    this.#keep(chunk.subarray(last + 1))
    return lines
  }

  end(): string[] {
    const bytes = this.#pending.subarray(0, this.#pendingBytes)
    const lines: string[] = []
    if (this.#dropping || bytes.length > this.#max) this.#tooLong += 1
    else if (bytes.length > 0) lines.push(bytes.toString('utf8'))
    this.#forget()
    return lines
  }

  /** Complete lines between two offsets, decoded in one go: a newline byte is never part of another character. */
  #whole(chunk: Buffer, from: number, last: number, lines: string[]): void {
    if (from > last) return
    if (last - from <= this.#max) {
      for (const line of chunk.toString('utf8', from, last).split('\n')) {
        lines.push(line.endsWith('\r') ? line.slice(0, -1) : line)
      }
      return
    }
    let start = from
    while (start <= last) {
      const stop = chunk.indexOf(NEWLINE, start)
      this.#one(chunk.subarray(start, stop), lines)
      start = stop + 1
    }
  }

  /** The rest of the pending line has come. */
  #complete(rest: Buffer, lines: string[]): void {
    this.#keep(rest)
    if (this.#dropping) this.#tooLong += 1
    else this.#one(this.#pending.subarray(0, this.#pendingBytes), lines)
    this.#forget()
  }

  #one(bytes: Buffer, lines: string[]): void {
    const length = bytes.at(-1) === RETURN ? bytes.length - 1 : bytes.length
    if (length > this.#max) this.#tooLong += 1
    else lines.push(bytes.toString('utf8', 0, length))
  }

  /** Appends to the pending line; doubling keeps the copying proportional to what came in. */
  #keep(bytes: Buffer): void {
    if (bytes.length === 0 || this.#dropping) return
    const size = this.#pendingBytes + bytes.length
    // One byte more than the limit may still be the `\r` of a line end.
    if (size > this.#max + 1) {
      this.#forget()
      this.#dropping = true
      return
    }
    if (size > this.#pending.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.max(size, this.#pending.length * 2, FIRST_CAPACITY),
      )
      this.#pending.copy(larger, 0, 0, this.#pendingBytes)
      this.#pending = larger
    }
    bytes.copy(this.#pending, this.#pendingBytes)
    this.#pendingBytes = size
  }

  #forget(): void {
    this.#dropping = false
    this.#pendingBytes = 0
    if (this.#pending.length > KEPT_CAPACITY) this.#pending = Buffer.alloc(0)
  }
}
