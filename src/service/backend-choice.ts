// Which backend a turn runs on, and why. The self-test of ACP mode is run once per CLI and version.
import { assertNever } from '../core/events.ts'
import type { BackendName } from '../core/job.ts'
import type { Logger } from '../core/telemetry.ts'

export type AcpCheck =
  | { readonly at: 'unknown' | 'testing' }
  | { readonly at: 'passed'; readonly ms: number }
  | { readonly at: 'failed'; readonly reason: string }

export interface BackendFacts {
  readonly setting: 'auto' | 'print' | 'acp'
  /** Whether the turn works in somebody's folder. */
  readonly inWorkspace: boolean
  readonly acp: AcpCheck
  /** The backend that holds this conversation's session. */
  readonly before: BackendName | undefined
}

export interface BackendChoice {
  readonly name: 'print' | 'acp'
  readonly reason: string
}

/**
 * Print in a real workspace, because it shows all that tools do; ACP in a scratch folder, because it is faster, once its
 * self-test has passed. A conversation stays where it is. Pure.
 */
export function chooseBackend({ setting, inWorkspace, acp, before }: BackendFacts): BackendChoice {
  if (setting !== 'auto') return { name: setting, reason: `setting backend is ${setting}` }
  if (before === 'print' || before === 'acp') {
    return { name: before, reason: 'the conversation began with it' }
  }
  if (inWorkspace) return { name: 'print', reason: 'a real workspace: full tool arguments' }
  switch (acp.at) {
    case 'passed':
      return { name: 'acp', reason: `self-test passed in ${Math.round(acp.ms)} ms` }
    case 'failed':
      return { name: 'print', reason: `self-test of ACP mode failed: ${acp.reason}` }
    case 'testing':
      return { name: 'print', reason: 'self-test of ACP mode has not ended yet' }
    case 'unknown':
      return { name: 'print', reason: 'ACP mode of this CLI has not been tested' }
    default:
      return assertNever(acp)
  }
}

export interface Cli {
  readonly binary: string
  readonly version: string
}

export interface AcpWatch {
  state(): AcpCheck
  /** Tests this CLI unless that was done or is under way. Never rejects. */
  check(cli: Cli): Promise<AcpCheck>
}

type TestResult =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly reason: string }

export function createAcpWatch(
  test: (binary: string) => Promise<TestResult>,
  logger: Logger,
): AcpWatch {
  let state: AcpCheck = { at: 'unknown' }
  let tested = ''
  let testing: Promise<AcpCheck> = Promise.resolve(state)

  const run = async ({ binary, version }: Cli): Promise<AcpCheck> => {
    let result: AcpCheck
    try {
      const found = await test(binary)
      result = found.ok ? { at: 'passed', ms: found.ms } : { at: 'failed', reason: found.reason }
    } catch (error) {
      result = { at: 'failed', reason: error instanceof Error ? error.message : String(error) }
    }
    logger.info('self-test of ACP mode', { result: result.at, version })
    return result
  }

  return {
    state: () => state,
    check(cli) {
      const name = `${cli.binary}\n${cli.version}`
      if (name === tested) return testing
      tested = name
      state = { at: 'testing' }
      testing = run(cli).then((result) => {
        if (tested === name) state = result
        return result
      })
      return testing
    },
  }
}
