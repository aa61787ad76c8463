// What the answerer is made of: settings and the doors to the other rooms, connected by serve.ts.
import type { ClientTools } from '../core/client-tools.ts'
import type { FailureCode } from '../core/failure.ts'
import type { RunId } from '../core/ids.ts'
import type { BackendName, JobLimits, Kept, LaunchProfile } from '../core/job.ts'
import type { Pool } from '../core/run.ts'
import type { Logger, Telemetry } from '../core/telemetry.ts'
import type { Turn } from '../core/turn.ts'
import type { Conversations } from '../sessions/conversations.ts'
import type { ModelChoice } from './model-choice.ts'
import type { PlanSettings } from './plan.ts'
import type { StoreLimits } from './reply-store.ts'
import type { SkillPlanner } from './skills.ts'

export interface AnswererSettings extends PlanSettings {
  readonly usage: 'prompt' | 'cursor'
  readonly limits: JobLimits
  /** A reader that left may come back within this time, ms. */
  readonly graceMs: number
  readonly join: boolean
  readonly store: StoreLimits
}

export interface CliFacts {
  readonly binary: string
  readonly version: string
  readonly promptVia: 'stdin' | 'argv'
}

/** Mode bridge. */
export interface BridgeDoor {
  readonly tools: ClientTools
  /** Where agents find them, the session's token to be appended; known once the service listens. */
  readonly endpoint: () => string
  readonly groupMs: number
  readonly parkedTimeoutMs: number
  /** Our scratch root, under every name it has. */
  readonly scratchRoots: readonly string[]
  /** A run of this profile ended without ever having contacted the endpoint. */
  readonly onNotContacted: (profile: LaunchProfile) => void
}

export interface AnswererParts {
  readonly pool: Pool
  readonly settings: AnswererSettings
  readonly bridge: BridgeDoor
  /** @throws Refusal cli-missing, naming the setting that mends it. */
  readonly cli: () => Promise<CliFacts>
  /** @throws Refusal model-not-found naming the nearest ones. */
  readonly chooseModel: (turn: Turn) => Promise<ModelChoice>
  /** Real path of the folder to work in, undefined for a scratch one. @throws Refusal when it must not be used. */
  readonly workspace: (turn: Turn, header: string | null) => Promise<string | undefined>
  /** What Cursor has to be told of the skills that the client advertises. */
  readonly skills: SkillPlanner
  readonly countTokens: (turn: Turn) => Promise<number>
  readonly conversations: Conversations
  /** The backend for a turn. */
  readonly backend: (facts: {
    readonly cli: CliFacts
    readonly inWorkspace: boolean
    readonly before: BackendName | undefined
  }) => 'print' | 'acp'
  /** Whether a session of this profile can be gone on from. */
  readonly canGoOn: (profile: LaunchProfile) => boolean
  /** A session that was to be gone on from was not there. */
  readonly onBrokenResume: (profile: LaunchProfile) => void
  /** Gives back what a conversation that is over has left in an agent or on disk. */
  readonly forget: (kept: Kept) => void
  readonly newRunId: () => RunId
  /** A run failed: a chance to look again at what it was planned from (model list, CLI). */
  readonly onFailure: (code: FailureCode) => void
  readonly telemetry: Telemetry
  readonly logger: Logger
}
