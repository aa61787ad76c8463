// Deltas that arrived together in great number are one: nobody reads them as typing, and each costs every later step of its
// way (clone between threads, count, digest, frame, the client's own parser) as much as a long one.
import type { AgentEvent } from './events.ts'

/** Shorter runs stay as they are: that is a calm stream, whose pieces are the agent's own. */
export const MANY_DELTAS = 8

/** The same text in the same order. Runs of `MANY_DELTAS` or more deltas of one kind become one delta. */
export function joinDeltas(events: readonly AgentEvent[]): readonly AgentEvent[] {
  if (events.length < MANY_DELTAS) return events
  const joined: AgentEvent[] = []
  for (let at = 0; at < events.length; ) {
    const run = runAt(events, at)
    const isMany = run !== undefined && run.length >= MANY_DELTAS
    if (isMany) joined.push({ type: run.type, text: run.text })
    const end = at + (run?.length ?? 1)
    if (!isMany) joined.push(...events.slice(at, end))
    at = end
  }
  return joined
}

interface DeltaRun {
  readonly type: 'text-delta' | 'thinking-delta'
  readonly length: number
  readonly text: string
}

/** The deltas of one kind that begin at `from`; undefined where another event stands. */
function runAt(events: readonly AgentEvent[], from: number): DeltaRun | undefined {
  const type = events[from]?.type
  if (type !== 'text-delta' && type !== 'thinking-delta') return undefined
  let text = ''
  let at = from
  for (; at < events.length; at += 1) {
    const event = events[at]
    if (event?.type !== type) break
    text += event.text
  }
  return { type, length: at - from, text }
}
