// Collects what findings look at, once, and cleans up after them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cliOutput, cliVersion, findCli } from '../process/cli.ts'
import { childEnvironment } from '../process/environment.ts'
import type { CliFacts, Patient } from './finding.ts'

export type PatientInput = Pick<
  Patient,
  'env' | 'loaded' | 'configProblems' | 'prompt' | 'toolWaitS' | 'openTools'
>

/** Source: `status` was seen to take 15 s, `models` needs the network. */
const ASK_MS = 20_000
const VERSION_MS = 10_000

export function createPatient(input: PatientInput): Patient {
  const { env, loaded } = input
  const childEnv = (extra: Readonly<Record<string, string>>) =>
    childEnvironment(env, { ...loaded.config.cursor.env, ...extra }, 'doctor')
  const look = async (): Promise<CliFacts> => {
    const found = findCli(loaded.config.cursor_cli_path, env)
    if ('missing' in found) return found
    const version = await cliVersion(found.path, { timeoutMs: VERSION_MS, env: childEnv({}) })
    return version.ok ? { path: found.path, ...version } : { missing: version.reason }
  }
  let known: Promise<CliFacts> | undefined
  const cli = (): Promise<CliFacts> => {
    known ??= look()
    return known
  }
  return {
    ...input,
    cli,
    async ask(args, extra = {}) {
      const facts = await cli()
      if ('missing' in facts) return { ok: false, reason: facts.missing, stdout: '', stderr: '' }
      return cliOutput(facts.path, args, { timeoutMs: ASK_MS, env: childEnv(extra) })
    },
    async inFolder(use) {
      const folder = await mkdtemp(join(tmpdir(), 'cursor-adapter-doctor-'))
      try {
        return await use(folder)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

/** The line of an output that most likely says what went wrong. */
export function complaint({
  stdout,
  stderr,
}: {
  readonly stdout: string
  readonly stderr: string
}): string {
  return `${stderr}\n${stdout}`.trim().split('\n')[0]?.slice(0, 200) ?? ''
}
