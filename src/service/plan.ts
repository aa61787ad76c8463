// (Turn, facts) → LaunchProfile and how the prompt is to be put. Pure: every fact is passed in.
import { Refusal } from '../core/failure.ts'
import type {
  BackendName,
  Folder,
  LaunchProfile,
  Mode,
  Permissions,
  RuleFile,
} from '../core/job.ts'
import type { Turn } from '../core/turn.ts'
import { demandedTool } from '../prompt/tools.ts'

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
  /** Header `X-Cursor-Mode`. */
  readonly modeHeader: string | null
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

/** @throws Refusal invalid-request for a mode that does not exist or cannot serve the turn. */
export function plan(turn: Turn, facts: PlanFacts): Plan {
  const mode = chooseMode(facts.modeHeader, facts.settings.mode)
  refuseForcedTool(turn, mode)
  // A sealed room must not hold rules; there the client's own Skill tool works.
  const skills = mode === 'bridge' ? undefined : facts.skills
  const folder: Folder =
    facts.workspace === undefined
      ? { class: 'scratch' }
      : { class: 'workspace', path: facts.workspace }
  return {
    mode,
    backend: facts.backend,
    images: imagesFor(facts.backend, folder),
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
      digest: skills?.digest ?? '',
      ...(skills === undefined || skills.rules.length === 0 ? {} : { rules: skills.rules }),
    },
  }
}

function imagesFor(backend: BackendName, folder: Folder): Plan['images'] {
  if (backend === 'acp') return 'native'
  return folder.class === 'scratch' ? 'files' : 'none'
}

/** Header, then the setting, then `agent`: also for requests that bring tools, until the bridge serves them. */
function chooseMode(header: string | null, setting: 'auto' | Mode): Mode {
  const asked = header === null || header === '' ? setting : header.trim().toLowerCase()
  switch (asked) {
    case 'auto':
    case 'agent':
      return 'agent'
    case 'ask':
    case 'plan':
      return asked
    case 'bridge':
      throw new Refusal(
        'invalid-request',
        'mode bridge is not served by this version: leave X-Cursor-Mode (or the setting mode) out, or use agent, ask or plan',
      )
    default:
      throw new Refusal(
        'invalid-request',
        `X-Cursor-Mode: expected agent, ask or plan, received ${JSON.stringify(asked.slice(0, 40))}`,
      )
  }
}

/** Silence about a tool the client insists on would look like a model that does not obey. */
function refuseForcedTool(turn: Turn, mode: Mode): void {
  const demanded = demandedTool(turn)
  if (demanded === undefined) return
  throw new Refusal(
    'invalid-request',
    `tool_choice demands ${demanded}, but in mode ${mode} Cursor runs its own tools and the request's tools are not offered to it. Leave tool_choice at "auto" or "none"; mode bridge, which would serve it, is not part of this version`,
  )
}
