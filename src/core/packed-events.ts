// Events on their way between threads. Deltas that arrived together cross as one text: cloning thousands of small objects
// costs both threads several times more (measured, a burst of a million deltas on Node 20).
import type { AgentEvent } from './events.ts'

/** Consecutive deltas of one kind: their texts joined, and how long each is (UTF-16 units). */
export interface DeltaRun {
  readonly type: 'delta-run'
  readonly of: 'text-delta' | 'thinking-delta'
  readonly text: string
  readonly lengths: readonly number[]
}

export type PackedEvent = AgentEvent | DeltaRun

/** Fewer are cheaper as they are. */
const WORTH_IT = 8

/** `unpack(pack(events))` gives equal events. Small batches are passed through. */
export function pack(events: readonly AgentEvent[]): readonly PackedEvent[] {
  if (events.length < WORTH_IT) return events
  const packed: PackedEvent[] = []
  for (let at = 0; at < events.length; ) {
    const end = runEnd(events, at)
    const run = end - at < WORTH_IT ? undefined : deltaRun(events.slice(at, end))
    if (run !== undefined) packed.push(run)
    else packed.push(...events.slice(at, end))
    at = end
  }
  return packed
}

export function unpack(packed: readonly PackedEvent[]): readonly AgentEvent[] {
  const events: AgentEvent[] = []
  for (const event of packed) {
    if (event.type !== 'delta-run') {
      events.push(event)
      continue
    }
    const { of: type, text } = event
    let from = 0
    for (const length of event.lengths) {
      events.push({ type, text: text.slice(from, from + length) })
      from += length
    }
  }
  return events
}

/** Where the run of events of the same type that begins at `from` ends. */
function runEnd(events: readonly AgentEvent[], from: number): number {
  const type = events[from]?.type
  let end = from + 1
  while (end < events.length && events[end]?.type === type) end += 1
  return end
}

/** Undefined for events without text. */
function deltaRun(events: readonly AgentEvent[]): DeltaRun | undefined {
  let of: DeltaRun['of'] | undefined
  let text = ''
  const lengths: number[] = []
  for (const event of events) {
    if (event.type !== 'text-delta' && event.type !== 'thinking-delta') return undefined
    of = event.type
    text += event.text
    lengths.push(event.text.length)
  }
  return of === undefined ? undefined : { type: 'delta-run', of, text, lengths }
}
