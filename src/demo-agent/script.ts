// Script files: loading, checking every step, and choosing the run for a prompt. Format: docs/demo-agent.md.
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { arrayAt, isObject, type JsonObject, parseJson, stringAt } from '../lib/json.ts'
import { misuse } from './refusal.ts'

export type Step = JsonObject

export interface Script {
  /** Paths in `play` and `once` are relative to this folder. */
  readonly folder: string
  readonly startup: readonly Step[]
  /** The steps for this prompt. @throws Refused when no run fits. */
  choose(prompt: string): readonly Step[]
  /** Steps before the answer to a method of ACP mode. */
  before(method: string): readonly Step[]
}

/** @throws Refused (exit 64) naming the file and the step it cannot play. */
export function loadScript(path: string, isEffect: (name: string) => boolean): Script {
  const file = resolve(path)
  const folder = dirname(file)
  // A recorded stream is one step: the file, line by line, as it stands.
  if (/\.(?:jsonl|ndjson)$/u.test(file)) {
    if (!existsSync(file)) throw misuse(`no script ${file}`)
    const steps = [{ play: file }]
    return { folder, startup: [], choose: () => steps, before: () => [] }
  }
  const parsed = parseJson(readText(file))
  if (!isObject(parsed)) throw misuse(`${file} is not a JSON object`)
  const check = (steps: unknown): readonly Step[] => checkSteps(steps, file, isEffect)
  const startup = check(parsed.startup ?? [])
  const runs = (arrayAt(parsed, 'runs') ?? []).map((run) => {
    if (!isObject(run)) throw misuse(`${file}: a run is not an object`)
    const match = stringAt(run, 'match')
    return {
      fits: match === undefined ? undefined : new RegExp(match),
      once: stringAt(run, 'once'),
      steps: check(run.steps ?? []),
    }
  })
  const acp = isObject(parsed.acp) ? parsed.acp : {}
  const before = new Map(Object.entries(acp).map(([method, steps]) => [method, check(steps)]))
  return {
    folder,
    startup,
    before: (method) => before.get(method) ?? [],
    choose: (prompt) => {
      const run = runs.find(
        ({ fits, once }) =>
          (fits?.test(prompt) ?? true) && (once === undefined || claimOnce(resolve(folder, once))),
      )
      if (run === undefined) throw misuse(`${file}: no run fits the prompt`)
      return run.steps
    },
  }
}

/** True for the first process that asks, whoever else asks at the same time. */
export function claimOnce(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx'))
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function checkSteps(
  steps: unknown,
  file: string,
  isEffect: (name: string) => boolean,
): readonly Step[] {
  if (!Array.isArray(steps)) throw misuse(`${file}: steps is not a list`)
  return steps.map((step: unknown) => {
    if (!isObject(step) || !Object.keys(step).some(isEffect)) {
      throw misuse(`${file}: unknown step ${JSON.stringify(step)}`)
    }
    if (step.steps !== undefined) checkSteps(step.steps, file, isEffect)
    return step
  })
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw misuse(`script ${file}: ${error instanceof Error ? error.message : String(error)}`)
  }
}
