// What the client's program says beside its results reaches Cursor with the last of them. Pure.
import type { ClientToolResult } from '../../core/client-tools.ts'
import type { Message } from '../../core/turn.ts'
import type { Results } from '../../sessions/results.ts'

const HEADING = "\n\n--- Not part of the result: the user's program adds ---\n"

/** `systems`: system texts that Cursor has not seen. */
export function withNotes(
  { byCall, notes }: Results,
  systems: readonly Message[],
): ReadonlyMap<string, ClientToolResult> {
  const texts = [...systems.map(textOf), ...notes].filter((text) => text !== '')
  const last = [...byCall].at(-1)
  if (last === undefined || texts.length === 0) return byCall
  const [id, result] = last
  const text = HEADING + texts.join('\n\n')
  return new Map([
    ...byCall,
    [id, { ...result, content: [...result.content, { type: 'text', text }] }],
  ])
}

function textOf({ parts }: Message): string {
  return parts
    .flatMap((part) => (part.type === 'text' ? [part.text] : []))
    .join('\n')
    .trim()
}
