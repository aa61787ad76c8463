// What one read of the child's output comes to. Deltas that came in great number are taken as one text: each by itself costs
// the parser several times its length in objects.
import type { AgentEvent } from '../../core/events.ts'
import { MANY_DELTAS } from '../../core/join-deltas.ts'
import type { LineBatch } from '../../process/output.ts'
import type { PrintParser } from './parser.ts'
import { plainDeltas } from './records.ts'

/** The events of the lines in their order, up to the terminal one. */
export function eventsOf({ lines, tooLong }: LineBatch, parser: PrintParser): AgentEvent[] {
  const events: AgentEvent[] = [...parser.tooLong(tooLong)]
  for (let at = 0; at < lines.length && !parser.ended; ) {
    const mayBeMany = lines.length - at >= MANY_DELTAS
    const { count, text } = mayBeMany ? plainDeltas(lines, at) : { count: 0, text: '' }
    const end = at + Math.max(1, count)
    if (count >= MANY_DELTAS) events.push(...parser.deltas(text))
    else for (const line of lines.slice(at, end)) take(line)
    at = end
  }
  return events

  function take(line: string): void {
    for (const event of parser.line(line)) events.push(event)
  }
}
