// `doctor`: runs every finding and prints what was found, why it matters and how to mend it.
import { homedir } from 'node:os'
import { defaultConfig, type Loaded, loadConfig } from '../config/load.ts'
import { adapterHome } from '../config/paths.ts'
import { ConfigError } from '../config/problem.ts'
import type { Finding, Patient, Result } from '../doctor/finding.ts'
import { FINDINGS } from '../doctor/findings.ts'
import { createPatient } from '../doctor/patient.ts'
import { type ConfigFlags, type Context, redactionFor } from './context.ts'
import type { ExitName } from './exit-codes.ts'
import { printAssumptions, printResult } from './findings-text.ts'

/** What may cost tokens of the plan. */
export type Wishes = Pick<Patient, 'prompt' | 'toolWaitS'>

/** Never sends a prompt unless asked to. Ends with `unhealthy` when a finding is bad. */
export async function doctor(
  context: Context,
  flags: ConfigFlags,
  wishes: Wishes,
): Promise<ExitName> {
  const { env, console } = context
  const { loaded, configProblems } = configOf(context, flags)
  const openTools = async () => (await import('../serve-tools.ts')).toolsAlone()
  const patient = createPatient({ env, loaded, configProblems, openTools, ...wishes })
  const redact = redactionFor(loaded.config, env)
  const results: Result[] = []
  for (const finding of FINDINGS) {
    const result = await examine(finding, patient)
    results.push(result)
    printResult(console, finding, result, redact)
  }
  printAssumptions(console, Object.assign({}, ...results.map(({ settled }) => settled)))
  const count = (at: Result['at']) => results.filter((result) => result.at === at).length
  console.line(
    `${count('good')} good, ${count('warning')} warnings, ${count('bad')} bad, ${count('skipped')} skipped`,
  )
  return count('bad') > 0 ? 'unhealthy' : 'ok'
}

/** A check that breaks is a finding too: the others still run. */
async function examine(finding: Finding, patient: Patient): Promise<Result> {
  try {
    return await finding.check(patient)
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { at: 'bad', text: `the check itself failed: ${text}`, fix: 'please report this' }
  }
}

function configOf(
  { env }: Context,
  { file, values = {} }: ConfigFlags,
): { loaded: Loaded; configProblems: readonly string[] } {
  try {
    return { loaded: loadConfig({ env, file, flags: values }), configProblems: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const home = adapterHome(env, homedir())
    const loaded = {
      config: defaultConfig(),
      home,
      file: undefined,
      sources: new Map<string, string>(),
    }
    return { loaded, configProblems: error.problems }
  }
}
