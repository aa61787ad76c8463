// Job: what one run of an agent needs, as plain data that survives structured clone.
import type { ToolOffer } from './client-tools.ts'
import { type ProfileKey, profileKeyOf, type RunId } from './ids.ts'

export type BackendName = 'print' | 'acp' | 'sdk'
export type Mode = 'agent' | 'bridge' | 'ask' | 'plan'
export type Permissions = 'read-only' | 'workspace' | 'full'

/** The class of folder, not the folder: a scratch folder is unique to a child and made with it. */
export type Folder =
  | { readonly class: 'scratch' }
  /** Absolute real path, already checked against the allowed roots. */
  | { readonly class: 'workspace'; readonly path: string }

/** A rule for Cursor's agent, as a file of `.cursor/rules` in the folder it works in. Names and bodies come from skills. */
export interface RuleFile {
  /** File name, `cursor-adapter-<skill>.mdc`. */
  readonly name: string
  readonly text: string
}

/** What the request decides of everything an agent reads at start. Two equal profiles can share a warm child. */
export interface LaunchProfile {
  readonly backend: BackendName
  /** Absolute path of the CLI. */
  readonly binary: string
  /** As `--version` printed it, '' when unknown. */
  readonly cliVersion: string
  readonly folder: Folder
  /** Cursor's model id, passed as `--model`. */
  readonly model: string
  readonly mode: Mode
  readonly permissions: Permissions
  readonly sandbox: 'default' | 'enabled' | 'disabled'
  readonly approveMcps: boolean
  /** `argv` only where this version of the CLI was seen not to read stdin; such a profile is never warmed. */
  readonly promptVia: 'stdin' | 'argv'
  /** Digest of tool list, rules and configuration that the child reads at start; '' for none. */
  readonly digest: string
  /** Written before the child starts, because it reads them then; covered by `digest`. None = nothing is written. */
  readonly rules?: readonly RuleFile[]
  /** Mode bridge: the client's tools; covered by `digest`. Absent = none are offered. */
  readonly offer?: ToolOffer
  /** Print: resume this chat, in its own folders; such a profile fits one conversation only. */
  readonly resume?: Extract<Kept, { backend: 'print' }>
}

/** Folders of one conversation's print agent: `work` is its cwd, `config` and `data` its CURSOR_CONFIG_DIR and _DATA_DIR. */
export interface ChatFolders {
  readonly root: string
  readonly work: string
  readonly config: string
  readonly data: string
}

/** What of a finished run the next turn of the same conversation can go on from. */
export type Kept =
  /** The session is open in the child with this pid. */
  | { readonly backend: 'acp'; readonly pid: number; readonly chatId: string }
  /** The chat is on disk below these folders (undefined: the user's own, in a real workspace), which now belong to the conversation. */
  | {
      readonly backend: 'print'
      readonly chatId: string
      readonly folders: ChatFolders | undefined
    }

export interface PromptImage {
  /** File name the prompt text refers to, relative to the scratch folder. */
  readonly name: string
  readonly mediaType: string
  readonly base64: string
}

export interface Prompt {
  readonly text: string
  /** Written beside the agent (print, scratch folder) or passed natively (ACP, SDK). */
  readonly images: readonly PromptImage[]
  /** The text for a run whose rule files could not be written: it carries what the rules would have said. */
  readonly textWithoutRules?: string
}

export interface Job {
  readonly runId: RunId
  readonly profile: LaunchProfile
  readonly prompt: Prompt
  readonly limits: JobLimits
  /** Leave behind what the next turn can go on from (told by `Run.kept`). Absent = leave nothing. */
  readonly keep?: boolean
  /** Mode bridge: what a denied tool of Cursor's own says of the client's machine, one line. Absent or '' = nothing. */
  readonly hostFacts?: string
  /** ACP: go on in this open session of the child; `prompt` then holds only what is new. */
  readonly chatId?: string
}

export interface JobLimits {
  /** Slot granted → end of the reply; on expiry the run ends with `run-timeout`. */
  readonly timeoutMs: number
  /** No event while no tool is open and the reader keeps up; on expiry `run-stalled`. */
  readonly stallMs: number
  /** Submitted → slot granted; on expiry `queue-timeout`. */
  readonly queueMs: number
}

/** Stable key of a profile: equal for equal profiles whatever the order of their fields. */
export function profileKey(profile: LaunchProfile): ProfileKey {
  const folder = profile.folder.class === 'scratch' ? 'scratch' : `workspace:${profile.folder.path}`
  return profileKeyOf(
    JSON.stringify([
      profile.backend,
      profile.binary,
      profile.cliVersion,
      folder,
      profile.model,
      profile.mode,
      profile.permissions,
      profile.sandbox,
      profile.approveMcps,
      profile.promptVia,
      profile.digest,
      profile.resume?.chatId ?? '',
    ]),
  )
}

/**
 * Key of what a child process itself is bound to. A reusable (ACP) child serves any profile with an equal one: path,
 * model, mode and tools are chosen per session.
 */
export function childKey(profile: LaunchProfile): ProfileKey {
  return profileKeyOf(
    JSON.stringify([
      'child',
      profile.backend,
      profile.binary,
      profile.cliVersion,
      profile.permissions,
      profile.sandbox,
      profile.approveMcps,
      // Data folder and sealed configuration are the process's.
      profile.folder.class,
      profile.mode === 'bridge',
    ]),
  )
}
