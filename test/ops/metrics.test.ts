import { expect, test } from 'vitest'
import type { PoolSnapshot } from '../../src/core/run.ts'
import { METRIC_PREFIX, METRICS } from '../../src/ops/metric-names.ts'
import { createMetrics } from '../../src/ops/metrics.ts'

const idle: PoolSnapshot = {
  active: 0,
  waiting: 0,
  parked: 0,
  children: { starting: 0, warm: 0, busy: 0, parked: 0, idle: 0, closing: 0 },
  warmingOff: {},
  longestWaitMs: 0,
}
const build = { version: '1.2.3', cliVersion: '2026.10.01-abc', backend: 'print' }
const make = (snapshot: () => PoolSnapshot = () => idle) => createMetrics({ snapshot, build })

/** Value of the one sample with this name and these labels, in whatever order they are printed. */
function sample(text: string, name: string, labels: Record<string, string> = {}) {
  const found = text.split('\n').filter((line) => {
    const [, metric, inner = ''] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
    const given = inner === '' ? [] : inner.split(/,(?=\w+=")/)
    return metric === METRIC_PREFIX + name && given.sort().join() === wanted.sort().join()
  })
  return found.length === 1 ? Number(found[0]?.split(' ').at(-1)) : undefined
}

test('every metric of the table is there before anything happened, with at least one series', async () => {
  const text = await make().render()
  for (const name of Object.keys(METRICS)) {
    expect(text, name).toMatch(new RegExp(`^${METRIC_PREFIX}${name}(_count)?(\\{.*\\})? \\d`, 'm'))
  }
  expect(text).toMatch(/^process_resident_memory_bytes \d/m)
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m)
})

test('series that dashboards divide by start at 0', async () => {
  const text = await make().render()
  const runs = { api: 'messages', backend: 'print', mode: 'agent', outcome: 'stalled' }
  expect(sample(text, 'runs_total', runs)).toBe(0)
  expect(sample(text, 'warm_starts_total', { result: 'hit' })).toBe(0)
  expect(sample(text, 'kills_total', { signal: 'SIGKILL' })).toBe(0)
  expect(sample(text, 'child_exits_total', { cause: 'crashed' })).toBe(0)
  expect(sample(text, 'proxy_overhead_seconds_count', { phase: 'relay' })).toBe(0)
  expect(sample(text, 'orphans_reaped_total')).toBe(0)
})

test('each telemetry call moves exactly its own series', async () => {
  const { telemetry, render } = make()
  telemetry.firstToken({ api: 'chat', backend: 'print', start: 'warm' }, 0.004)
  telemetry.overhead('relay', 0.00009)
  telemetry.agentFirstEvent({ backend: 'print', start: 'cold' }, 1)
  telemetry.launched('print', 0.6)
  telemetry.queueWaited(0)
  telemetry.runEnded({ api: 'chat', backend: 'print', mode: 'agent', outcome: 'timeout' }, 300)
  telemetry.warmStart('miss')
  telemetry.childExited('timeout')
  telemetry.killed('SIGTERM')
  telemetry.orphansReaped(2)
  telemetry.tokens('cache_read', 'cursor', 40)
  telemetry.toolCall('Bash', 'cursor')
  telemetry.toolCall('mcp__pw__click', 'cursor')
  telemetry.sessionTurn('fresh')
  telemetry.retry('anew')
  telemetry.unknownEvent('not-json')
  telemetry.httpRequest('/v1/messages', 529)
  const text = await render()
  const start = { backend: 'print', start: 'warm' }
  expect(sample(text, 'first_token_seconds_bucket', { ...start, api: 'chat', le: '0.005' })).toBe(1)
  expect(sample(text, 'proxy_overhead_seconds_bucket', { phase: 'relay', le: '0.0001' })).toBe(1)
  expect(sample(text, 'agent_first_event_seconds_sum', { backend: 'print', start: 'cold' })).toBe(1)
  expect(sample(text, 'launch_seconds_count', { backend: 'print' })).toBe(1)
  expect(sample(text, 'queue_wait_seconds_count')).toBe(1)
  expect(sample(text, 'run_seconds_sum', { outcome: 'timeout' })).toBe(300)
  const run = { api: 'chat', backend: 'print', mode: 'agent', outcome: 'timeout' }
  expect(sample(text, 'runs_total', run)).toBe(1)
  expect(sample(text, 'runs_total', { ...run, outcome: 'success' })).toBe(0)
  expect(sample(text, 'warm_starts_total', { result: 'miss' })).toBe(1)
  expect(sample(text, 'child_exits_total', { cause: 'timeout' })).toBe(1)
  expect(sample(text, 'kills_total', { signal: 'SIGTERM' })).toBe(1)
  expect(sample(text, 'orphans_reaped_total')).toBe(2)
  expect(sample(text, 'tokens_total', { kind: 'cache_read', source: 'cursor' })).toBe(40)
  expect(sample(text, 'tool_calls_total', { tool: 'Bash', host: 'cursor' })).toBe(1)
  expect(sample(text, 'tool_calls_total', { tool: 'Mcp', host: 'cursor' })).toBe(1)
  expect(sample(text, 'session_turns_total', { how: 'fresh' })).toBe(1)
  expect(sample(text, 'retries_total', { how: 'anew' })).toBe(1)
  expect(sample(text, 'unknown_events_total', { kind: 'not-json' })).toBe(1)
  expect(sample(text, 'http_requests_total', { route: '/v1/messages', status: '529' })).toBe(1)
})

test('gauges are read at scrape time, so they come down when the pool does', async () => {
  let now: PoolSnapshot = {
    ...idle,
    active: 3,
    waiting: 2,
    children: { ...idle.children, busy: 3, warm: 1 },
  }
  const { render } = make(() => now)
  const busy = await render()
  expect(sample(busy, 'runs_active')).toBe(3)
  expect(sample(busy, 'queue_depth')).toBe(2)
  expect(sample(busy, 'children', { state: 'busy' })).toBe(3)
  now = idle
  const after = await render()
  expect(sample(after, 'runs_active')).toBe(0)
  expect(sample(after, 'children', { state: 'busy' })).toBe(0)
  expect(sample(after, 'children', { state: 'warm' })).toBe(0)
})

test('5,000 invented tools, routes and statuses add a bounded number of series', async () => {
  const { telemetry, render } = make()
  const series = async () => (await render()).split('\n').filter((l) => !l.startsWith('#')).length
  const before = await series()
  for (let i = 0; i < 5000; i += 1) {
    telemetry.toolCall(`mcp__server__tool${i}`, 'client')
    telemetry.httpRequest(`/v1/${i}`, 404)
    telemetry.httpRequest('/health', 1000 + i)
  }
  expect((await series()) - before).toBeLessThan(5)
})

test('two instances in one process share nothing', async () => {
  const [one, two] = [make(), make()]
  one.telemetry.warmStart('hit')
  expect(sample(await one.render(), 'warm_starts_total', { result: 'hit' })).toBe(1)
  expect(sample(await two.render(), 'warm_starts_total', { result: 'hit' })).toBe(0)
})

test('the build is told with the CLI version known at scrape time', async () => {
  let cliVersion = ''
  const { render } = createMetrics({
    snapshot: () => idle,
    build: {
      version: '1.2.3',
      backend: 'print',
      get cliVersion() {
        return cliVersion
      },
    },
  })
  await render()
  cliVersion = '2026.11.01-x'
  const text = await render()
  expect(text.match(/^cursor_adapter_build_info\{.*\} 1$/gm)).toHaveLength(1)
  expect(text).toContain('cli_version="2026.11.01-x"')
})
