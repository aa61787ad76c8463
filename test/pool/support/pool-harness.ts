// A pool on worker threads with shell agents (shell-worker.ts), in folders of its own, and the check that nothing is left.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, vi } from 'vitest'
import type { WorkerSettings } from '../../../src/backends/backend.ts'
import type { AgentEvent } from '../../../src/core/events.ts'
import { runId } from '../../../src/core/ids.ts'
import type { Job, JobLimits, LaunchProfile } from '../../../src/core/job.ts'
import type { Run } from '../../../src/core/run.ts'
import {
  type ExitCause,
  type Logger,
  silentTelemetry,
  type Telemetry,
} from '../../../src/core/telemetry.ts'
import { type AgentPool, createPool, type PoolOptions } from '../../../src/pool/pool.ts'
import { isAlive, until } from '../../support/until.ts'

const DIST = new URL('../../../dist/', import.meta.url)
export const SHELL_WORKER = new URL('test/pool/support/shell-worker.js', DIST)
export const REAL_WORKER = new URL('workers/agent.js', DIST)

/** Everything the pool told its telemetry and its log. */
export interface Told {
  readonly exits: ExitCause[]
  readonly signals: string[]
  readonly warm: ('hit' | 'miss')[]
  readonly launches: number[]
  readonly log: string[]
}

export interface Harness {
  readonly pool: AgentPool
  readonly told: Told
  /** Scratch root and ledger live below it. */
  readonly folder: string
  readonly settings: WorkerSettings
  /** Live process groups according to the ledger. */
  readonly pids: () => number[]
}

export interface HarnessOptions extends Partial<Omit<PoolOptions, 'worker'>> {
  readonly worker?: Partial<WorkerSettings>
  /** Start with threads that are still loading and no history of runs. */
  readonly fresh?: boolean
}

// Threads and shells start slowly on a machine that is busy with other tests.
vi.setConfig({ testTimeout: 60_000 })

/** Runs `test` with a fresh pool; then closes it and checks that no process, folder, descriptor or count is left. */
export async function withPool(
  options: HarnessOptions,
  test: (harness: Harness) => Promise<void>,
): Promise<void> {
  const harness = await openPool(options)
  try {
    await test(harness)
  } finally {
    await harness.close()
  }
}

/** A pool for several tests; `close` ends it and checks that nothing is left. */
export async function openPool(
  options: HarnessOptions,
): Promise<Harness & { readonly close: () => Promise<void> }> {
  const before = descriptors()
  const harness = makePool(options)
  const seen = new Set<number>()
  const watch = setInterval(() => {
    for (const pid of harness.pids()) seen.add(pid)
  }, 10)
  const close = async (): Promise<void> => {
    await harness.pool.close(0)
    clearInterval(watch)
    checkNothingLeft(harness, seen)
    await descriptorsBack(before)
  }
  try {
    if (options.fresh !== true) await threadsUp(harness, options.concurrency ?? 2)
  } catch (error) {
    await close()
    throw error
  }
  return { ...harness, close }
}

function checkNothingLeft({ pool, folder, pids }: Harness, seen: ReadonlySet<number>): void {
  const left = { pids: pids(), scratch: readdirSync(join(folder, 'scratch')) }
  rmSync(folder, { recursive: true, force: true })
  expect(left).toEqual({ pids: [], scratch: [] })
  expect(pool.snapshot()).toMatchObject({ active: 0, waiting: 0, parked: 0, children: NONE })
  expect([...seen].filter((pid) => isAlive(pid) && !isZombie(pid))).toEqual([])
}

/** A shell that prints this has given its whole answer and lives on. */
export const END_MARK = '__end_of_script__'

export const NONE = { starting: 0, warm: 0, busy: 0, parked: 0, idle: 0, closing: 0 }

/** Deadlines of a run count from its slot; the tests' short ones must not be spent on starting the threads. */
async function threadsUp({ pool, told }: Harness, threads: number): Promise<void> {
  const runs = Array.from({ length: threads }, () => pool.submit(job('sleep 0.01', FIRST)))
  await Promise.all(runs.map((run) => run.settled))
  for (const list of [told.exits, told.signals, told.warm, told.launches]) list.length = 0
}

