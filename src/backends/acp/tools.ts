// Tool calls as ACP shows them (a title, a kind, few arguments) → the same faces and outcomes as in print mode. Pure.
// Source: probes and fixtures of 2026.08: `rawInput` is empty for read, grep and edit; a failed or rejected call ends
// `completed` too, with `rawOutput.error`; MCP calls are titled `MCP: <tool>`; ids contain a newline.
import type { AgentEvent, ToolEnd } from '../../core/events.ts'
import { callId } from '../../core/ids.ts'
import { TOOL_SERVER, type ToolNames } from '../../core/tool-names.ts'
import type { Json } from '../../core/turn.ts'
import { isObject, type JsonObject, objectAt, stringAt } from '../../lib/json.ts'
import { isKnownKind, toolFace, toolOutcome, UNFINISHED } from '../cursor-tools.ts'
import { clientCall } from '../offer.ts'
import { fields, firstString, objects } from '../tool-values.ts'

export interface ToolCalls {
  /** A `tool_call` or `tool_call_update`. */
  update(update: JsonObject): AgentEvent[]
  unfinished(): AgentEvent[]
  readonly count: number
}

interface Call {
  readonly kind: string
  args: JsonObject
  ended: boolean
}

/** Assumed: the words of titles before the main argument; wrong ones show as part of the title only. */
const VERB =
  /^(?:read|edit|write|create|delete|grep|search|find|glob|list|ls|run|execute|fetch)\b:?\s*/i
const KINDS: Readonly<Record<string, string>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  search: 'grep',
  execute: 'shell',
  fetch: 'webFetch',
}

const plain = (title: string): string => title.replaceAll('`', '').trim()

function callOf(update: JsonObject, server: string | undefined): Call {
  const title = stringAt(update, 'title') ?? ''
  const raw = objectAt(update, 'rawInput') ?? {}
  const mcp = mcpArgs(update, server)
  if (mcp !== undefined) return { kind: 'mcp', args: mcp, ended: false }
  const kind = KINDS[stringAt(update, 'kind') ?? ''] ?? 'other'
  return { kind, args: { ...argsOf(kind, title, update), ...raw }, ended: false }
}

/**
 * An MCP call's arguments in print mode's shape; undefined for any other call. `standard`: the server, where none is told.
 */
export function mcpArgs(update: JsonObject, standard?: string): JsonObject | undefined {
  const name = /^MCP:\s*(.+)$/.exec(stringAt(update, 'title') ?? '')?.[1]
  if (name === undefined) return undefined
  const raw = objectAt(update, 'rawInput') ?? {}
  const { args = raw } = raw
  // Beside the tool's own arguments a field may be called `server` too.
  const server = args === raw ? stringAt(raw, 'providerIdentifier') : serverOf(raw)
  return { name: plain(name), providerIdentifier: server ?? standard, args }
}

const serverOf = (raw: JsonObject): string | undefined =>
  firstString(raw, 'providerIdentifier', 'serverIdentifier', 'server')

function argsOf(kind: string, title: string, update: JsonObject): JsonObject {
  const rest = plain(title).replace(VERB, '')
  const path = objects(update, 'locations').flatMap((one) => stringAt(one, 'path') ?? [])[0]
  switch (kind) {
    case 'shell':
      return { command: rest }
    case 'grep':
      return { pattern: rest }
    case 'webFetch':
      return { url: rest }
    case 'other':
      return { title: plain(title) }
    default:
      return { path: path ?? rest }
  }
}

