// The pool and the answerer with their settings, taken from the configuration.
import { randomUUID } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import type { WorkerSettings } from './backends/backend.ts'
import type { Config } from './config/schema.ts'
import { restartLimit } from './config/settings.ts'
import type { Answerer } from './core/answer.ts'
import type { ClientTools } from './core/client-tools.ts'
import { runId } from './core/ids.ts'
import type { LaunchProfile } from './core/job.ts'
import type { PoolSnapshot } from './core/run.ts'
import { monotonicMs } from './lib/clock.ts'
import { youngHeapMayGrow } from './lib/heap.ts'
import type { Catalogue } from './models/catalogue.ts'
import type { Metrics } from './ops/metrics.ts'
import { type AgentPool, createPool } from './pool/pool.ts'
import { createTokenCounter } from './prompt/tokens.ts'
import type { ServiceInput } from './serve.ts'
import type { Folders } from './serve-folders.ts'
import {
  type AcpCheck,
  type AcpWatch,
  type BackendChoice,
  type BackendFacts,
  chooseBackend,
} from './service/backend-choice.ts'
import type { CliWatch } from './service/cli-watch.ts'
import { createModelChooser } from './service/model-choice.ts'
import type { AnswererParts } from './service/parts.ts'
import { createSkillPlanner } from './service/skills.ts'
import { createWorkspaceChooser, readableClientFolder } from './service/workspace.ts'
import type { Conversations } from './sessions/conversations.ts'
import type { CliRecord } from './workspace/cli-record.ts'
import { removeScratch } from './workspace/scratch.ts'

/** Undelivered replies in memory. Source: design, Memory. */
const REPLY_STORE = { maxBytes: 8 * 1024 * 1024, maxReplies: 200 }
const WORKER_FILE = new URL('../workers/agent.js', import.meta.url)

export const NOTHING_YET: PoolSnapshot = {
  active: 0,
  waiting: 0,
  parked: 0,
  children: { starting: 0, warm: 0, busy: 0, parked: 0, idle: 0, closing: 0 },
  warmingOff: {},
  longestWaitMs: 0,
}

/** What agents are run with, in worker threads and in the self-test. */
export function workerSettings({ config }: ServiceInput, folders: Folders): WorkerSettings {
  return {
    instance: folders.instance,
    scratchRoot: folders.scratchRoot,
    ledgerDir: folders.ledger,
    rulesDir: folders.rules,
    exitGraceMs: config.pool.exit_grace * 1000,
    killGraceMs: config.pool.kill_grace * 1000,
    nice: config.pool.nice,
    maxLineBytes: config.limits.line_mb * 1024 * 1024,
    configDir: config.cursor.config_dir,
    env: config.cursor.env,
    creditBytes: config.limits.buffer_kb * 1024,
    recycleAfter: config.pool.recycle_after,
    hasPs: folders.hasPs,
  }
}

export function makePool(
  input: ServiceInput,
  folders: Folders,
  { metrics, clientTools }: { metrics: Metrics; clientTools: ClientTools },
): AgentPool {
  const { config, logger } = input
  const worker = workerSettings(input, folders)
  const { count, perS } = restartLimit(config.pool.restarts)
  return createPool({
    workerFile: WORKER_FILE,
    worker,
    concurrency: config.concurrency,
    maxParked: config.bridge.max_parked,
    maxWaiting: config.max_waiting,
    warm: config.pool.warm,
    warmIdleMs: config.pool.warm_idle * 1000,
    restarts: { count, withinMs: perS * 1000 },
    removeFolder: (root) => removeScratch({ root }),
    clientTools,
    onLoad: youngHeapMayGrow,
    telemetry: metrics.telemetry,
    logger,
  })
}

export interface AnswererInput {
  readonly input: ServiceInput
  readonly folders: Folders
  readonly pool: AgentPool
  readonly watch: CliWatch
  readonly catalogue: Catalogue
  readonly metrics: Metrics
  readonly conversations: Conversations
  readonly acp: AcpWatch
  readonly record: CliRecord
  /** Mode bridge: whose calls the answerer hears. */
  readonly clientTools: ClientTools
  /** What a profile's offer names. */
  readonly toolsEndpoint: string
  /** Mode bridge: a run of this profile never contacted the endpoint. */
  readonly onNotContacted: (profile: LaunchProfile) => void
}

