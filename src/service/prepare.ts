// Turn → all that is decided before a run can be started or gone on with.
import type { RequestFacts } from '../core/answer.ts'
import type { SessionId } from '../core/ids.ts'
import type { BackendName, Prompt } from '../core/job.ts'
import type { Turn } from '../core/turn.ts'
import { groundOf, type HostFacts, hostFactsOf } from '../prompt/ground.ts'
import { demandedTool } from '../prompt/tools.ts'
import {
  type ClientFacts,
  clientFacts,
  type Identity,
  isAbsolute,
  type RequestKind,
} from '../sessions/identity.ts'
import { readTranscript, type Transcript } from '../sessions/transcript.ts'
import type { AnswererParts } from './parts.ts'
import { chooseMode, type Plan, plan } from './plan.ts'
import { promptOf } from './prompt-of.ts'
import { NO_SKILLS, type SkillPlan } from './skills.ts'

/** One request, and whose it is. */
export interface Asked {
  readonly turn: Turn
  /** Equal for equal requests. */
  readonly print: string
  readonly identity: Identity
  readonly key: SessionId | undefined
  readonly credential: string
  /** Not a turn of a conversation; it leaves that one's agent alone. */
  readonly isSide: boolean
}

export interface Prepared {
  readonly planned: Plan
  readonly transcript: Transcript
  readonly window: number | undefined
  /** The client's working folder (mode bridge); undefined when it names none. */
  readonly folder: string | undefined
  /** The same for `Job.hostFacts`, with what else it says of its machine; '' where it says nothing. */
  readonly hostFacts: string
  /** Messages → prompt text. `isReminder`: the model ended its turn without the call that is demanded. */
  readonly render: (turn: Turn, isReminder?: boolean) => Prompt
}

/** Kinds that are turns of a conversation; all others are side requests. */
const OWN_TURNS: ReadonlySet<RequestKind> = new Set(['main', 'subagent'])

export function askedOf(
  turn: Turn,
  print: string,
  identity: Identity,
  { credential }: RequestFacts,
): Asked {
  const isSide = !OWN_TURNS.has(identity.kind)
  return { turn, print, identity, key: identity.key, credential, isSide }
}

/**
 * `parked`: the backend of the run that waits for what this request brings.
 * @throws Refusal when the request cannot be served at all.
 */
export async function prepare(
  parts: AnswererParts,
  asked: Asked,
  headers: Headers,
  parked: (transcript: Transcript) => BackendName | undefined,
): Promise<Prepared> {
  const { turn, key, credential } = asked
  const workspaceHeader = headers.get('x-cursor-workspace')
  const mode = chooseMode(turn, {
    header: headers.get('x-cursor-mode'),
    setting: parts.settings.mode,
    workspaceHeader,
  })
  const cli = await parts.cli()
  const [choice, workspace] = await Promise.all([
    parts.chooseModel(turn),
    // In mode bridge the header only names the client's own root.
    mode === 'bridge' ? undefined : parts.workspace(turn, workspaceHeader),
  ])
  // Bridge offers the client's own Skill tool.
  const skills =
    mode === 'bridge' ? NO_SKILLS : await parts.skills(turn, { cliVersion: cli.version, workspace })
  const transcript = readTranscript(turn.messages)
  const { answered } = transcript
  const kept = answered && parts.conversations.backendOf(answered, { key, credential })
  const before = kept ?? parked(transcript)
  const planned = plan(turn, {
    settings: parts.settings,
    backend: parts.backend({ cli, inWorkspace: workspace !== undefined, before }),
    binary: cli.binary,
    cliVersion: cli.version,
    promptVia: cli.promptVia,
    model: choice.id,
    workspace,
    mode,
    endpoint: parts.bridge.endpoint(),
    // A summary is asked for, not a call.
    offersTools: !asked.isSide,
    skills,
  })
  const isRoot = workspaceHeader !== null && isAbsolute(workspaceHeader)
  const said = clientFacts(turn)
  const folder = isRoot ? workspaceHeader : said.folder
  const host = planned.mode === 'bridge' ? hostOf({ ...said, folder }, planned) : undefined
  return {
    planned,
    transcript,
    window: choice.contextWindow,
    folder,
    hostFacts: host === undefined ? '' : hostFactsOf(host),
    render: renderer(asked.turn, { planned, skills, host }),
  }
}

/** What the client says of its machine, in the words that Cursor is told. */
function hostOf(said: ClientFacts, { profile }: Plan): HostFacts {
  const { folder, platform, osVersion, shell, date, git } = said
  const named: readonly (readonly [string, string | undefined])[] = [
    ['Platform', platform],
    ['OS version', osVersion],
    ['Shell', shell],
    ["Today's date", date],
    ['Is the working directory a git repository', git],
  ]
  const facts = named.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  )
  return { folder, facts, hasTools: profile.offer !== undefined }
}

function renderer(
  whole: Turn,
  about: {
    readonly planned: Plan
    readonly skills: SkillPlan
    readonly host: HostFacts | undefined
  },
): Prepared['render'] {
  const { planned, skills, host } = about
  if (host === undefined) return (turn) => promptOf(turn, planned, skills, undefined)
  const demanded = host.hasTools ? demandedTool(whole) : undefined
  return (turn, isReminder = false) =>
    promptOf(turn, planned, skills, groundOf({ ...host, demanded, isReminder }))
}
