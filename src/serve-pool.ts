// The pool and the answerer with their settings, taken from the configuration.
import { randomUUID } from 'node:crypto'
import { homedir, tmpdir } from 'node:os'
import type { WorkerSettings } from './backends/backend.ts'
import { restartLimit } from './config/schema.ts'
import type { Answerer } from './core/answer.ts'
import { runId } from './core/ids.ts'
import type { PoolSnapshot } from './core/run.ts'
import { monotonicMs } from './lib/clock.ts'
import type { Catalogue } from './models/catalogue.ts'
import type { Metrics } from './ops/metrics.ts'
import { type AgentPool, createPool } from './pool/pool.ts'
import { createTokenCounter } from './prompt/tokens.ts'
import type { ServiceInput } from './serve.ts'
import type { Folders } from './serve-folders.ts'
import type { AnswererParts } from './service/answer.ts'
import type { CliWatch } from './service/cli-watch.ts'
import { createModelChooser } from './service/model-choice.ts'
import { createSkillPlanner } from './service/skills.ts'
import { createWorkspaceChooser, readableClientFolder } from './service/workspace.ts'
import type { Conversations } from './sessions/conversations.ts'
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

export function makePool(input: ServiceInput, folders: Folders, metrics: Metrics): AgentPool {
  const { config, logger } = input
  const worker: WorkerSettings = {
    instance: folders.instance,
    scratchRoot: folders.scratchRoot,
    ledgerDir: folders.ledger,
    rulesDir: folders.rules,
    exitGraceMs: config.pool.exit_grace * 1000,
    killGraceMs: config.pool.kill_grace * 1000,
    maxLineBytes: config.limits.line_mb * 1024 * 1024,
    configDir: config.cursor.config_dir,
    env: config.cursor.env,
    creditBytes: config.limits.buffer_kb * 1024,
    hasPs: folders.hasPs,
  }
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

/** Requests that come in before the start is over wait for it. */
export function waitFor(ready: Promise<Answerer>): Answerer {
  return {
    answer: async (turn, facts) => (await ready).answer(turn, facts),
    countTokens: async (turn) => (await ready).countTokens(turn),
  }
}
