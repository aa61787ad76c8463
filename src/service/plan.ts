// (Turn, facts) → LaunchProfile and how the prompt is to be put. Pure: every fact is passed in.

import type { ToolOffer } from '../core/client-tools.ts'
import { Refusal } from '../core/failure.ts'
import type { ProfileKey } from '../core/ids.ts'
import {
  type BackendName,
  type Folder,
  type LaunchProfile,
  type Mode,
  type Permissions,
  profileKey,
  type RuleFile,
} from '../core/job.ts'
import type { Turn } from '../core/turn.ts'
import { sha256 } from '../lib/digest.ts'
import { advertisedTools, demandedTool } from '../prompt/tools.ts'

/** Settings the plan reads; a slice of the configuration. */
export interface PlanSettings {
  readonly mode: 'auto' | Mode
  readonly permissions: Permissions
  readonly sandbox: 'default' | 'enabled' | 'disabled'
  readonly approveMcps: boolean
}

export interface PlanFacts {
  readonly settings: PlanSettings
  readonly backend: 'print' | 'acp'
  readonly binary: string
  readonly cliVersion: string
  readonly promptVia: 'stdin' | 'argv'
  /** Cursor's model id, resolved. */
  readonly model: string
  /** Real path of the workspace the turn works in, undefined for a scratch folder. */
  readonly workspace: string | undefined
  /** As `chooseMode` chose it. */
  readonly mode: Mode
  /** Mode bridge: where the MCP endpoint is. Left out: no tools can be offered. */
  readonly endpoint?: string | undefined
  /** False for requests that are not to call tools whatever they bring. */
  readonly offersTools?: boolean
  /** Rule files of this turn's skills and their digest; none by default. */
  readonly skills?: { readonly rules: readonly RuleFile[]; readonly digest: string }
}

export interface Plan {
  readonly mode: Mode
  readonly backend: BackendName
  readonly profile: LaunchProfile
  /** Where images can be shown: as files beside a scratch agent, not in somebody's project. */
  readonly images: 'files' | 'native' | 'none'
}

/** @throws Refusal invalid-request for a mode that cannot serve the turn. */
export function plan(turn: Turn, facts: PlanFacts): Plan {
  const { mode } = facts
  refuseForcedTool(turn, mode)
  // A sealed room must not hold rules; there the client's own Skill tool works.
  const skills = mode === 'bridge' ? undefined : facts.skills
  const offer = offerOf(turn, facts)
  const folder: Folder =
    facts.workspace === undefined
      ? { class: 'scratch' }
      : { class: 'workspace', path: facts.workspace }
  return {
    mode,
    backend: facts.backend,
    images: imagesFor(facts.backend, folder, mode),
    profile: {
      backend: facts.backend,
      binary: facts.binary,
      cliVersion: facts.cliVersion,
      folder,
      model: facts.model,
      mode,
      permissions: facts.settings.permissions,
      sandbox: facts.settings.sandbox,
      approveMcps: facts.settings.approveMcps,
      promptVia: facts.promptVia,
      digest: offer === undefined ? (skills?.digest ?? '') : toolsDigest(offer),
      ...(skills === undefined || skills.rules.length === 0 ? {} : { rules: skills.rules }),
      ...(offer === undefined ? {} : { offer }),
    },
  }
}

function offerOf(turn: Turn, { mode, offersTools, endpoint }: PlanFacts): ToolOffer | undefined {
  const tools = offersTools === false ? [] : advertisedTools(turn, mode)
  return tools.length === 0 || endpoint === undefined ? undefined : { endpoint, tools }
}

function toolsDigest({ tools }: ToolOffer): string {
  return sha256(JSON.stringify(tools))
}

/** Two turns whose profiles differ in their tools only can share a session, if the tools of one hold the other's. */
export function keyWithoutTools(profile: LaunchProfile): ProfileKey {
  return profileKey(profile.offer === undefined ? profile : { ...profile, digest: '' })
}

function imagesFor(backend: BackendName, folder: Folder, mode: Mode): Plan['images'] {
  if (backend === 'acp') return 'native'
  // In the sealed room Cursor's own Read is denied, and the client's would not find a file of ours.
  if (mode === 'bridge') return 'none'
  return folder.class === 'scratch' ? 'files' : 'none'
}

export interface ModeFacts {
  /** Header `X-Cursor-Mode`. */
  readonly header: string | null
  readonly setting: 'auto' | Mode
  /** Header `X-Cursor-Workspace`. */
  readonly workspaceHeader: string | null
}

/**
 * Header; setting; a workspace was named → agent; usable tools → bridge; else agent.
 * @throws Refusal invalid-request for a mode that does not exist.
 */
export function chooseMode(turn: Turn, { header, setting, workspaceHeader }: ModeFacts): Mode {
  const asked = header === null || header.trim() === '' ? setting : header.trim().toLowerCase()
  switch (asked) {
    case 'auto': {
      if (workspaceHeader !== null && workspaceHeader !== '') return 'agent'
      return turn.tools.length > 0 && turn.toolChoice.kind !== 'none' ? 'bridge' : 'agent'
    }
    case 'agent':
    case 'ask':
    case 'plan':
    case 'bridge':
      return asked
    default:
      throw new Refusal(
        'invalid-request',
        `X-Cursor-Mode: expected agent, bridge, ask or plan, received ${JSON.stringify(asked.slice(0, 40))}`,
      )
  }
}

/** Silence about a tool the client insists on would look like a model that does not obey. */
function refuseForcedTool(turn: Turn, mode: Mode): void {
  const demanded = demandedTool(turn)
  if (demanded === undefined) return
  if (mode !== 'bridge') {
    throw new Refusal(
      'invalid-request',
      `tool_choice demands ${demanded}, but in mode ${mode} Cursor runs its own tools and the request's tools are not offered to it. Leave tool_choice at "auto" or "none", or use mode bridge (header X-Cursor-Mode, setting mode)`,
    )
  }
  const { toolChoice, tools } = turn
  const isThere =
    toolChoice.kind === 'named'
      ? tools.some(({ name }) => name === toolChoice.name)
      : tools.length > 0
  if (isThere) return
  throw new Refusal(
    'invalid-request',
    `tool_choice demands ${demanded}, but the request brings ${tools.length === 0 ? 'no tools' : 'no tool of that name'}`,
  )
}
