// Is what a client adds to the conversation exactly the results a parked run waits for? Pure.
import type { ClientToolResult } from '../core/client-tools.ts'
import type { Message, Part } from '../core/turn.ts'
import { clientWords } from './user-text.ts'

export interface Results {
  readonly byCall: ReadonlyMap<string, ClientToolResult>
  /** What the client's program put beside them into user messages (reminders), in their order. System texts are not here. */
  readonly notes: readonly string[]
}

/** Ids of the calls that these messages hold results of. */
export function answeredCalls(messages: readonly Message[]): string[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === 'tool-result' ? [part.callId] : [])),
  )
}

/**
 * The results, one for each awaited call and no other; system texts, reminders and interrupt notes may stand beside them.
 * Undefined where one is missing, foreign or double, or where a person wrote or showed something.
 */
export function exactResults(
  fresh: readonly Message[],
  awaited: ReadonlySet<string>,
): Results | undefined {
  const byCall = new Map<string, ClientToolResult>()
  const notes: string[] = []
  for (const { role, parts } of fresh) {
    for (const part of parts) {
      if (part.type === 'tool-result') {
        const { callId, content, isError } = part
        if (!awaited.has(callId) || byCall.has(callId)) return undefined
        byCall.set(callId, { content, isError })
      } else {
        const note = role === 'system' ? '' : noteOf(part)
        if (note === undefined) return undefined
        if (note !== '') notes.push(note)
      }
    }
  }
  return byCall.size === awaited.size ? { byCall, notes } : undefined
}

/** '' for what says nothing, undefined for what is not the client's own. */
function noteOf(part: Part): string | undefined {
  if (part.type === 'thinking' || part.type === 'past-activity') return ''
  return part.type === 'text' ? clientWords(part.text) : undefined
}
