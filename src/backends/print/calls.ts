// Tool call records → tool-start and tool-end, paired by id whatever comes first. Pure.
import type { AgentEvent, ToolEnd, ToolStart } from '../../core/events.ts'
import { callId } from '../../core/ids.ts'
import {
  isObject,
  type JsonObject,
  numberAt,
  objectAt,
  parseJson,
  stringAt,
} from '../../lib/json.ts'
import {
  innerTools,
  inputFromResult,
  isKnownKind,
  kindKey,
  kindOf,
  readableName,
  toolFace,
  toolOutcome,
} from '../cursor-tools.ts'

export interface Calls {
  started(record: JsonObject): AgentEvent[]
  completed(record: JsonObject): AgentEvent[]
  /** Ends of the calls that are still open when the run ends. */
  unfinished(): AgentEvent[]
  /** Calls seen so far. */
  readonly count: number
}

interface Call {
  readonly kind: string
  readonly args: JsonObject
  readonly result: JsonObject | undefined
  /** Set where the record names a function instead of a kind. */
  readonly name: string | undefined
}

type Known = { readonly at: 'open'; readonly call: Call } | { readonly at: 'ended' }

/** `{function: {name, arguments}}`. Source: Cursor's output format page; not seen in captures. */
function functionCall(body: JsonObject): Call | undefined {
  const call = objectAt(body, 'function')
  const name = call === undefined ? undefined : stringAt(call, 'name')
  if (call === undefined || name === undefined || name === '') return undefined
  const given = typeof call.arguments === 'string' ? parseJson(call.arguments) : call.arguments
  const args = isObject(given) ? given : { arguments: call.arguments }
  const result = objectAt(body, 'result') ?? objectAt(call, 'result')
  const kind = name.replace(/ToolCall$/, '')
  if (isKnownKind(kind)) return { kind, args, result, name: undefined }
  return { kind: 'function', args, result, name: readableName(name) }
}

function callOf(body: JsonObject): Call | undefined {
  const key = kindKey(body)
  const call = key === undefined ? undefined : objectAt(body, key)
  if (key === undefined || call === undefined) return functionCall(body)
  const args = objectAt(call, 'args') ?? {}
  return { kind: kindOf(key), args, result: objectAt(call, 'result'), name: undefined }
}

function duration(body: JsonObject): number | undefined {
  const started = numberAt(body, 'startedAtMs')
  const completed = numberAt(body, 'completedAtMs')
  if (started === undefined || completed === undefined) return undefined
  return Math.max(0, completed - started)
}

export function createCalls(): Calls {
  const known = new Map<string, Known>()
  let anonymous = 0

  const idOf = (record: JsonObject, body: JsonObject, call: Call | undefined): string => {
    const id =
      stringAt(record, 'call_id') ??
      stringAt(body, 'toolCallId') ??
      (call === undefined ? undefined : stringAt(call.args, 'toolCallId'))
    if (id !== undefined && id !== '') return id
    const made = `anonymous-${call?.kind ?? 'call'}-${anonymous}`
    if (known.get(made)?.at === 'ended') anonymous += 1
    return `anonymous-${call?.kind ?? 'call'}-${anonymous}`
  }

  const begin = (id: string, call: Call): AgentEvent[] => {
    known.set(id, { at: 'open', call })
    const face = toolFace(call.kind, call.args)
    const fuller =
      call.result === undefined ? undefined : inputFromResult(call.kind, call.args, call.result)
    const start: ToolStart = {
      type: 'tool-start',
      callId: callId(id),
      kind: call.kind,
      host: 'cursor',
      name: call.name ?? face.name,
      input: fuller ?? face.input,
      title: face.title,
    }
    const strange = call.name === undefined && !isKnownKind(call.kind)
    return strange ? [{ type: 'unknown', kind: 'tool-kind' }, start] : [start]
  }

  const end = (id: string, call: Call, body: JsonObject): ToolEnd => {
    known.set(id, { at: 'ended' })
    const inner = innerTools(call.result)
    const input =
      call.result === undefined ? undefined : inputFromResult(call.kind, call.args, call.result)
    return {
      type: 'tool-end',
      callId: callId(id),
      ...toolOutcome(call.kind, call.result),
      durationMs: duration(body),
      ...(inner.length === 0 ? {} : { inner }),
      ...(input === undefined ? {} : { input }),
    }
  }

  return {
    started(record) {
      const body = objectAt(record, 'tool_call') ?? {}
      const call = callOf(body)
      if (call === undefined) return [{ type: 'unknown', kind: 'tool-without-kind' }]
      const id = idOf(record, body, call)
      return known.has(id) ? [] : begin(id, call)
    },
    completed(record) {
      const body = objectAt(record, 'tool_call') ?? {}
      const call = callOf(body)
      const id = idOf(record, body, call)
      const before = known.get(id)
      if (before?.at === 'ended') return []
      if (call === undefined) {
        const strange: AgentEvent = { type: 'unknown', kind: 'tool-without-kind' }
        return before === undefined ? [strange] : [strange, end(id, before.call, body)]
      }
      if (before === undefined) return [...begin(id, call), end(id, call, body)]
      // A rejected call repeats no arguments: those of its start count.
      const args = Object.keys(call.args).length === 0 ? before.call.args : call.args
      return [end(id, { ...call, args }, body)]
    },
    unfinished() {
      const ends: AgentEvent[] = []
      for (const [id, { at }] of known) {
        if (at === 'ended') continue
        ends.push({
          type: 'tool-end',
          callId: callId(id),
          isError: true,
          outcome: 'unfinished',
          summary: 'The run ended before this call did',
          durationMs: undefined,
        })
      }
      known.clear()
      return ends
    },
    get count() {
      return known.size
    },
  }
}
