// What the demo agent's journal says about the agents of a service.
import { isObject, type JsonObject, numberAt, stringAt } from '../../src/lib/json.ts'
import { within } from './pace.ts'
import type { Service } from './service.ts'
import { isAlive, until } from './until.ts'

export interface AgentFacts {
  readonly pid: number
  readonly argv: readonly string[]
  /** Where the prompt's work is done: over ACP the session's folder, not the process's. */
  readonly cwd: string
  /** Over ACP as it was set for the prompt (`default` = Auto); undefined for a process without a prompt. */
  readonly model: string | undefined
  /** Values of CURSOR_* variables, null for all others. */
  readonly env: JsonObject
}

/** Every process that was started to run prompts (not `--version`, not the model list), in order. */
export function agents(service: Service): AgentFacts[] {
  return service.journal().flatMap((fact) => {
    const argv = Array.isArray(fact.argv) ? fact.argv.map(String) : []
    if (fact.event !== 'start' || !(argv.includes('-p') || argv.at(-1) === 'acp')) return []
    const env = isObject(fact.env) ? fact.env : {}
    const pid = numberAt(fact, 'pid') ?? 0
    const model = argv[argv.indexOf('--model') + 1]
    return [{ pid, argv, cwd: stringAt(fact, 'cwd') ?? '', model, env }]
  })
}

/** The agents whose prompt contains a text, in the order in which they got it. */
export function agentsOf(service: Service, text: string): AgentFacts[] {
  const known = agents(service)
  return service.journal().flatMap((fact) => {
    const isIt = fact.event === 'prompt' && stringAt(fact, 'prompt')?.includes(text) === true
    if (!isIt) return []
    const cwd = stringAt(fact, 'cwd')
    const session = cwd === undefined ? {} : { cwd, model: stringAt(fact, 'model') }
    return known.filter(({ pid }) => pid === fact.pid).map((agent) => ({ ...agent, ...session }))
  })
}

/** The one agent whose prompt contains a text. @throws when there is none, or more than one. */
export function agentOf(service: Service, text: string): AgentFacts {
  const [agent, ...more] = agentsOf(service, text)
  if (agent === undefined || more.length > 0) {
    throw new Error(`${more.length === 0 ? 'no agent' : 'several agents'} for ${text.slice(0, 80)}`)
  }
  return agent
}

/** Waits until an agent has got the prompt with this text. Reading the journal costs too much for every few ms. */
export async function prompted(service: Service, text: string): Promise<AgentFacts> {
  let lookedAtMs = 0
  await until(`the prompt ${text.slice(0, 40)}`, within(10_000), () => {
    if (performance.now() - lookedAtMs < 40) return false
    lookedAtMs = performance.now()
    return agentsOf(service, text).length > 0
  })
  return agentOf(service, text)
}

/** An agent and all its helper processes. */
export function familyOf(service: Service, pid: number): number[] {
  const helpers = service.journal().filter((fact) => fact.event === 'grandchild' && fact.of === pid)
  return [pid, ...helpers.map((fact) => numberAt(fact, 'pid') ?? 0)]
}

/** `quietMs`: on a quiet machine. */
export async function allGone(label: string, quietMs: number, pids: readonly number[]) {
  await until(`${label} to be gone`, within(quietMs), () => !pids.some(isAlive))
}

/** The value after a flag; undefined when the flag is not there. */
export function flagOf(agent: AgentFacts, flag: string): string | undefined {
  const at = agent.argv.indexOf(flag)
  return at === -1 ? undefined : agent.argv[at + 1]
}
