// Whether this machine's CLI works in ACP mode: initialise and open a session, no prompt. What `backend: auto` decides by.
import type { LaunchProfile } from '../../core/job.ts'
import { monotonicMs } from '../../lib/clock.ts'
import type { Agent, WorkerSettings } from '../backend.ts'
import { LaunchFailure } from '../backend.ts'
import { acpBackend } from './backend.ts'

export type SelfTest =
  | { readonly ok: true; readonly ms: number }
  | { readonly ok: false; readonly reason: string }

/**
 * `ms` is the time from launch to the open session. Never rejects for what a CLI can do wrong; its child is killed at the
 * first line that is no JSON-RPC, and is gone when this resolves. The deadline's clock starts at the call.
 */
export async function selfTest(
  binary: string,
  settings: WorkerSettings,
  deadlineMs = 10_000,
): Promise<SelfTest> {
  const fromMs = monotonicMs()
  let agent: Agent
  try {
    agent = await acpBackend.launch(profileOf(binary), settings, { onKilled: () => undefined })
  } catch (error) {
    if (error instanceof LaunchFailure) return { ok: false, reason: error.message }
    throw error
  }
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    const reason = `it had no session open after ${Math.round(deadlineMs / 1000)} s`
    timer = setTimeout(() => resolve(reason), deadlineMs - (monotonicMs() - fromMs))
  })
  const ready = agent.ready.then(() => (agent.reusable ? undefined : agent.spoiled))
  const reason = await Promise.race([ready, agent.spoiled, late])
  const ms = monotonicMs() - fromMs
  clearTimeout(timer)
  await agent.close(reason === undefined ? 'done' : 'discarded')
  return reason === undefined ? { ok: true, ms } : { ok: false, reason }
}

const profileOf = (binary: string): LaunchProfile => ({
  backend: 'acp',
  binary,
  cliVersion: '',
  folder: { class: 'scratch' },
  model: 'auto',
  mode: 'agent',
  permissions: 'workspace',
  sandbox: 'default',
  approveMcps: false,
  promptVia: 'stdin',
  digest: '',
})
