// A child's standard output as batches of lines: one consumer, read only while somebody wants it, ended for sure after
// the leader's exit even when a grandchild keeps the pipe open.
import type { Readable } from 'node:stream'
import { monotonicMs } from '../lib/clock.ts'
import { type LineSplitter, lineSplitter } from './lines.ts'

export interface LineBatch {
  readonly lines: readonly string[]
  /** Lines dropped in this chunk because they were too long. */
  readonly tooLong: number
  /** `monotonicMs()` at which the bytes were read. */
  readonly readAtMs: number
}

/** Time spent waiting for more output after the leader exited; a reader that is busy elsewhere uses none of it. */
const EXIT_DRAIN_MS = 250
/** Looks taken before giving up on a pipe that a grandchild keeps filling. */
const LAST_LOOKS = 20
/** Kernel buffers of a pipe whose writers are all dead hold less than this. */
const SETTLE_BYTES = 4 << 20

type Waiter = (step: IteratorResult<LineBatch, undefined>) => void

export class Output implements AsyncIterableIterator<LineBatch, undefined, undefined> {
  /** Resolves when a byte arrived before anybody asked for lines. */
  readonly spoke: Promise<void>
  readonly #stdout: Readable
  readonly #splitter: LineSplitter
  readonly #queue: LineBatch[] = []
  #waiter: Waiter | undefined
  #wanted = false
  #ended = false
  /** `pulled`: paused while nobody pulls. `all`: writers are dead, take what is left. `none`: thrown away. */
  #reading: 'pulled' | 'all' | 'none' = 'pulled'
  #tooLongSeen = 0
  #chunks = 0
  #settledBytes = 0
  #drain: { leftMs: number; timer: NodeJS.Timeout | undefined; sinceMs: number } | undefined
  #announce: () => void = nothing

  constructor(stdout: Readable, maxLineBytes: number) {
    this.#stdout = stdout
    this.#splitter = lineSplitter(maxLineBytes)
    this.spoke = new Promise((resolve) => {
      this.#announce = resolve
    })
    const finish = (): void => this.#finish()
    // The error itself is of no interest: `close` follows, and what was read so far stands.
    stdout.on('data', (chunk: Buffer) => this.#take(chunk))
    stdout.on('end', finish).on('close', finish).on('error', nothing)
  }

  /** Marks the output as wanted; the object is its own and only iterator. */
  open(): this {
    if (this.#wanted) throw new Error('lines() was called twice: the output has a single consumer')
    this.#wanted = true
    return this
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<LineBatch, undefined>> {
    const batch = this.#queue.shift()
    if (batch !== undefined) {
      if (this.#queue.length === 0) this.#resume()
      return Promise.resolve({ value: batch, done: false })
    }
    if (this.#ended) return Promise.resolve({ value: undefined, done: true })
    return new Promise((resolve) => {
      this.#waiter = resolve
      this.#resume()
      this.#armDrain()
    })
  }

  /** The consumer wants no more: what still comes is thrown away, so that the child is not blocked on its output. */
  return(): Promise<IteratorResult<LineBatch, undefined>> {
    this.discard()
    return Promise.resolve({ value: undefined, done: true })
  }

  /** Throws away what is there and what comes. */
  discard(): void {
    this.#reading = 'none'
    this.#queue.length = 0
    this.#close()
    this.#stdout.resume()
  }

  /** The leader exited: from now on waiting for more is limited. */
  leaderExited(): void {
    this.#drain = { leftMs: EXIT_DRAIN_MS, timer: undefined, sinceMs: 0 }
    if (this.#waiter !== undefined) this.#armDrain()
  }

  /** The child is being ended: output that nobody asked for must not block its way out. */
  ending(): void {
    if (!this.#wanted) this.discard()
  }

  /** All writers are gone: reads what is left, whether somebody pulls or not, and lets go of the pipe. */
  settle(): void {
    if (this.#reading === 'pulled') this.#reading = 'all'
    this.#resume()
    if (this.#stdout.destroyed) return
    const timer = setTimeout(() => this.#finish(), EXIT_DRAIN_MS)
    this.#stdout.once('close', () => clearTimeout(timer))
  }

  #take(chunk: Buffer): void {
    if (this.#reading === 'none' || this.#ended) return
    this.#chunks += 1
    if (!this.#wanted) this.#announce()
    const lines = this.#splitter.push(chunk)
    const tooLong = this.#splitter.tooLong - this.#tooLongSeen
    this.#tooLongSeen += tooLong
    const pulled = this.#waiter !== undefined
    if (lines.length > 0 || tooLong > 0) this.#deliver({ lines, tooLong, readAtMs: monotonicMs() })
    if (this.#reading === 'pulled' && !pulled) this.#stdout.pause()
    if (this.#reading !== 'all') return
    this.#settledBytes += chunk.length
    if (this.#settledBytes > SETTLE_BYTES) this.#finish()
  }

  #deliver(batch: LineBatch): void {
    const waiter = this.#waiter
    if (waiter === undefined) {
      this.#queue.push(batch)
      return
    }
    this.#waiter = undefined
    this.#disarmDrain()
    waiter({ value: batch, done: false })
  }

  #resume(): void {
    if (this.#stdout.isPaused()) this.#stdout.resume()
  }

  #armDrain(): void {
    const drain = this.#drain
    if (drain === undefined || drain.timer !== undefined || this.#ended) return
    drain.sinceMs = monotonicMs()
    drain.timer = setTimeout(() => this.#lastLook(LAST_LOOKS), drain.leftMs)
  }

  #disarmDrain(): void {
    const drain = this.#drain
    if (drain?.timer === undefined) return
    clearTimeout(drain.timer)
    drain.timer = undefined
    drain.leftMs = Math.max(0, drain.leftMs - (monotonicMs() - drain.sinceMs))
  }

  /** A busy event loop lets the timer win over bytes that are already there: read once more before giving up. */
  #lastLook(looks: number): void {
    const before = this.#chunks
    setImmediate(() => {
      if (this.#ended || this.#waiter === undefined) return
      if (this.#chunks !== before && looks > 0) this.#lastLook(looks - 1)
      else this.#finish()
    })
  }

  #finish(): void {
    if (!this.#stdout.destroyed) this.#stdout.destroy()
    if (this.#ended) return
    const lines = this.#splitter.end()
    const tooLong = this.#splitter.tooLong - this.#tooLongSeen
    if (lines.length > 0 || tooLong > 0) this.#deliver({ lines, tooLong, readAtMs: monotonicMs() })
    this.#close()
  }

  #close(): void {
    this.#ended = true
    this.#disarmDrain()
    this.#waiter?.({ value: undefined, done: true })
    this.#waiter = undefined
  }
}

function nothing(): void {
  // Deliberately empty: see where it is used.
}
