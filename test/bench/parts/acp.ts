// ACP mode: short answers per second against a logic-free prototype in the same run, memory, and how soon a cancelled run
// gives its slot back.
import { setTimeout as delay } from 'node:timers/promises'
import type { Part } from '../context.ts'
import type { Measured } from '../helper.ts'
import { nowMs } from '../helpers/wire.ts'
import { atLeast, atMost } from '../report.ts'
import { steadyRss } from '../rss.ts'
import { largest, median, overtaken, percentile } from '../stats.ts'

const CLIENTS = 50
const SLOTS = 5
const SETTLED_MS = 2500
const CONVERSATIONS = 500

export async function acpThroughput(part: Part): Promise<void> {
  // The prototype keeps its children for ever: a boot every 50 runs would be what is measured.
  const settings = { backend: 'acp', concurrency: SLOTS, 'pool.recycle_after': 10_000 }
  const service = await part.service({ settings })
  const client = part.helper('client')
  const bare = part.helper('bare-acp')
  const port = (await bare.ask({ do: 'start' })).port?.[0] ?? 0
  const urls = { bare: `http://127.0.0.1:${port}`, service: service.url }
  const requests = part.times(1500, 300)
  // Each of the six isolates compiles its own code: a thread has to play a thousand runs until it is as fast as it gets.
  const warmUp = part.times(6000, 3000)
  for (const url of Object.values(urls)) {
    await client.ask({ do: 'load', url, clients: CLIENTS, requests: warmUp })
  }
  const runs: Record<keyof typeof urls, Measured[]> = { bare: [], service: [] }
  for (let round = 0; round < part.times(3, 1); round += 1) {
    for (const how of ['bare', 'service'] as const) {
      runs[how].push(await client.ask({ do: 'load', url: urls[how], clients: CLIENTS, requests }))
    }
  }
  const rate = (how: keyof typeof urls): number =>
    median(runs[how].map(({ ms }) => (requests * 1000) / (ms?.[0] ?? Number.NaN)))
  const first = runs.service.flatMap(({ firstMs }) => firstMs ?? [])
  part.row({ name: `${CLIENTS} clients: prototype`, value: rate('bare'), unit: '/s' })
  part.row({
    name: `${CLIENTS} clients: service`,
    value: rate('service'),
    unit: '/s',
    target: atLeast(900),
  })
  part.row({
    name: `${CLIENTS} clients: share of the prototype`,
    value: rate('service') / rate('bare'),
    unit: '×',
    target: atLeast(0.55),
  })
  part.row({
    name: `${CLIENTS} clients: first token, p99`,
    value: percentile(first, 0.99),
    unit: 'ms',
    target: atMost(150),
  })
  for (const how of ['bare', 'service'] as const) orderRows(part, how, runs[how])
}

/** How far first tokens come in another order than requests: both hand out slots in order, threads wait for a core. */
function orderRows(part: Part, how: 'bare' | 'service', runs: readonly Measured[]): void {
  const counts = runs.flatMap(overtakenIn)
  const name = `${CLIENTS} clients: overtaken by later ones, ${how === 'bare' ? 'prototype' : how}`
  const p99 = { name: `${name}, p99`, value: percentile(counts, 0.99), unit: 'requests' } as const
  part.row(how === 'bare' ? p99 : { ...p99, target: atMost(2 * SLOTS) })
  part.row({ name: `${name}, most`, value: largest(counts), unit: 'requests' })
}

/** Of one round: rounds follow each other. */
function overtakenIn({ sentAtMs = [], firstMs = [] }: Measured): readonly number[] {
  const spans = sentAtMs.map((sentAt, at) => {
    return { sentAtMs: sentAt, firstAtMs: sentAt + (firstMs[at] ?? Number.NaN) }
  })
  return overtaken(spans)
}

export async function acpMemory(part: Part): Promise<void> {
  const settings = { backend: 'acp', 'sessions.max': CONVERSATIONS * 2 }
  const service = await part.service({ settings })
  const client = part.helper('client')
  await client.ask({ do: 'ask', url: service.url, inFlight: 5 })
  await delay(SETTLED_MS)
  const idle = await steadyRss(service.pid)
  part.row({ name: 'idle with five ACP seats used', value: idle, unit: 'MB', target: atMost(220) })
  // What code and heap grow to under any load is not the conversations' doing.
  await client.ask({ do: 'idle', url: service.url, conversations: CONVERSATIONS / 2 })
  await delay(SETTLED_MS)
  const before = await steadyRss(service.pid)
  await client.ask({ do: 'idle', url: service.url, conversations: CONVERSATIONS })
  await delay(SETTLED_MS)
  part.row({
    name: 'per idle conversation',
    value: ((await steadyRss(service.pid)) - before) * (1000 / CONVERSATIONS),
    unit: 'kB',
    target: atMost(64),
  })
}

export async function acpCancel(part: Part): Promise<void> {
  const service = await part.service({ settings: { backend: 'acp' } })
  const client = part.helper('client')
  const freeMs: number[] = []
  for (let time = 0; time < part.times(20, 5); time += 1) {
    const { leftAt } = await client.ask({ do: 'leave', url: service.url })
    while ((await service.metric('cursor_adapter_runs_active')) !== 0) await delay(1)
    freeMs.push(nowMs() - (leftAt?.[0] ?? Number.NaN))
  }
  part.row({ name: 'client gone to slot free, median', value: median(freeMs), unit: 'ms' })
  part.row({
    name: 'client gone to slot free, p95',
    value: percentile(freeMs, 0.95),
    unit: 'ms',
    target: atMost(50),
  })
}
