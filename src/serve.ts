// Composition root: builds and connects all parts. Decides nothing.
import type { Config } from './config/schema.ts'
import type { Answerer } from './core/answer.ts'
import type { Logger } from './core/telemetry.ts'
import { createApp } from './http/app.ts'
import { listen } from './http/server.ts'
import type { Timing } from './http/services.ts'
import { monotonicMs } from './lib/clock.ts'
import { isObject, mapTexts } from './lib/json.ts'
import { McpEndpoint } from './mcp/endpoint.ts'
import { createCatalogue, type Model } from './models/catalogue.ts'
import { createMetrics } from './ops/metrics.ts'
import type { AgentPool } from './pool/pool.ts'
import { closeLedger } from './process/ledger.ts'
import { messagesProtocol } from './protocols/anthropic/messages.ts'
import { chatProtocol } from './protocols/openai-chat/chat.ts'
import { responsesProtocol } from './protocols/openai-responses/responses.ts'
import { health, listModels, watchCli } from './serve-cli.ts'
import { endRules, prepareFolders, sweep } from './serve-folders.ts'
import {
  answererParts,
  backendDetails,
  makePool,
  NOTHING_YET,
  waitFor,
  workerSettings,
} from './serve-pool.ts'
import { placeTools, toolsRoute } from './serve-tools.ts'
import { createAnswerer } from './service/answer.ts'
import { createAcpWatch } from './service/backend-choice.ts'
import type { CliState } from './service/cli-watch.ts'
import { firstProfile } from './service/first-profile.ts'
import { createKeptReplies, KEPT_REPLIES } from './service/kept-replies.ts'
import { type Conversations, createConversations } from './sessions/conversations.ts'
import { openCliRecord } from './workspace/cli-record.ts'

export interface ServiceInput {
  readonly config: Config
  /** Our own folder (`~/.cursor-adapter`). */
  readonly home: string
  readonly env: NodeJS.ProcessEnv
  readonly logger: Logger
  /** Takes secrets and the home folder out of what `/health/details` says. */
  readonly redact: (text: string) => string
  /** Our own version. */
  readonly version: string
  /** For tests that cannot wait as long as a client: no setting leads here. */
  readonly timing?: Partial<Timing>
}

export interface RunningService {
  readonly url: string
  readonly port: number
  /** The first check of the CLI; requests wait for it. */
  readonly cli: CliState
  /** The model list, from the CLI. Rejects when there is none. */
  models(): Promise<readonly Model[]>
  /** Starts the first spares. Never rejects: what stands in the way is logged. */
  prewarm(): Promise<void>
  details(): Promise<object>
  /** Lets running replies end within `graceMs`, refuses new ones (503), ends every child. A second call with 0 hastens it. */
  close(graceMs: number): Promise<void>
}

/** Longest silence on a reply. Source: Qwen Code ends a request after 120 s without headers (measured). */
const KEEP_ALIVE_MS = 14_500
const SWEEP_EVERY_MS = 3_600_000
/** For replies under way when the grace is over: 503s among them. */
const LAST_WORDS_MS = 1000

/**
 * Binds the port first, then checks the CLI; requests that come in between wait.
 * @throws ListenError when the port cannot be bound; nothing has been started then.
 */
