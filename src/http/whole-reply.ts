// A reply that is not streamed: every event collected, nothing sent before the end.
import { type AgentEvent, isTerminal, type Terminal } from '../core/events.ts'
import { type Accepted, sendFailure, sendJson } from './exchange-state.ts'
import { answerHeaders } from './reply-headers.ts'

/** True when the whole reply was handed over and the client was still there. */
export async function wholeReply(accepted: Accepted): Promise<boolean> {
  const { answer, protocol, turn, context, report } = accepted
  const events: AgentEvent[] = []
  const terminal = await collect(accepted, events)
  if (terminal === undefined) return false
  report.terminal(terminal)
  if (terminal.type === 'failure') return await sendFailure(accepted, terminal, answer)
  const reply = protocol.reply(turn, context, events)
  context.onReply?.(reply)
  return await sendJson(accepted, reply, answerHeaders(answer))
}

/** Fills `events`, adjacent deltas merged. Undefined when the client left. */
async function collect(accepted: Accepted, events: AgentEvent[]): Promise<Terminal | undefined> {
  const { answer, outlet } = accepted
  for (;;) {
    const batch = await answer.next()
    if (outlet.left !== undefined) return undefined
    if (batch === undefined) throw new Error('the event stream ended without a terminal event')
    for (const event of batch.events) {
      append(events, event)
      if (isTerminal(event)) return event
    }
  }
}

function append(events: AgentEvent[], event: AgentEvent): void {
  const last = events.at(-1)
  if (
    (event.type === 'text-delta' || event.type === 'thinking-delta') &&
    last?.type === event.type
  ) {
    // Strings grow as ropes: no copy of what was there before.
    events[events.length - 1] = { type: event.type, text: last.text + event.text }
  } else {
    events.push(event)
  }
}
