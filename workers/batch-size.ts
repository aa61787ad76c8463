// What a batch counts against the credit: roughly its size in memory on its way to the reader.
import { type AgentEvent, assertNever } from '../src/core/events.ts'

const OBJECT_BYTES = 64

function sizeOf(event: AgentEvent): number {
  switch (event.type) {
    case 'text-delta':
    case 'thinking-delta':
      return OBJECT_BYTES + event.text.length
    case 'tool-start':
      return 4 * OBJECT_BYTES + JSON.stringify(event.input).length
    case 'tool-end':
      return 2 * OBJECT_BYTES + event.summary.length
    case 'failure':
      return OBJECT_BYTES + event.message.length
    case 'started':
    case 'thinking-end':
    case 'activity':
    case 'unknown':
    case 'finish':
      return OBJECT_BYTES
    default:
      return assertNever(event)
  }
}

/** Approximate bytes; linear in the number of events. */
export function sizeOfBatch(events: readonly AgentEvent[]): number {
  let bytes = 0
  for (const event of events) bytes += sizeOf(event)
  return bytes
}
