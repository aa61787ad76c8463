// Records beside the answer (the connection, retries, Cursor's own questions) → the one event each is worth. Pure.
import type { ActivityKind, AgentEvent, UnknownKind } from '../../core/events.ts'
import type { JsonObject } from '../../lib/json.ts'

export const unknown = (kind: UnknownKind): AgentEvent => ({ type: 'unknown', kind })
const activity = (kind: ActivityKind): AgentEvent => ({ type: 'activity', kind })

export function sideEvent(record: JsonObject): AgentEvent {
  const { subtype } = record
  switch (record.type) {
    case 'system':
      return isKnownNote(subtype) ? activity('other') : unknown('subtype')
    case 'interaction_query':
      return activity('query')
    case 'connection':
      return subtype === 'reconnecting' || subtype === 'reconnected'
        ? activity(subtype)
        : unknown('subtype')
    case 'retry':
      return subtype === 'starting' || subtype === 'resuming'
        ? activity('retry')
        : unknown('subtype')
    case 'error':
      return activity('other')
    default:
      return unknown('type')
  }
}

/** `init` that comes again; the other two: Source: a reading of the 2026.09 bundle. */
const isKnownNote = (subtype: unknown): boolean =>
  subtype === 'init' || subtype === 'background_shell_timeout' || subtype === 'task_notification'
