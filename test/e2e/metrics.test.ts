// Field cases F85 to F89: what the metrics say after many, cut, failed and counted requests.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { numberAt, objectAt } from '../../src/lib/json.ts'
import { prompted } from '../support/agents.ts'
import { APIS, ask, type Heard, PATHS, send, unique, WAYS, type Way } from '../support/ask.ts'
import { wholeSeconds, within } from '../support/pace.ts'
import { total, totalIn } from '../support/series.ts'
import { OVER_ACP, type Service, type ServiceOptions, startService } from '../support/service.ts'
import { OK, run, delta as say } from '../support/steps.ts'
import { until } from '../support/until.ts'

vi.setConfig({ testTimeout: within(20_000), hookTimeout: within(30_000) })

const folder = mkdtempSync(join(tmpdir(), 'metrics-test-'))
const services: Service[] = []
afterAll(async () => {
  for (const service of services) await service.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function start(options: ServiceOptions): Promise<Service> {
  const service = await startService(options)
  services.push(service)
  return service
}

const STREAM = { api: 'chat', stream: true } as const
const seriesIn = (text: string): number =>
  text.split('\n').filter((line) => /^\w/.test(line)).length

/** An agent of a few milliseconds: what a question begins with decides how it goes. */
function shellAgent(): string {
  const path = join(folder, 'agent')
  const text = (words: string): string =>
    JSON.stringify({
      type: 'assistant',
      message: { role: 'assistant', content: [{ type: 'text', text: words }] },
      timestamp_ms: 1,
    })
  const result = (isError: boolean, words: string): string =>
    JSON.stringify({ type: 'result', subtype: 'success', is_error: isError, result: words })
  writeFileSync(
    path,
    `#!/bin/sh
case "$1" in
--version) echo 2026.10.01-abcdef0; exit ;;
models) echo 'auto - Auto (default)'; exit ;;
esac
journal() { echo "$1" >> "$CURSOR_ADAPTER_DEMO_JOURNAL"; }
journal '{"event":"start","pid":'$$',"argv":["-p"]}'
prompt=$(cat)
journal '{"event":"prompt","pid":'$$',"prompt":"'"$prompt"'"}'
echo '{"type":"system","subtype":"init","session_id":"s1","model":"auto"}'
case "$prompt" in
fine*) echo '${text('a')}'; echo '${result(false, 'a')}' ;;
early*) echo broken >&2; exit 1 ;;
late*) echo '${text('half')}'; echo '${result(true, 'the model broke')}' ;;
endless*) while :; do echo '${text('x')}'; sleep 0.1; done ;;
*) echo '${text('a')}'; exec sleep 1000 ;;
esac
`,
  )
  chmodSync(path, 0o755)
  return path
}

/** The same over ACP, where processes live longer than a run. */
const ACP_SCRIPT = {
  runs: [
    { match: '^fine', steps: [say('a'), OK] },
    { match: '^early', steps: [{ stderr: 'broken\n' }, { exit: 1 }] },
    { match: '^late', steps: [say('half'), { fail: { code: -32603, message: 'it broke' } }] },
    {
      match: '^endless',
      steps: [{ repeat: 10_000, steps: [say('x'), { sleep: 100 }] }],
    },
    { steps: [say('a'), { hang: true }] },
  ],
}
const standIn = (): ServiceOptions => (OVER_ACP ? { script: ACP_SCRIPT } : { agent: shellAgent() })

/** Runs `count` tasks, so many at a time. */
async function many(count: number, atOnce: number, task: (at: number) => Promise<void>) {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1
      await task(next)
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
}

test(
  'F85: thousands of invented models, users, paths and ids add no series',
  async () => {
    const script = { runs: [{ steps: [{ init: true }, say('x'), OK] }] }
    const aliases = JSON.stringify({ 'served-*': 'auto' })
    const service = await start({
      script,
      settings: { 'models.aliases': aliases, 'models.family_aliases': false },
    })
    const question = (at: number, model: string): object => ({
      model,
      messages: [{ role: 'user', content: `${at}` }],
      user: `user-${at}`,
      metadata: { user_id: `user_${at}_session_${at}` },
      stream: at % 3 === 0,
      max_tokens: 5,
    })
    const one = async (at: number): Promise<void> => {
      const path = at % 2 === 0 ? '/v1/chat/completions' : '/v1/messages'
      const model = at % 100 === 0 ? `served-${at}` : `invented-${at}`
      const headers = { 'x-request-id': `id-${at}`, 'x-session-id': `s-${at}` }
      const reply = await service.post(path, question(at, model), { headers })
      expect(reply.status).toBe(at % 100 === 0 ? 200 : 404)
      await reply.text()
      if (at % 50 === 0) await (await fetch(`${service.url}/v1/invented/${at}`)).text()
    }
    await many(200, 10, one)
    const before = seriesIn(await service.metrics())
    await many(2500, 40, (at) => one(at + 200))
    const text = await service.metrics()
    // A pair of known label values may still come up for the first time; an invented one would come up 2,500 times.
    expect(seriesIn(text)).toBeLessThan(before + 40)
    expect(text).not.toMatch(/(?:invented|served|user|user_|id|s)-?\d/)
    expect(totalIn(text, 'http_requests_total', { status: '404' })).toBeGreaterThan(2500)
  },
  within(90_000),
)

describe('gauges and outcomes', () => {
  const limits = { concurrency: 10, 'pool.warm': 0, 'pool.kill_grace': 0.2 }

  async function cut(service: Service, way: Way): Promise<void> {
    const question = unique('cut')
    const leaver = new AbortController()
    const messages = [{ role: 'user', content: question }]
    const left = send(service, way, { messages }, { signal: leaver.signal })
    left.catch(() => undefined)
    await prompted(service, question)
    leaver.abort()
    await left.catch(() => undefined)
  }

  // Processes of ACP mode wait for the next run.
  const GAUGES = ['runs_active', 'queue_depth', 'parked_calls', ...(OVER_ACP ? [] : ['children'])]

  async function idle(service: Service): Promise<void> {
    await until('all gauges to be 0', within(10_000), async () => {
      const text = await service.metrics()
      return GAUGES.every((name) => totalIn(text, name) === 0)
    })
  }

  test(
    'F86: after cut streams, errors and timeouts all gauges are 0 again',
    async () => {
      const service = await start({
        ...standIn(),
        settings: { ...limits, timeout: wholeSeconds(2) },
      })
      const tasks = [
        ...Array.from(
          { length: 20 },
          (_, at) => () => cut(service, WAYS[at % WAYS.length] ?? STREAM),
        ),
        ...Array.from(
          { length: 5 },
          (_, at) => () => ask(service, WAYS[at % WAYS.length] ?? STREAM, unique('early')),
        ),
        ...Array.from(
          { length: 5 },
          (_, at) => () => ask(service, WAYS[at % WAYS.length] ?? STREAM, unique('endless')),
        ),
      ]
      let busiest = 0
      const watched = setInterval(() => {
        void total(service, 'runs_active').then((active) => {
          busiest = Math.max(busiest, active)
        })
      }, 50)
      await Promise.all(tasks.map((task) => task()))
      clearInterval(watched)
      expect(busiest).toBeGreaterThan(2)
      await idle(service)
      const text = await service.metrics()
      for (const name of GAUGES) expect(totalIn(text, name)).toBe(0)
      expect(text).toMatch(/^cursor_adapter_runs_active 0$/m)
      expect(totalIn(text, 'runs_total', { outcome: 'timeout' })).toBeGreaterThanOrEqual(5)
      expect(totalIn(text, 'runs_total')).toBe(30)
    },
    within(60_000),
  )

  test(
    'F89: success, early and late failure, cancel and stall are told apart, and add up',
    async () => {
      const service = await start({
        ...standIn(),
        settings: { ...limits, stall_timeout: wholeSeconds(2) },
      })
      const kinds = ['fine', 'early', 'late', 'cut', 'silent']
      await many(50, 20, async (at) => {
        const kind = kinds[at % kinds.length] ?? ''
        const way = WAYS[Math.floor(at / kinds.length) % WAYS.length] ?? STREAM
        if (kind === 'cut') await cut(service, way)
        else await ask(service, way, unique(kind))
      })
      await idle(service)
      const text = await service.metrics()
      const of = (outcome: string) => totalIn(text, 'runs_total', { outcome })
      expect({
        success: of('success'),
        failed: of('failed'),
        cancelled: of('cancelled'),
        stalled: of('stalled'),
        all: totalIn(text, 'runs_total'),
      }).toEqual({ success: 10, failed: 20, cancelled: 10, stalled: 10, all: 50 })
      expect(totalIn(text, 'run_seconds_count')).toBe(50)
      expect(totalIn(text, 'run_seconds_count', { outcome: 'failed' })).toBe(20)
      const byApi = APIS.map((api) => totalIn(text, 'runs_total', { api }))
      expect(byApi).toEqual([19, 20, 11])
      const answered = Object.values(PATHS).map((route) =>
        totalIn(text, 'http_requests_total', { route }),
      )
      expect(answered.reduce((sum, count) => sum + count, 0)).toBe(50)
    },
    within(60_000),
  )
})

describe('tokens', () => {
  const assistant = {
    line: {
      type: 'assistant',
      message: {
        role: 'assistant',
        content: [{ type: 'text', text: 'hi' }],
        usage: { input_tokens: 10, output_tokens: 5 },
      },
      timestamp_ms: 1,
    },
  }
  const usage = (
    inputTokens: number,
    outputTokens: number,
    cacheReadTokens = 0,
    cacheWriteTokens = 0,
  ) => ({
    result: { usage: { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } },
  })

  /** What the client is told: everything that went in, what came out, and the cached part. */
  function told(way: Way, heard: Heard): readonly number[] {
    const at = (...path: readonly string[]): number => {
      const object = path.slice(0, -1).reduce((from, key) => objectAt(from, key) ?? {}, heard.reply)
      return numberAt(object, path.at(-1) ?? '') ?? 0
    }
    if (way.api === 'chat') {
      return [
        at('usage', 'prompt_tokens'),
        at('usage', 'completion_tokens'),
        at('usage', 'prompt_tokens_details', 'cached_tokens'),
        at('usage', 'total_tokens'),
      ]
    }
    if (way.api === 'responses') {
      return [
        at('usage', 'input_tokens'),
        at('usage', 'output_tokens'),
        at('usage', 'input_tokens_details', 'cached_tokens'),
        at('usage', 'total_tokens'),
      ]
    }
    const [read, written] = [
      at('usage', 'cache_read_input_tokens'),
      at('usage', 'cache_creation_input_tokens'),
    ]
    const input = at('usage', 'input_tokens') + read + written
    return [input, at('usage', 'output_tokens'), read, input + at('usage', 'output_tokens')]
  }

  // ACP reports no usage.
  test.skipIf(OVER_ACP)(
    'F87, F88: usage told twice counts once, and cached tokens are part of the input',
    async () => {
      const script = {
        runs: [
          run(
            'twice',
            assistant,
            assistant,
            { line: { type: 'assistant', message: { content: [] } } },
            usage(10, 5),
          ),
          run('cached', say('hi'), usage(100, 7, 80, 5)),
        ],
      }
      const service = await start({ script, settings: { usage: 'cursor' } })
      const body = { stream_options: { include_usage: true } }
      for (const way of WAYS) {
        const more = way.api === 'chat' && way.stream ? body : {}
        expect(told(way, await ask(service, way, unique('twice'), more))).toEqual([10, 5, 0, 15])
      }
      const counted = async (kind: string) =>
        total(service, 'tokens_total', { kind, source: 'cursor' })
      expect(await Promise.all(['input', 'output'].map(counted))).toEqual([60, 30])
      for (const way of WAYS) {
        const more = way.api === 'chat' && way.stream ? body : {}
        expect(told(way, await ask(service, way, unique('cached'), more))).toEqual([
          100, 7, 80, 107,
        ])
      }
      const kinds = ['input', 'output', 'cache_read', 'cache_write']
      expect(await Promise.all(kinds.map(counted))).toEqual([60 + 90, 30 + 42, 480, 30])
    },
  )
})
