// One turn in mode bridge, as the service runs it, with a harmless tool of ours whose answer is held back.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { selfTest } from '../backends/acp/self-test.ts'
import { type Agent, LaunchFailure, type WorkerSettings } from '../backends/backend.ts'
import { backendFor } from '../backends/choose.ts'
import type { Failure } from '../core/events.ts'
import { runId } from '../core/ids.ts'
import type { BackendName, Job, LaunchProfile } from '../core/job.ts'
import type { ToolDefinition } from '../core/turn.ts'
import { hasPs } from '../process/descendants.ts'
import type { CliFacts, Patient } from './finding.ts'
import { CallWatch, type Outcome } from './held-call.ts'
import { END } from './print-process.ts'

const TOOL: ToolDefinition = {
  name: 'word_of_the_day',
  description: 'Says the word of the day. Takes a while, changes nothing.',
  parameters: { type: 'object', properties: {} },
}
const PROMPT = `Call the tool "${TOOL.name}" of the MCP server "client" once, without arguments, and wait for its answer, however long it takes. Then reply with the word it says and nothing else.`
/** From the prompt to the call, and from its answer to the end. */
const ANSWER_MS = 90_000

export interface HeldTurn extends Outcome {
  readonly backend: BackendName
  readonly failure: Failure | undefined
}

type Cli = Exclude<CliFacts, { readonly missing: string }>

/** Sends one prompt. The tool is answered `holdMs` after its call came. */
export async function heldTurn(patient: Patient, cli: Cli, holdMs: number): Promise<HeldTurn> {
  return patient.inFolder(async (folder) => {
    const settings = await settingsIn(folder, patient)
    const backend = await backendOf(patient, cli, settings)
    const place = await patient.openTools()
    try {
      const watch = new CallWatch(place.tools, holdMs)
      const job = jobOf(patient, { backend, cli, endpoint: place.endpoint })
      return { backend, ...(await play(job, settings, watch)) }
    } finally {
      await place.close()
    }
  })
}

async function settingsIn(folder: string, { loaded }: Patient): Promise<WorkerSettings> {
  const { cursor, limits } = loaded.config
  return {
    instance: randomBytes(6).toString('hex'),
    scratchRoot: folder,
    ledgerDir: join(folder, 'ledger'),
    exitGraceMs: END.exitGraceMs,
    killGraceMs: END.killGraceMs,
    maxLineBytes: limits.line_mb * 1024 * 1024,
    configDir: cursor.config_dir,
    env: cursor.env,
    creditBytes: limits.buffer_kb * 1024,
    hasPs: await hasPs(),
  }
}

/** The one that the service would take in a scratch folder. */
async function backendOf(
  { loaded }: Patient,
  { path }: Cli,
  settings: WorkerSettings,
): Promise<BackendName> {
  const { backend } = loaded.config
  if (backend !== 'auto') return backend
  return (await selfTest(path, settings)).ok ? 'acp' : 'print'
}

function jobOf(
  { loaded }: Patient,
  of: { readonly backend: BackendName; readonly cli: Cli; readonly endpoint: string },
): Job {
  const { cursor, default_model } = loaded.config
  const profile: LaunchProfile = {
    backend: of.backend,
    binary: of.cli.path,
    cliVersion: of.cli.version,
    folder: { class: 'scratch' },
    model: default_model,
    mode: 'bridge',
    permissions: cursor.permissions,
    sandbox: cursor.sandbox,
    approveMcps: cursor.approve_mcps,
    promptVia: 'stdin',
    digest: 'doctor',
    offer: { endpoint: of.endpoint, tools: [TOOL] },
  }
  // The pool's clocks, and there is no pool: `play` has its own.
  const limits = { timeoutMs: 0, stallMs: 0, queueMs: 0 }
  return { runId: runId('doctor'), profile, prompt: { text: PROMPT, images: [] }, limits }
}

async function play(
  job: Job,
  settings: WorkerSettings,
  watch: CallWatch,
): Promise<Omit<HeldTurn, 'backend'>> {
  const agent = await launch(job, settings, watch)
  if ('type' in agent) return { failure: agent, ...(await watch.end()) }
  const stop = (): void => void agent.close('timeout')
  let timer = setTimeout(stop, ANSWER_MS)
  watch.onCall = () => {
    clearTimeout(timer)
    timer = setTimeout(stop, watch.holdMs + ANSWER_MS)
  }
  let failure: Failure | undefined
  try {
    for await (const { events } of agent.run(job, () => undefined)) {
      for (const event of events) {
        watch.heard(event)
        if (event.type === 'failure') failure = event
      }
    }
    return { failure, ...(await watch.end()) }
  } finally {
    clearTimeout(timer)
    await agent.close('done')
  }
}

async function launch(
  { profile }: Job,
  settings: WorkerSettings,
  { hooks }: CallWatch,
): Promise<Agent | Failure> {
  try {
    return await backendFor(profile).launch(profile, settings, hooks)
  } catch (error) {
    if (error instanceof LaunchFailure) return error.event
    throw error
  }
}
