// One prompt under way: its events wait here, batch by batch, until the reader takes them. Knows no process.
import type { AgentEvent, Batch, UnknownKind } from '../../core/events.ts'
import type { JsonObject } from '../../lib/json.ts'
import type { AcpReader } from './events.ts'

/** Why no more events come. */
export type TurnEnd =
  | { readonly at: 'answered'; readonly stopReason: string }
  | { readonly at: 'refused'; readonly error: unknown }
  /** The child's output is over. */
  | { readonly at: 'over' }
  | { readonly at: 'stopped' }

export class Turn {
  readonly sessionId: string
  readonly reader: AcpReader
  readonly #queue: Batch[] = []
  #events: AgentEvent[] = []
  #end: TurnEnd | undefined
  #wake: () => void = ignore
  #roomy: () => void = ignore

  constructor(sessionId: string, reader: AcpReader) {
    this.sessionId = sessionId
    this.reader = reader
  }

  heard(update: JsonObject): void {
    if (this.#end !== undefined) return
    for (const event of this.reader.update(update)) this.#events.push(event)
  }

  note(kind: UnknownKind): void {
    if (this.#end === undefined) this.#events.push({ type: 'unknown', kind })
  }

  /** What was heard since the last call arrived together, at `readAtMs`. */
  flush(readAtMs: number): void {
    if (this.#events.length === 0) return
    this.#queue.push({ events: this.#events, readAtMs })
    this.#events = []
    this.#wake()
  }

  /** The first end counts. A stopped turn throws away what nobody took. */
  settle(end: TurnEnd): void {
    this.#end ??= end
    if (this.#end.at === 'stopped') this.#queue.length = 0
    this.#wake()
    this.#roomy()
  }

  /** Batches in their order, then the end. Single consumer. */
  async next(): Promise<Batch | TurnEnd> {
    for (;;) {
      const batch = this.#queue.shift()
      if (this.#queue.length === 0) this.#roomy()
      if (batch !== undefined) return batch
      if (this.#end !== undefined) return this.#end
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Resolves when the reader has taken everything, or will not take more: until then nobody reads the child. */
  room(): Promise<void> | undefined {
    if (this.#queue.length === 0 || this.#end !== undefined) return undefined
    return new Promise((resolve) => {
      this.#roomy = resolve
    })
  }
}

function ignore(): void {
  // Deliberately empty: nobody waits.
}