export async function startService(input: ServiceInput): Promise<RunningService> {
  const { config, logger, version } = input
  const folders = await prepareFolders(input)
  const startedAtMs = Date.now()
  let pool: AgentPool | undefined
  let conversations: Conversations | undefined
  let notContacted: object | undefined
  let cli: CliState = { at: 'missing', reason: 'not checked yet' }
  const metrics = createMetrics({
    snapshot: () => pool?.snapshot() ?? NOTHING_YET,
    sessions: () => conversations?.size() ?? 0,
    build: {
      version,
      backend: config.backend,
      get cliVersion() {
        return cli.at === 'available' ? cli.version : ''
      },
    },
  })
  const watch = watchCli(input)
  const catalogue = createCatalogue({
    list: () => listModels(watch, folders, input),
    refreshMs: config.models.refresh * 1000,
    now: monotonicMs,
  })
  const acp = createAcpWatch(async (binary) => {
    // Loaded only where it is wanted.
    const { selfTest } = await import('./backends/acp/self-test.ts')
    return selfTest(binary, workerSettings(input, folders))
  }, logger)
  const record = await openCliRecord(input.home)
  let open: (answerer: Answerer) => void = () => undefined
  const ready = new Promise<Answerer>((resolve) => {
    open = resolve
  })
  const facts = async (): Promise<object> => ({
    version,
    cli: await watch.check(),
    backend: backendDetails(config.backend, acp.state()),
    uptime_s: Math.round((Date.now() - startedAtMs) / 1000),
    models: catalogue.peek()?.length ?? 0,
    pool: pool?.snapshot() ?? NOTHING_YET,
    // Mode bridge: the last run whose agent never asked for the client's tools.
    bridge: { not_contacted: notContacted ?? null },
  })
  const details = async (): Promise<object> => {
    const shown = mapTexts(await facts(), input.redact)
    return isObject(shown) ? shown : {}
  }
  const clientTools = new McpEndpoint()
  const app = createApp({
    ...toolsRoute(clientTools, config.host),
    answerer: waitFor(ready),
    protocols: { chat: chatProtocol, responses: responsesProtocol, messages: messagesProtocol },
    keptReplies: createKeptReplies(KEPT_REPLIES),
    models: async () => (await catalogue.get()).map((model) => ({ ...model, createdS: 0 })),
    health: async () => health(await watch.check()),
    details,
    metrics,
    telemetry: metrics.telemetry,
    logger,
    guard: {
      apiKey: config.api_key ?? undefined,
      allowedHosts: config.allowed_hosts,
      bodyLimitBytes: config.limits.body_mb * 1024 * 1024,
      host: config.host,
    },
    timing: {
      keepAliveMs: KEEP_ALIVE_MS,
      slowReaderMs: config.limits.slow_reader * 1000,
      ...input.timing,
    },
    showTools: config.tools.show === 'on',
    now: Date.now,
  })
  const listening = await listen(app, { host: config.host, port: config.port })
  const { host } = config
  const tools = await placeTools(clientTools, { host, listening, metrics })
  cli = await watch.check()
  const swept = sweep(folders, input, metrics.telemetry)
  const running = makePool(input, folders, { metrics, clientTools })
  pool = running
  conversations = createConversations(
    { max: config.sessions.max, idleMs: config.sessions.idle * 1000 },
    (kept) => {
      void running.forget?.(kept)
    },
  )
  const parts = answererParts({
    input,
    folders,
    pool: running,
    watch,
    catalogue,
    metrics,
    conversations,
    acp,
    record,
    clientTools,
    toolsEndpoint: tools.endpoint,
    onNotContacted: ({ backend, cliVersion }) => {
      notContacted = { backend, cli_version: cliVersion, at: new Date().toISOString() }
    },
  })
  open(createAnswerer(parts))
  const sweeping = setInterval(() => {
    void sweep(folders, input, metrics.telemetry)
  }, SWEEP_EVERY_MS)
  sweeping.unref()
  return {
    url: listening.url,
    port: listening.port,
    cli,
    models: () => catalogue.get(),
    details,
    async prewarm() {
      await swept
      try {
        if (config.backend === 'auto' && cli.at === 'available') await acp.check(cli)
        running.prewarm(await firstProfile(parts))
      } catch (error) {
        logger.warn('nothing warmed at start', { reason: String(error) })
      }
    },
    async close(graceMs) {
      const endMs = monotonicMs() + graceMs
      clearInterval(sweeping)
      // Still listening: whoever comes now is told so with 503 instead of a refused connection.
      const closed = running.close(graceMs)
      // Their folders and sessions are nobody's any more; once more for those that end well meanwhile.
      conversations?.clear()
      await closed
      conversations?.clear()
      await tools.close()
      // What the agents said may still be on its way to a client that reads slowly.
      await listening.stop(Math.max(LAST_WORDS_MS, endMs - monotonicMs()))
      await endRules(folders, logger)
      closeLedger(folders.ledger, folders.instance)
    },
  }
}
