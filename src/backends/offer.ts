// The client's tools offered to one session of Cursor's (mode bridge): its token, its server, and how Cursor's words for a
// call are understood. The token is told to the main thread before Cursor hears of it.
import { randomBytes } from 'node:crypto'
import type { LaunchProfile } from '../core/job.ts'
import { TOOL_SERVER, type ToolNames, toolNames, withoutServer } from '../core/tool-names.ts'
import type { Json, ToolDefinition } from '../core/turn.ts'
import { type JsonObject, objectAt } from '../lib/json.ts'
import type { AgentHooks } from './backend.ts'
import { asJson, firstString } from './tool-values.ts'

export interface Offer {
  readonly token: string
  /** The session's MCP server. Holds the token: for Cursor only. */
  readonly url: string
  readonly names: ToolNames
  /** The next turn of the same session brings other tools. */
  adopt(tools: readonly ToolDefinition[]): void
  /** The session is gone. Idempotent. */
  close(): void
}

/** 128 bits that nobody can guess. */
const TOKEN_BYTES = 16
const NO_TOOLS = toolNames([])

/** Undefined where the profile offers nothing. */
export function openOffer(profile: LaunchProfile, hooks: AgentHooks): Offer | undefined {
  const { offer } = profile
  if (offer === undefined || profile.mode !== 'bridge') return undefined
  const token = randomBytes(TOKEN_BYTES).toString('hex')
  hooks.tools?.opened(token, offer.tools)
  let isOpen = true
  let names = toolNames(offer.tools)
  return {
    token,
    url: `${offer.endpoint}${token}`,
    get names() {
      return names
    },
    adopt(tools) {
      names = toolNames(tools)
    },
    close() {
      if (isOpen) hooks.tools?.closed(token)
      isOpen = false
    },
  }
}

export const namesOf = (offer: Offer | undefined): ToolNames => offer?.names ?? NO_TOOLS

export interface ClientCall {
  /** The client's own name. */
  readonly name: string
  readonly input: Json
}

/**
 * The call of our server behind an MCP call of Cursor's stream; undefined for any other server's. Source: recorded calls:
 * `name` is `<server>-<tool>`, `toolName` and `providerIdentifier` name the two apart where they are there. A tool that is
 * not in `tools` may have come later: it keeps the name Cursor says.
 */
export function clientCall(args: JsonObject, tools: ToolNames | undefined): ClientCall | undefined {
  if (tools === undefined) return undefined
  const server = firstString(args, 'providerIdentifier', 'serverIdentifier', 'server')
  if (server !== undefined && server !== TOOL_SERVER) return undefined
  const heard = firstString(args, 'toolName', 'name')
  if (heard === undefined) return undefined
  const tool = tools.find(heard)
  const name = tool?.name ?? (server === undefined ? namedOurs(heard) : withoutServer(heard))
  return name === undefined ? undefined : { name, input: asJson(objectAt(args, 'args') ?? {}) }
}

function namedOurs(heard: string): string | undefined {
  const name = withoutServer(heard)
  return name === heard ? undefined : name
}
