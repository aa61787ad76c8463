// Tool call records → tool-start and tool-end, paired by id whatever comes first. Pure.
import type { AgentEvent, ToolEnd, ToolStart } from '../../core/events.ts'
import { callId } from '../../core/ids.ts'
import type { ToolNames } from '../../core/tool-names.ts'
import type { Json } from '../../core/turn.ts'
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
  UNFINISHED,
} from '../cursor-tools.ts'
import { clientCall } from '../offer.ts'

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

/** `tools`: the client's, in mode bridge; calls of them are the client's, under its own names. */
export function createCalls(tools?: ToolNames): Calls {
  return new CallBook(tools)
}

const KINDLESS: AgentEvent = { type: 'unknown', kind: 'tool-without-kind' }

class CallBook implements Calls {
  readonly #known = new Map<string, Known>()
  readonly #tools: ToolNames | undefined
  #anonymous = 0

  constructor(tools: ToolNames | undefined) {
    this.#tools = tools
  }

  get count(): number {
    return this.#known.size
  }

  started(record: JsonObject): AgentEvent[] {
    const body = objectAt(record, 'tool_call') ?? {}
    const call = callOf(body)
    if (call === undefined) return [KINDLESS]
    const id = this.#idOf(record, body, call)
    return this.#known.has(id) ? [] : this.#begin(id, call)
  }

  completed(record: JsonObject): AgentEvent[] {
    const body = objectAt(record, 'tool_call') ?? {}
    const call = callOf(body)
    const id = this.#idOf(record, body, call)
    const before = this.#known.get(id)
    if (before?.at === 'ended') return []
    if (call === undefined) {
      return before === undefined ? [KINDLESS] : [KINDLESS, this.#end(id, before.call, body)]
    }
    if (before === undefined) return [...this.#begin(id, call), this.#end(id, call, body)]
    // A rejected call repeats no arguments: those of its start count.
    const args = Object.keys(call.args).length === 0 ? before.call.args : call.args
    return [this.#end(id, { ...call, args }, body)]
  }

  unfinished(): AgentEvent[] {
    const open = [...this.#known].filter(([, { at }]) => at === 'open')
    this.#known.clear()
    return open.map(([id]) => ({ type: 'tool-end', callId: callId(id), ...UNFINISHED }))
  }

  #idOf(record: JsonObject, body: JsonObject, call: Call | undefined): string {
    const own = call === undefined ? undefined : stringAt(call.args, 'toolCallId')
    const id = stringAt(record, 'call_id') ?? stringAt(body, 'toolCallId') ?? own
    if (id !== undefined && id !== '') return id
    const made = (): string => `anonymous-${call?.kind ?? 'call'}-${this.#anonymous}`
    if (this.#known.get(made())?.at === 'ended') this.#anonymous += 1
    return made()
  }

  #begin(id: string, call: Call): AgentEvent[] {
    this.#known.set(id, { at: 'open', call })
    const face = toolFace(call.kind, call.args)
    const ours = call.kind === 'mcp' ? clientCall(call.args, this.#tools) : undefined
    const start: ToolStart = {
      type: 'tool-start',
      callId: callId(id),
      kind: call.kind,
      host: ours === undefined ? 'cursor' : 'client',
      name: ours?.name ?? call.name ?? face.name,
      input: ours?.input ?? fullerInput(call) ?? face.input,
      title: face.title,
    }
    const isStrange = call.name === undefined && !isKnownKind(call.kind)
    return isStrange ? [{ type: 'unknown', kind: 'tool-kind' }, start] : [start]
  }

  #end(id: string, call: Call, body: JsonObject): ToolEnd {
    this.#known.set(id, { at: 'ended' })
    const inner = innerTools(call.result)
    const input = fullerInput(call)
    return {
      type: 'tool-end',
      callId: callId(id),
      ...toolOutcome(call.kind, call.result),
      durationMs: duration(body),
      ...(inner.length === 0 ? {} : { inner }),
      ...(input === undefined ? {} : { input }),
    }
  }
}

const fullerInput = ({ kind, args, result }: Call): Json | undefined =>
  result === undefined ? undefined : inputFromResult(kind, args, result)
