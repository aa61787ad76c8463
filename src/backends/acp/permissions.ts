// What the agent is told when it asks. Pure. Never "always": that answer writes a rule into the user's global settings.
// Source: probes of 2026.08.11 (permission questions, their ids in two spellings); Cursor's ACP page (its own requests).
import { isAbsolute, relative, sep } from 'node:path'
import type { LaunchProfile, Permissions } from '../../core/job.ts'
import { TOOL_SERVER, type ToolNames } from '../../core/tool-names.ts'
import { type JsonObject, objectAt, stringAt } from '../../lib/json.ts'
import { clientCall } from '../offer.ts'
import { objects } from '../tool-values.ts'
import { mcpArgs } from './tools.ts'

export interface Room {
  readonly permissions: Permissions
  /** The session's folder, absolute; undefined for a session that is not running. */
  readonly cwd: string | undefined
  /** Mode bridge: the only tools that may run, whatever the permissions. */
  readonly clientTools?: ToolNames
}

/** A read-only mode stays one, whatever is configured. */
export const permissionsOf = ({
  mode,
  permissions,
}: Pick<LaunchProfile, 'mode' | 'permissions'>): Permissions =>
  mode === 'ask' || mode === 'plan' ? 'read-only' : permissions

/** The answer to a request of the agent's own; undefined for a method we do not have. */
export function replyTo(method: string, params: JsonObject, room: Room): JsonObject | undefined {
  switch (method) {
    case 'session/request_permission':
      return { outcome: decide(params, room) }
    case 'cursor/ask_question':
      return {
        outcome: { outcome: 'skipped', reason: 'Nobody can answer: decide yourself and go on.' },
      }
    case 'cursor/create_plan':
      return { outcome: { outcome: 'accepted' } }
    default:
      return undefined
  }
}

const READS = new Set(['read', 'search', 'think'])
const EDITS = new Set(['edit', 'delete', 'move'])

function decide(params: JsonObject, room: Room): JsonObject {
  const options = objects(params, 'options')
  const pick = (kind: 'allow_once' | 'reject_once'): JsonObject | undefined =>
    options.find((option) => [option.kind, option.optionId].some((text) => isKind(text, kind)))
  const isAllowed = room.cwd !== undefined && allows(objectAt(params, 'toolCall') ?? {}, room)
  const chosen = pick(isAllowed ? 'allow_once' : 'reject_once')
  const optionId = chosen === undefined ? undefined : stringAt(chosen, 'optionId')
  return optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId }
}

const isKind = (text: unknown, kind: string): boolean =>
  typeof text === 'string' && text.replaceAll('-', '_') === kind

/**
 * `full` allows all, `workspace` what print mode without
 * --force does: reading and edits inside the folder; shell, MCP and web calls are not approved. `read-only`: reading.
 */
function allows(toolCall: JsonObject, { permissions, cwd, clientTools }: Room): boolean {
  if (clientTools !== undefined) return isClientCall(toolCall, clientTools)
  const kind = stringAt(toolCall, 'kind') ?? 'other'
  if (permissions === 'full' || READS.has(kind)) return true
  if (permissions === 'read-only' || !EDITS.has(kind)) return false
  return pathsOf(toolCall).every((path) => isInside(path, cwd ?? ''))
}

/**
 * Source: probes of 2026.08.11: MCP calls are titled `MCP: <tool>`. Assumed: so are the questions about them. A tool we do
 * not know may have come later: the endpoint refuses what there is not.
 */
function isClientCall(toolCall: JsonObject, tools: ToolNames): boolean {
  const args = mcpArgs(toolCall, TOOL_SERVER)
  return args !== undefined && clientCall(args, tools) !== undefined
}

function pathsOf(toolCall: JsonObject): string[] {
  const raw = stringAt(objectAt(toolCall, 'rawInput') ?? {}, 'path')
  const named = [...objects(toolCall, 'locations'), ...objects(toolCall, 'content')]
  const paths = named.flatMap((one) => stringAt(one, 'path') ?? [])
  return raw === undefined ? paths : [raw, ...paths]
}

function isInside(path: string, folder: string): boolean {
  if (!isAbsolute(path)) return !path.split(/[/\\]/).includes('..')
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
