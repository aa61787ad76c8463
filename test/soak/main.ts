// `npm run soak`: thousands of short requests with everything that can go wrong, then: is anything left behind?
import { parseArgs } from 'node:util'
import { rssOf } from '../bench/rss.ts'
import { median } from '../bench/stats.ts'
import { type Service, startService } from '../support/service.ts'
import { until } from '../support/until.ts'
import { SOAK_SCRIPT } from './kinds.ts'
import { randomFrom } from './random.ts'
import { atRest, descriptors, livingAgents, notZero } from './state.ts'
import { drive, type Outcome } from './traffic.ts'

const SLOTS = 5
const CLIENTS = 8
/** All requests together; with start, rests and end it stays below 5 minutes. */
const TRAFFIC_MS = 240_000
/** This part of the requests comes first and does not count: code is compiled, heaps and pools grow. */
const WARM_UP = 0.4
/**
 * A heap has its tides. Flat = the last quarter's median is not above the first's by more than this. A short soak ends
 * while heaps and the allocator still grow to their size (measured: 182 to 204 MB at 600 requests, level at the end).
 */
const RSS_GROWTH = { short: 0.2, long: 0.12 }
const LONG = 2000

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '2000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const requests = Number(values.requests)
const random = randomFrom(Number(values.seed))
const untilMs = performance.now() + TRAFFIC_MS
const problems: string[] = []

console.log(`soak: ${requests} requests, --seed ${values.seed}`)
const service = await startService({
  script: SOAK_SCRIPT,
  settings: {
    concurrency: SLOTS,
    // Long enough for a healthy agent on a busy machine.
    stall_timeout: 6,
    timeout: 12,
    'pool.exit_grace': 0.2,
    'pool.kill_grace': 0.2,
    'retries.grace': 0.2,
    'log.level': 'warn',
  },
})
const rss: number[] = []
const outcomes: Outcome[] = []
try {
  await soak()
} catch (error) {
  problems.push(`the soak broke off: ${error instanceof Error ? error.stack : String(error)}`)
}
try {
  await service.stop()
} catch (error) {
  problems.push(`after the end: ${String(error)}`)
}
summary()

async function soak(): Promise<void> {
  const warmUp = await phase(service, Math.round(requests * WARM_UP), 0)
  await atRest(service, SLOTS)
  const before = descriptors(service.pid)
  const sampling = setInterval(() => rss.push(rssOf(service.pid)), 250)
  await phase(service, requests - warmUp.done, warmUp.done)
  clearInterval(sampling)
  await atRest(service, SLOTS)
  await noDescriptorsLeft(service, before)
  problems.push(...(await whatIsLeft(service)), ...whatGrew())
}

async function phase(on: Service, count: number, from: number): Promise<Outcome> {
  const onDone = (done: number): void => progress(from + done)
  const outcome = await drive(on, {
    requests: count,
    clients: CLIENTS,
    random,
    untilMs,
    from,
    onDone,
  })
  outcomes.push(outcome)
  problems.push(...outcome.wrong.map((wrong) => `wrong ending: ${wrong}`))
  return outcome
}

function progress(done: number): void {
  if (!process.stdout.isTTY) return
  process.stdout.write(`\r${done} of ${requests}, RSS ${Math.round(rssOf(service.pid))} MB `)
  if (done === requests) process.stdout.write('\n')
}

async function noDescriptorsLeft(on: Service, was: ReadonlyMap<string, number>): Promise<void> {
  let more: string[] = []
  try {
    // What clients have closed a moment ago is waited out.
    await until('descriptors to be as before', 10_000, () => {
      more = [...descriptors(on.pid)]
        .filter(([kind, count]) => count > (was.get(kind) ?? 0))
        .map(([kind, count]) => `${kind} ${was.get(kind) ?? 0} → ${count}`)
      return more.length === 0
    })
  } catch (error) {
    problems.push(`descriptors: ${more.join(', ')} (${String(error)})`)
  }
}

async function whatIsLeft(on: Service): Promise<string[]> {
  const left = notZero(await on.metrics()).map((line) => `gauge not back at 0: ${line}`)
  let living: number[] = []
  try {
    // A spare counts as warm from its spawn on; its journal, which tells us the pid, begins with its first code.
    await until('the spares to be the only agents', 10_000, () => {
      living = livingAgents(on)
      return living.length === SLOTS
    })
  } catch (error) {
    left.push(
      `${living.length} agents live, ${SLOTS} spares expected: ${living.join(' ')} (${String(error)})`,
    )
  }
  const warnings = on.stderr().match(/.*(?:MaxListeners|Warning:|unhandled).*/gi) ?? []
  return [...left, ...warnings.map((line) => `on standard error: ${line}`)]
}

function whatGrew(): string[] {
  const quarter = Math.ceil(rss.length / 4)
  const early = median(rss.slice(0, quarter))
  const late = median(rss.slice(-quarter))
  console.log(`RSS ${Math.round(early)} MB after warm-up, ${Math.round(late)} MB at the end`)
  const most = requests < LONG ? RSS_GROWTH.short : RSS_GROWTH.long
  const grew = late > early * (1 + most)
  return grew ? [`RSS grew from ${early} to ${late} MB: ${rss.map(Math.round).join(' ')}`] : []
}

function summary(): void {
  const done = outcomes.reduce((total, outcome) => total + outcome.done, 0)
  const kinds = new Map<string, number>()
  for (const { byKind } of outcomes) {
    for (const [kind, count] of byKind) kinds.set(kind, (kinds.get(kind) ?? 0) + count)
  }
  console.log([...kinds].map(([kind, count]) => `${kind} ${count}`).join(', '))
  if (done < requests) console.log(`time is up: ${done} of ${requests} requests were made`)
  if (problems.length > 0) console.log(service.stderr().slice(-4000))
  for (const problem of problems) console.log(`PROBLEM ${problem}`)
  console.log(problems.length === 0 ? 'nothing left behind' : `${problems.length} problems`)
  process.exitCode = problems.length === 0 ? 0 : 1
}
