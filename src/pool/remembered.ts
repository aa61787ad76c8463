// What the pool remembers about a binary: failures that a new process would only repeat, and that it does not read stdin.
import type { Failure } from '../core/events.ts'
import type { FailureCode } from '../core/failure.ts'
import type { Job, LaunchProfile } from '../core/job.ts'

const REMEMBERED_MS = 5_000
const REMEMBERED: ReadonlySet<FailureCode> = new Set([
  'cursor-not-logged-in',
  'cli-missing',
  'cursor-quota',
])

/** Linux takes at most 128 KiB for one argument; flags and environment need some of the rest. */
export const ARGV_PROMPT_BYTES = 100 * 1024

export class Remembered {
  #failures = new Map<string, { readonly failure: Failure; readonly untilMs: number }>()
  #argvOnly = new Set<string>()

  failed(binary: string, failure: Failure, nowMs: number): void {
    if (!REMEMBERED.has(failure.code)) return
    this.#failures.set(binary, { failure, untilMs: nowMs + REMEMBERED_MS })
  }

  /** The failure that a run of this binary would end with anyway, for 5 s after it was seen. */
  failure(binary: string, nowMs: number): Failure | undefined {
    const known = this.#failures.get(binary)
    if (known === undefined || nowMs < known.untilMs) return known?.failure
    this.#failures.delete(binary)
    return undefined
  }

  doesNotReadStdin(profile: LaunchProfile): void {
    this.#argvOnly.add(`${profile.binary}\n${profile.cliVersion}`)
  }

  promptVia(binary: string, version: string): 'stdin' | 'argv' {
    return this.#argvOnly.has(`${binary}\n${version}`) ? 'argv' : 'stdin'
  }

  /** Why a run need not even be started. */
  refusal(job: Job, nowMs: number): Failure | undefined {
    return this.failure(job.profile.binary, nowMs) ?? tooLongForArgv(job)
  }

  /** The job as this binary can take it. */
  suited(job: Job): Job {
    const { binary, cliVersion, promptVia } = job.profile
    const via = this.promptVia(binary, cliVersion)
    return via === promptVia || promptVia === 'argv' ? job : viaArgv(job)
  }
}

export function viaArgv(job: Job): Job {
  return { ...job, profile: { ...job.profile, promptVia: 'argv' } }
}

/** The failure of a prompt that this CLI would only take as an argument and that is too long for one. */
export function tooLongForArgv(job: Job): Failure | undefined {
  if (job.profile.promptVia === 'stdin') return undefined
  const bytes = Buffer.byteLength(job.prompt.text)
  if (bytes <= ARGV_PROMPT_BYTES) return undefined
  const version =
    job.profile.cliVersion === '' ? 'This version' : `Version ${job.profile.cliVersion}`
  const message =
    `${version} of the CLI does not read prompts from standard input, and a prompt of ${Math.ceil(bytes / 1024)} KiB ` +
    `is too long for its command line (${ARGV_PROMPT_BYTES / 1024} KiB at most). Update Cursor's CLI or shorten the conversation.`
  return { type: 'failure', code: 'agent-failed', message }
}