/** `tools`: the client's, in mode bridge; calls of them are the client's, under its own names. */
export function createToolCalls(tools?: ToolNames): ToolCalls {
  const calls = new Map<string, Call>()
  const begin = (id: string, update: JsonObject): AgentEvent[] => {
    // In mode bridge ours is the only server there is.
    const call = callOf(update, tools === undefined ? undefined : TOOL_SERVER)
    calls.set(id, call)
    const ours = call.kind === 'mcp' ? clientCall(call.args, tools) : undefined
    const face = { ...toolFace(call.kind, call.args), ...ours }
    const isKnown = isKnownKind(call.kind) || call.kind === 'other'
    const name = call.kind === 'other' ? 'Tool' : face.name
    const start = {
      type: 'tool-start',
      callId: callId(id),
      kind: call.kind,
      host: ours === undefined ? 'cursor' : 'client',
    } as const
    const event: AgentEvent = { ...start, name, input: face.input, title: face.title }
    return isKnown ? [event] : [{ type: 'unknown', kind: 'tool-kind' }, event]
  }
  const finish = (id: string, call: Call, update: JsonObject): ToolEnd => {
    call.ended = true
    const input = fullerInput(call, update)
    return {
      type: 'tool-end',
      callId: callId(id),
      ...toolOutcome(call.kind, resultOf(call, update)),
      durationMs: undefined,
      ...(input === undefined ? {} : { input }),
    }
  }
  return {
    update: (update) => {
      const id = stringAt(update, 'toolCallId') ?? ''
      if (id === '') return [{ type: 'unknown', kind: 'tool-without-kind' }]
      const events = calls.has(id) ? [] : begin(id, update)
      const call = calls.get(id)
      if (call === undefined || call.ended) return events
      call.args = { ...call.args, ...objectAt(update, 'rawInput') }
      const status = stringAt(update, 'status')
      const isOver = status === 'completed' || status === 'failed'
      return isOver ? [...events, finish(id, call, update)] : events
    },
    unfinished: () => {
      const open = [...calls].filter(([, { ended }]) => !ended)
      for (const [, call] of open) call.ended = true
      return open.map(([id]) => ({ type: 'tool-end', callId: callId(id), ...UNFINISHED }))
    },
    get count() {
      return calls.size
    },
  }
}

/** The outcome in print mode's shape, so that both are told in the same words. */
function resultOf(call: Call, update: JsonObject): JsonObject {
  const raw = objectAt(update, 'rawOutput') ?? {}
  const error = errorOf(raw) ?? (update.status === 'failed' ? textOf(update) : undefined)
  if (error !== undefined) {
    return /^\s*(?:user )?reject/i.test(error)
      ? { rejected: { reason: error } }
      : { error: { error } }
  }
  const { exitCode } = raw
  if (typeof exitCode === 'number') return { [exitCode === 0 ? 'success' : 'failure']: raw }
  const diffs = diffsOf(update)
  if (diffs.length > 0) return { success: changed(diffs) }
  const content = stringAt(raw, 'content')
  if (call.kind === 'read' && content !== undefined) {
    return { success: { isEmpty: content === '', totalLines: lineCount(content) } }
  }
  return { success: call.kind === 'grep' ? { workspaceResults: { '': found(raw) } } : raw }
}

function errorOf(raw: JsonObject): string | undefined {
  const { error } = raw
  if (typeof error === 'string') return error === '' ? undefined : error
  return isObject(error) ? (firstString(error, 'message', 'error') ?? 'failed') : undefined
}

const textOf = (update: JsonObject): string =>
  objects(update, 'content')
    .map((part) => stringAt(objectAt(part, 'content') ?? {}, 'text') ?? '')
    .join('') || 'failed'

/** Only the number of matches is known: as many nameless ones. */
function found(raw: JsonObject): JsonObject {
  const total = Number(raw.totalMatches ?? 0)
  return { count: { counts: total > 0 ? [{ file: 'matches', count: total }] : [] } }
}

const diffsOf = (update: JsonObject): JsonObject[] =>
  objects(update, 'content').filter((part) => part.type === 'diff')

const lineCount = (text: string): number =>
  text === '' ? 0 : text.split('\n').length - (text.endsWith('\n') ? 1 : 0)

function changed(diffs: readonly JsonObject[]): JsonObject {
  let [linesAdded, linesRemoved] = [0, 0]
  for (const diff of diffs) {
    linesAdded += lineCount(stringAt(diff, 'newText') ?? '')
    linesRemoved += lineCount(stringAt(diff, 'oldText') ?? '')
  }
  const path = stringAt(diffs[0] ?? {}, 'path') ?? 'the file'
  return { path, linesAdded, linesRemoved, message: `Edited ${path}` }
}

/** What only the end tells: an edit's texts, arguments that came late. */
function fullerInput(call: Call, update: JsonObject): Json | undefined {
  const diff = diffsOf(update)[0]
  if (diff !== undefined) {
    const { path, oldText, newText } = diff
    return fields({ file_path: path, old_string: oldText ?? '', new_string: newText ?? '' })
  }
  return objectAt(update, 'rawInput') === undefined
    ? undefined
    : toolFace(call.kind, call.args).input
}