export function answererParts(from: AnswererInput): AnswererParts {
  const { input, folders, pool, watch, catalogue, metrics } = from
  const { config, logger } = input
  const counter = createTokenCounter({ yieldAfterMs: 2 })
  const workspaceRules = {
    roots: config.workspace.roots,
    home: homedir(),
    tmp: tmpdir(),
    scratchRoot: folders.scratchRoot,
    ownHome: input.home,
  }
  return {
    pool,
    bridge: {
      tools: from.clientTools,
      endpoint: () => from.toolsEndpoint,
      groupMs: config.bridge.group_ms,
      parkedTimeoutMs: config.bridge.parked_timeout * 1000,
      scratchRoots: scratchNames(folders.scratchRoot),
      onNotContacted: from.onNotContacted,
    },
    settings: {
      mode: config.mode,
      permissions: config.cursor.permissions,
      sandbox: config.cursor.sandbox,
      approveMcps: config.cursor.approve_mcps,
      usage: config.usage,
      limits: {
        timeoutMs: config.timeout * 1000,
        stallMs: config.stall_timeout * 1000,
        queueMs: config.queue_timeout * 1000,
      },
      graceMs: config.retries.grace * 1000,
      join: config.retries.join,
      store: { ...REPLY_STORE, windowMs: config.retries.window * 1000 },
    },
    async cli() {
      await watch.current()
      const { binary, version } = watch.require()
      return { binary, version, promptVia: pool.promptViaFor(binary, version) }
    },
    chooseModel: createModelChooser({
      catalogue,
      settings: {
        aliases: config.models.aliases,
        familyAliases: config.models.family_aliases,
        defaultModel: config.default_model,
      },
      logger,
      now: monotonicMs,
    }),
    workspace: createWorkspaceChooser({
      standard: config.workspace.default,
      rules: workspaceRules,
      logger,
    }),
    skills: createSkillPlanner({
      via: config.skills.via,
      dirs: config.skills.dirs,
      home: homedir(),
      clientFolder: (turn) => readableClientFolder(turn, workspaceRules),
    }),
    countTokens: (turn) => counter.countTurn(turn),
    conversations: from.conversations,
    backend({ cli, inWorkspace, before }) {
      // Another version of the CLI since the start: it is tested while this turn takes print.
      if (config.backend === 'auto') void from.acp.check(cli)
      return backendOf(config.backend, { inWorkspace, before, acp: from.acp.state() }).name
    },
    // A session is open in its process; a chat on disk is only resumed where that was seen to work.
    canGoOn: ({ backend, cliVersion }) =>
      backend === 'acp' || (backend === 'print' && from.record.resume(cliVersion) === 'proven'),
    onBrokenResume({ backend, cliVersion }) {
      if (backend !== 'print') return
      logger.warn('a resumed chat had lost what was said before: no more --resume', { cliVersion })
      void from.record.setResume(cliVersion, 'broken')
    },
    forget: (kept) => {
      void pool.forget?.(kept)
    },
    newRunId: () => runId(randomUUID()),
    onFailure(code) {
      // Cursor's own refusal knows better than our list; a missing CLI may be back in a moment.
      if (code === 'model-not-found') void catalogue.refresh().catch(() => undefined)
      if (code === 'cli-missing' || code === 'agent-failed') watch.doubt()
      // It may only have moved: the next request uses it where it is now.
      if (code === 'cli-missing') void watch.check()
    },
    telemetry: metrics.telemetry,
    logger,
  }
}

/** As configured, and as it really is (`/tmp` may be a link). */
function scratchNames(root: string): readonly string[] {
  try {
    return [...new Set([root, realpathSync(root)])]
  } catch {
    // Not made yet: then nothing in it has been named either.
    return [root]
  }
}

/** What a new conversation gets, and why. */
export function backendDetails(setting: Config['backend'], acp: AcpCheck): object {
  const choice = (inWorkspace: boolean): BackendChoice =>
    backendOf(setting, { inWorkspace, acp, before: undefined })
  return { setting, scratch: choice(false), workspace: choice(true), acp_self_test: acp }
}

/** @throws for a backend that the configuration refuses. */
export function backendOf(
  setting: Config['backend'],
  facts: Omit<BackendFacts, 'setting'>,
): BackendChoice {
  if (setting === 'sdk') throw new Error('the configuration does not allow the backend sdk')
  return chooseBackend({ setting, ...facts })
}

/** Requests that come in before the start is over wait for it. */
export function waitFor(ready: Promise<Answerer>): Answerer {
  return {
    answer: async (turn, facts) => (await ready).answer(turn, facts),
    countTokens: async (turn) => (await ready).countTokens(turn),
  }
}
