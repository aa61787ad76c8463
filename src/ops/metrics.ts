// Telemetry over prom-client. One registry per call and no global state: several services can live in one process.
// Label values come from closed lists: what a client or an agent invents becomes `other`.
import { collectDefaultMetrics, Registry } from 'prom-client'
import { UNKNOWN_KINDS } from '../core/events.ts'
import type { PoolSnapshot } from '../core/run.ts'
import {
  CHILD_STATES,
  EXIT_CAUSES,
  RETRY_KINDS,
  RUN_OUTCOMES,
  type Telemetry,
  TURN_KINDS,
} from '../core/telemetry.ts'
import { type Instruments, instruments } from './instruments.ts'
import { ROUTES, routeLabel, statusLabel, toolLabel } from './labels.ts'
import { OVERHEAD_BUCKETS, QUEUE_BUCKETS, RUN_BUCKETS, WAIT_BUCKETS } from './metric-names.ts'

export interface MetricsInput {
  /** Read at every scrape, so that gauges cannot drift. */
  readonly snapshot: () => PoolSnapshot
  /** Conversations remembered; absent while nothing remembers any. */
  readonly sessions?: () => number
  /** Read at every scrape too: a getter may learn the CLI's version after the start. */
  readonly build: BuildInfo
}

export interface BuildInfo {
  readonly version: string
  readonly cliVersion: string
  readonly backend: string
}

export interface Metrics {
  readonly telemetry: Telemetry
  /** All metrics in Prometheus' text format. */
  readonly render: () => Promise<string>
  readonly contentType: string
}

export function createMetrics(input: MetricsInput): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const make = instruments(registry)
  gauges(make, input)
  const telemetry = { ...durations(make), ...poolCounts(make), ...counts(make) }
  return { telemetry, render: () => registry.metrics(), contentType: registry.contentType }
}

function gauges(make: Instruments, { snapshot, sessions, build }: MetricsInput): void {
  make.gauge('runs_active', [], (gauge) => gauge.set(snapshot().active))
  make.gauge('queue_depth', [], (gauge) => gauge.set(snapshot().waiting))
  make.gauge('parked_calls', [], (gauge) => gauge.set(snapshot().parked))
  make.gauge('sessions', [], (gauge) => gauge.set(sessions?.() ?? 0))
  make.gauge('children', ['state'], (gauge) => {
    const { children } = snapshot()
    for (const state of CHILD_STATES) gauge.set({ state }, children[state])
  })
  make.gauge('build_info', ['version', 'node', 'cli_version', 'backend'], (gauge) => {
    gauge.reset()
    const { version, cliVersion: cli_version, backend } = build
    gauge.set({ version, node: process.version, cli_version, backend }, 1)
  })
}

// Series that exist from the start: what this version can serve. Others appear with their first event.
const API = ['chat', 'messages']
const BACKEND = ['print']
const START = ['warm', 'cold']

type Durations = Pick<
  Telemetry,
  'firstToken' | 'overhead' | 'agentFirstEvent' | 'launched' | 'queueWaited' | 'runEnded'
>

function durations(make: Instruments): Durations {
  const starts = { backend: BACKEND, start: START }
  const firstToken = make.histogram('first_token_seconds', WAIT_BUCKETS, { api: API, ...starts })
  const overhead = make.histogram('proxy_overhead_seconds', OVERHEAD_BUCKETS, {
    phase: ['accept', 'dispatch', 'relay'],
  })
  const firstEvent = make.histogram('agent_first_event_seconds', WAIT_BUCKETS, starts)
  const launch = make.histogram('launch_seconds', WAIT_BUCKETS, { backend: BACKEND })
  const queueWait = make.histogram('queue_wait_seconds', QUEUE_BUCKETS)
  const runSeconds = make.histogram('run_seconds', RUN_BUCKETS, { outcome: RUN_OUTCOMES })
  const runs = make.counter('runs_total', {
    api: API,
    backend: BACKEND,
    mode: ['agent', 'bridge'],
    outcome: RUN_OUTCOMES,
  })
  return {
    firstToken: (labels, seconds) => firstToken.observe(labels, seconds),
    overhead: (phase, seconds) => overhead.observe({ phase }, seconds),
    agentFirstEvent: (labels, seconds) => firstEvent.observe(labels, seconds),
    launched: (backend, seconds) => launch.observe({ backend }, seconds),
    queueWaited: (seconds) => queueWait.observe(seconds),
    runEnded: (labels, seconds) => {
      runSeconds.observe({ outcome: labels.outcome }, seconds)
      runs.inc(labels)
    },
  }
}

type PoolCounts = Pick<Telemetry, 'warmStart' | 'childExited' | 'killed' | 'orphansReaped'>

function poolCounts(make: Instruments): PoolCounts {
  const warmStarts = make.counter('warm_starts_total', { result: ['hit', 'miss'] })
  const exits = make.counter('child_exits_total', { cause: EXIT_CAUSES })
  const kills = make.counter('kills_total', { signal: ['SIGTERM', 'SIGKILL'] })
  const orphans = make.counter('orphans_reaped_total')
  return {
    warmStart: (result) => warmStarts.inc({ result }),
    childExited: (cause) => exits.inc({ cause }),
    killed: (signal) => kills.inc({ signal }),
    orphansReaped: (count) => orphans.inc(count),
  }
}

function counts(make: Instruments): Omit<Telemetry, keyof Durations | keyof PoolCounts> {
  const tokens = make.counter('tokens_total', {
    kind: ['input', 'output', 'cache_read', 'cache_write'],
    source: ['cursor', 'estimate'],
  })
  const toolCalls = make.counter('tool_calls_total', {
    tool: ['other'],
    host: ['cursor', 'client'],
  })
  const turns = make.counter('session_turns_total', { how: TURN_KINDS })
  const retries = make.counter('retries_total', { how: RETRY_KINDS })
  const unknown = make.counter('unknown_events_total', { kind: UNKNOWN_KINDS })
  const requests = make.counter('http_requests_total', { route: ROUTES, status: ['200'] })
  const violations = make.counter('scratch_path_violations_total')
  const corrections = make.counter('scratch_path_corrections_total')
  return {
    tokens: (kind, source, count) => tokens.inc({ kind, source }, count),
    toolCall: (tool, host) => toolCalls.inc({ tool: toolLabel(tool), host }),
    sessionTurn: (how) => turns.inc({ how }),
    retry: (how) => retries.inc({ how }),
    unknownEvent: (kind) => unknown.inc({ kind }),
    httpRequest: (route, status) =>
      requests.inc({ route: routeLabel(route), status: statusLabel(status) }),
    scratchPath: (corrected) => {
      violations.inc()
      if (corrected) corrections.inc()
    },
  }
}