function makePool(options: HarnessOptions): Harness {
  const folder = mkdtempSync(join(tmpdir(), 'pool-test-'))
  mkdirSync(join(folder, 'scratch'), { mode: 0o700 })
  const instance = Math.random().toString(36).slice(2, 14).padEnd(12, '0')
  const settings: WorkerSettings = {
    instance,
    scratchRoot: join(folder, 'scratch'),
    ledgerDir: join(folder, 'ledger'),
    exitGraceMs: 500,
    killGraceMs: 200,
    maxLineBytes: 1 << 20,
    configDir: 'private',
    env: {},
    creditBytes: 256 * 1024,
    hasPs: true,
    ...options.worker,
  }
  const told: Told = { exits: [], signals: [], warm: [], launches: [], log: [] }
  const pool = createPool({
    workerFile: SHELL_WORKER,
    concurrency: 2,
    maxParked: 0,
    maxWaiting: 20,
    warm: 0,
    warmIdleMs: 60_000,
    restarts: { count: 5, withinMs: 60_000 },
    telemetry: listening(told),
    logger: logging(told),
    ...options,
    worker: settings,
  })
  const pids = (): number[] => ledgerPids(join(settings.ledgerDir, instance))
  return { pool, told, folder, settings, pids }
}

function listening(told: Told): Telemetry {
  return {
    ...silentTelemetry,
    childExited: (cause) => told.exits.push(cause),
    killed: (signal) => told.signals.push(signal),
    warmStart: (result) => told.warm.push(result),
    launched: (_backend, seconds) => told.launches.push(seconds),
  }
}

function logging(told: Told): Logger {
  const note = (message: string): void => {
    told.log.push(message)
  }
  return { debug: note, info: note, warn: note, error: note }
}

function ledgerPids(folder: string): number[] {
  try {
    return readdirSync(folder)
      .flatMap((name) => /^(\d+)\.json$/.exec(name)?.[1] ?? [])
      .map(Number)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}

function isZombie(pid: number): boolean {
  try {
    return / Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error) return false
    throw error
  }
}

/** What this process has open, as text; nothing where that cannot be seen. */
function descriptors(): string[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return `${name} ${readlinkSync(`/proc/self/fd/${name}`)}`
    } catch (error) {
      // The descriptor by which the folder was read.
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
      throw error
    }
  })
}

async function descriptorsBack(before: readonly string[]): Promise<void> {
  const added = (): string[] => descriptors().filter((text) => !before.includes(text))
  try {
    await until(
      'descriptors back to what they were',
      3_000,
      () => descriptors().length <= before.length,
    )
  } catch (error) {
    throw new Error(`left open: ${added().join(', ')}`, { cause: error })
  }
}

let made = 0
/** A profile and a binary of its own, so that a test's warm pool knows nothing of it. */
const FIRST = { profile: { binary: '/bin/first-sh', promptVia: 'argv' } } as const

export const PROFILE: LaunchProfile = {
  backend: 'print',
  binary: '/bin/sh',
  cliVersion: '1',
  folder: { class: 'scratch' },
  model: 'auto',
  mode: 'agent',
  permissions: 'workspace',
  sandbox: 'default',
  approveMcps: false,
  promptVia: 'stdin',
  digest: '',
}

/** A job whose prompt is a shell script. */
export function job(
  script: string,
  changes: { profile?: Partial<LaunchProfile>; limits?: Partial<JobLimits> } = {},
): Job {
  made += 1
  return {
    runId: runId(`run-${made}`),
    profile: { ...PROFILE, ...changes.profile },
    prompt: { text: script, images: [] },
    limits: { timeoutMs: 50_000, stallMs: 50_000, queueMs: 50_000, ...changes.limits },
  }
}

/** All events of a run, read as fast as they come. */
export async function readAll(run: Run): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for (let batch = await run.next(); batch !== undefined; batch = await run.next()) {
    events.push(...batch.events)
  }
  return events
}

/** Text and end of a run in short: `['one', 'two', 'finish']`, `['failure run-timeout']`. */
export async function outline(run: Run): Promise<string[]> {
  return (await readAll(run)).map(inShort)
}

function inShort(event: AgentEvent): string {
  if (event.type === 'text-delta') return event.text
  return event.type === 'failure' ? `failure ${event.code}` : event.type
}
