// A place to launch agents in: scripted stand-in, journal, folders of its own; everything is ended and removed at the end.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Agent, Backend, ToolHooks, WorkerSettings } from '../../src/backends/backend.ts'
import { type AgentEvent, type Batch, isTerminal, type Terminal } from '../../src/core/events.ts'
import { runId } from '../../src/core/ids.ts'
import type { Job, LaunchProfile, PromptImage } from '../../src/core/job.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../src/lib/json.ts'

export const DEMO_AGENT = fileURLToPath(
  new URL('../../dist/src/demo-agent/main.js', import.meta.url),
)

export type Step = Readonly<Record<string, unknown>>

export interface LabOptions {
  readonly steps?: readonly Step[]
  /** Steps before the prompt is read. */
  readonly startup?: readonly Step[]
  readonly profile?: Partial<LaunchProfile>
  readonly settings?: Partial<WorkerSettings>
  readonly env?: Readonly<Record<string, string>>
  /** Mode bridge: who is told of sessions. */
  readonly tools?: ToolHooks
  /** The rest of the script: runs by prompt, steps before the answers of ACP methods. */
  readonly script?: Readonly<Record<string, unknown>>
}

export interface Ran {
  readonly events: readonly AgentEvent[]
  readonly batches: readonly Batch[]
  readonly text: string
  readonly terminal: Terminal | undefined
}

export class Lab {
  readonly folder = mkdtempSync(join(tmpdir(), 'agent-lab-'))
  readonly scratchRoot = join(this.folder, 'scratch')
  readonly kills: string[] = []
  readonly #backend: Backend
  readonly #backendName: LaunchProfile['backend']
  readonly #agents: Agent[] = []

  constructor(backend: Backend, backendName: LaunchProfile['backend']) {
    this.#backend = backend
    this.#backendName = backendName
    mkdirSync(this.scratchRoot, { mode: 0o700 })
  }

  profile(change: Partial<LaunchProfile> = {}): LaunchProfile {
    return {
      backend: this.#backendName,
      binary: DEMO_AGENT,
      cliVersion: '',
      folder: { class: 'scratch' },
      model: 'auto',
      mode: 'agent',
      permissions: 'workspace',
      sandbox: 'default',
      approveMcps: false,
      promptVia: 'stdin',
      digest: '',
      ...change,
    }
  }

  /** Writes the script and says how a worker would be set. */
  settings(options: LabOptions): WorkerSettings {
    const { steps = [], startup = [] } = options
    const script = join(this.folder, 'script.json')
    writeFileSync(script, JSON.stringify({ startup, runs: [{ steps }], ...options.script }))
    return {
      instance: 'a1b2c3d4e5f6',
      scratchRoot: this.scratchRoot,
      ledgerDir: join(this.folder, 'ledger'),
      exitGraceMs: 1_000,
      killGraceMs: 300,
      maxLineBytes: 64 << 20,
      configDir: 'private',
      creditBytes: 1 << 18,
      hasPs: true,
      ...options.settings,
      env: {
        CURSOR_ADAPTER_DEMO_SCRIPT: script,
        CURSOR_ADAPTER_DEMO_JOURNAL: this.#journalFile,
        ...options.env,
      },
    }
  }

  async launch(options: LabOptions = {}): Promise<Agent> {
    const settings = this.settings(options)
    const onKilled = (signal: string): void => {
      this.kills.push(signal)
    }
    const profile = this.profile(options.profile)
    const { tools } = options
    const hooks = tools === undefined ? { onKilled } : { onKilled, tools }
    const agent = await this.#backend.launch(profile, settings, hooks)
    this.#agents.push(agent)
    return agent
  }

  job(text: string, images: readonly PromptImage[] = [], change: Partial<Job> = {}): Job {
    const limits = { timeoutMs: 60_000, stallMs: 60_000, queueMs: 60_000 }
    const prompt = { text, images }
    return { runId: runId('r1'), profile: this.profile(), prompt, limits, ...change }
  }

  /** Runs to the end of the iterator; `onBatch` sees each batch as it comes. */
  async run(
    agent: Agent,
    job: Job = this.job('hello'),
    onBatch: (batch: Batch) => void = () => undefined,
  ): Promise<Ran> {
    const batches: Batch[] = []
    for await (const batch of agent.run(job, () => undefined)) {
      batches.push(batch)
      onBatch(batch)
    }
    const events = batches.flatMap((batch) => batch.events)
    const terminals = events.filter(isTerminal)
    if (terminals.length !== 1 || terminals[0] !== events.at(-1)) {
      throw new Error(`not exactly one terminal event at the end: ${JSON.stringify(events)}`)
    }
    const text = events.map((event) => (event.type === 'text-delta' ? event.text : '')).join('')
    return { events, batches, text, terminal: terminals[0] }
  }

  get #journalFile(): string {
    return join(this.folder, 'journal')
  }

  /** Facts the stand-in wrote down, of one kind. */
  journal(event: string): JsonObject[] {
    let text: string
    try {
      text = readFileSync(this.#journalFile, 'utf8')
    } catch (error) {
      // Nothing was written yet.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
    const facts = text.split('\n').map(parseJson)
    return facts.filter(isObject).filter((fact) => stringAt(fact, 'event') === event)
  }

  /** Scratch folders that are still there. */
  leftovers(): string[] {
    return readdirSync(this.scratchRoot)
  }

  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close('shutdown')))
    rmSync(this.folder, { recursive: true, force: true })
  }
}
