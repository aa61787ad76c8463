// One run's events, shared by the exchange that started it and by retries of the same request.
// Text is held in memory only, within the store's budget; beyond it the reply streams through and cannot be replayed.
import { type Batch, isTerminal, isWork, type Terminal } from '../core/events.ts'
import type { BackendName, Mode } from '../core/job.ts'
import type { CancelCause, Run } from '../core/run.ts'
import type { Meter } from './meter.ts'
import type { Earlier } from './repeats.ts'

/** What the replies of all exchanges may hold together. */
export interface Budget {
  /** False when there is no room for so many more bytes. */
  take(bytes: number): boolean
  give(bytes: number): void
}

export interface ReplyParts {
  readonly run: Run
  readonly meter: Meter
  readonly budget: Budget
  readonly mode: Mode
  readonly backend: BackendName
  /** Cursor's model id. */
  readonly model: string
  readonly inputTokens: Promise<number>
  readonly onEnd: (reply: Reply, terminal: Terminal) => void
}

export class Reply {
  readonly run: Run
  readonly mode: Mode
  readonly backend: BackendName
  readonly model: string
  readonly inputTokens: Promise<number>
  readonly #parts: ReplyParts
  readonly #readers = new Set<Reader>()
  #log: Batch[] = []
  /** Position of `#log[0]` in the whole reply; above 0 once the start is gone. */
  #base = 0
  #heldBytes = 0
  #kept = true
  #worked = false
  #terminal: Terminal | undefined
  #cancelled = false
  #delivered = false
  #pulling: Promise<void> | undefined
  #wakeFastest: (() => void) | undefined

  constructor(parts: ReplyParts) {
    this.#parts = parts
    this.run = parts.run
    this.mode = parts.mode
    this.backend = parts.backend
    this.model = parts.model
    this.inputTokens = parts.inputTokens
  }

  get terminal(): Terminal | undefined {
    return this.#terminal
  }

  /** It ended with calls for the client. */
  get awaitsClient(): boolean {
    return this.#terminal?.type === 'finish' && this.#terminal.reason === 'tool-calls'
  }

  get readers(): number {
    return this.#readers.size
  }

  /** The whole reply from its start can still be read. */
  get kept(): boolean {
    return this.#kept
  }

  state(): Earlier {
    if (this.#cancelled) return { at: 'cancelled' }
    if (this.#terminal === undefined) return { at: 'running', readers: this.#readers.size }
    if (this.#terminal.type === 'failure') return { at: 'failed', worked: this.#worked }
    return { at: 'finished', delivered: this.#delivered, kept: this.#kept }
  }

  /** A reader from the start; only while `kept`. */
  read(): Reader {
    const reader = new Reader(this)
    this.#readers.add(reader)
    return reader
  }

  /** The reader will not ask again. */
  release(reader: Reader, delivered: boolean): void {
    this.#readers.delete(reader)
    if (delivered) this.#delivered = true
    this.#trim()
  }

  /** Ends the run, also one that waits for its client; what is left of it is read to the end so that it is counted. */
  cancel(cause: CancelCause): void {
    if (this.#terminal !== undefined) {
      // The run waits for results of calls that no client has seen.
      if (this.awaitsClient && !this.#delivered) this.run.cancel(cause)
      return
    }
    this.#cancelled = true
    this.run.cancel(cause)
    this.stopKeeping()
    void this.drain()
  }

  /** Reads on without a reader, until the terminal event. */
  async drain(): Promise<void> {
    while (this.#terminal === undefined) {
      await this.pull()
      this.#trim()
    }
  }

  /** The text is given back; readers go on from where they are. */
  stopKeeping(): void {
    this.#kept = false
    this.#trim()
  }

  at(position: number): Batch | undefined {
    return this.#log[position - this.#base]
  }

  /** Resolves when there is one batch more, or the terminal event has come. */
  async pull(): Promise<void> {
    if (this.#terminal !== undefined) return
    this.#pulling ??= this.#pullOnce()
    await this.#pulling
  }

  /** A reader moved on: text that nobody needs any more goes. */
  advanced(): void {
    if (!this.#kept) this.#trim()
  }

  async #pullOnce(): Promise<void> {
    const pulled = await this.run.next()
    // `undefined` before a terminal event cannot happen (contract of Run); it would leave readers waiting for ever.
    const batch = pulled === undefined ? ENDED_EARLY : await this.#parts.meter.pass(pulled)
    this.#pulling = undefined
    this.#hold(batch)
    const last = batch.events.at(-1)
    this.#worked ||= batch.events.some(isWork)
    if (last !== undefined && isTerminal(last)) {
      this.#terminal = last
      this.#parts.onEnd(this, last)
    }
    if (!this.#kept && this.#heldBytes > LAG_LIMIT_BYTES && this.#readers.size > 1) {
      await this.#slowestToAdvance()
    }
  }

  #hold(batch: Batch): void {
    this.#log.push(batch)
    if (!this.#kept && this.#readers.size <= 1) return
    const bytes = sizeOf(batch)
    this.#heldBytes += bytes
    if (!this.#parts.budget.take(bytes)) {
      this.#heldBytes -= bytes
      this.stopKeeping()
    }
  }

  /** Drops what every reader has passed, unless the whole reply is being kept. */
  #trim(): void {
    if (this.#kept) return
    let lowest = this.#base + this.#log.length
    for (const reader of this.#readers) lowest = Math.min(lowest, reader.position)
    this.#log.splice(0, lowest - this.#base)
    this.#base = lowest
    if (this.#log.length === 0 && this.#heldBytes > 0) {
      this.#parts.budget.give(this.#heldBytes)
      this.#heldBytes = 0
    }
    this.#wakeFastest?.()
  }

  async #slowestToAdvance(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wakeFastest = resolve
    })
    this.#wakeFastest = undefined
  }
}

/** How far a second reader may lag behind the first once the reply is no longer kept. */
const LAG_LIMIT_BYTES = 1024 * 1024

const ENDED_EARLY: Batch = {
  readAtMs: 0,
  events: [
    {
      type: 'failure',
      code: 'internal',
      message:
        'the run ended without an outcome; this is a fault of cursor-adapter, please report it',
    },
  ],
}

/** One reader's way through a reply. */
export class Reader {
  position = 0
  readonly #reply: Reply
  constructor(reply: Reply) {
    this.#reply = reply
  }

  async next(): Promise<Batch | undefined> {
    for (;;) {
      const batch = this.#reply.at(this.position)
      if (batch !== undefined) {
        this.position += 1
        this.#reply.advanced()
        return batch
      }
      if (this.#reply.terminal !== undefined) return undefined
      await this.#reply.pull()
    }
  }
}

/** An event without its text: the object, its place in the batch, the string's own head. */
const EVENT_BYTES = 64
const OTHER_BYTES = 200

/** Roughly what the batch holds in memory. */
function sizeOf(batch: Batch): number {
  let size = 0
  for (const event of batch.events) {
    const isText = event.type === 'text-delta' || event.type === 'thinking-delta'
    size += isText ? EVENT_BYTES + event.text.length : OTHER_BYTES
  }
  return size
}
