// First token and total time: the program run directly, the service cold, and the service warm.
import { setTimeout as delay } from 'node:timers/promises'
import { BOOT_MS, type Part } from '../context.ts'
import type { Measured } from '../helper.ts'
import { atLeast, atMost } from '../report.ts'
import { median, percentile, sum } from '../stats.ts'

/** On top of the boot time until a parked agent surely waits for its prompt, also on a busy machine. */
const PARKED_MS = BOOT_MS + 400
/** Bursts before those that count. */
const WARM_UP = 3
const ENV = { CURSOR_ADAPTER_DEMO_BOOT_MS: String(BOOT_MS) }

/** One in flight; each round asks every way once, so that the machine's moods hit all alike. */
export async function firstToken(part: Part): Promise<void> {
  const coldService = await part.service({ env: ENV, settings: { 'pool.warm': 0 } })
  const warmService = await part.service({ env: ENV })
  const client = part.helper('client')
  const direct = part.helper('direct', BOOT_MS)
  const results: Record<'direct' | 'parked' | 'cold' | 'warm', Measured[]> = {
    direct: [],
    parked: [],
    cold: [],
    warm: [],
  }
  const rounds = part.times(12, 5)
  for (let round = -1; round < rounds; round += 1) {
    const asked = { do: 'ask', inFlight: 1 }
    const directly = await direct.ask({ do: 'cold' })
    const cold = await client.ask({ ...asked, url: coldService.url })
    await direct.ask({ do: 'park', times: 1 })
    await delay(PARKED_MS)
    const parked = await direct.ask({ do: 'prompt' })
    const warm = await client.ask({ ...asked, url: warmService.url })
    // The first round warms up the measuring programs and the services' own code.
    if (round < 0) continue
    results.direct.push(directly)
    results.parked.push(parked)
    results.cold.push(cold)
    results.warm.push(warm)
  }
  const firstOf = (how: keyof typeof results): number[] => all(results[how], 'firstMs')
  const totalOf = (how: keyof typeof results): number[] => all(results[how], 'totalMs')
  for (const [how, name] of [
    ['direct', 'program run directly, cold'],
    ['cold', 'service, cold (pool.warm 0)'],
    ['warm', 'service, warm'],
    ['parked', "agent's own, prompt to first text"],
  ] as const) {
    part.row({ name: `${name}: first token, median`, value: median(firstOf(how)), unit: 'ms' })
    part.row({
      name: `${name}: first token, p95`,
      value: percentile(firstOf(how), 0.95),
      unit: 'ms',
    })
    part.row({ name: `${name}: total, median`, value: median(totalOf(how)), unit: 'ms' })
  }
  const own = median(firstOf('parked'))
  const warm = median(firstOf('warm'))
  const cold = median(firstOf('direct'))
  part.row({
    name: "warm above the agent's own, median",
    value: warm - own,
    unit: 'ms',
    target: atMost(5),
  })
  part.row({
    name: 'warm against a cold direct run',
    value: warm / cold,
    unit: '×',
    target: atMost(0.1),
  })
  part.row({
    name: 'cold above a cold direct run, median',
    value: median(firstOf('cold')) - cold,
    unit: 'ms',
    target: atMost(15),
  })
  const hits = all(results.warm, 'warm')
  part.row({
    name: 'warm hit rate, one in flight, gap at least the boot time',
    value: (100 * sum(hits)) / hits.length,
    unit: '%',
    target: atLeast(95),
  })
}

/** Five at once, and how soon all five seats are warm again. */
export async function fiveAtOnce(part: Part): Promise<void> {
  const service = await part.service({ env: ENV })
  const client = part.helper('client')
  const direct = part.helper('direct', BOOT_MS)
  const ask = { do: 'ask', url: service.url, inFlight: 5 }
  // Teaches the pool that five are wanted at once, and compiles what each thread compiles for itself.
  for (let round = 0; round < WARM_UP; round += 1) {
    await client.ask(ask)
    await delay(2 * BOOT_MS + 400)
  }
  const own: number[] = []
  const first: number[] = []
  const hits: number[] = []
  const againMs: number[] = []
  const rounds = part.times(20, 6)
  for (let round = 0; round < rounds; round += 1) {
    await direct.ask({ do: 'park', times: 5 })
    await delay(2 * BOOT_MS + 400)
    own.push(...((await direct.ask({ do: 'prompt' })).firstMs ?? []))
    await delay(100)
    const asked = await client.ask(ask)
    first.push(...(asked.firstMs ?? []))
    hits.push(...(asked.warm ?? []))
    const endedAt = asked.endedAt?.[0] ?? 0
    await delay(2 * BOOT_MS)
    againMs.push(warmAt(service.journal(), 5) - endedAt)
  }
  part.row({ name: "agent's own, five at once: p95", value: percentile(own, 0.95), unit: 'ms' })
  part.row({ name: 'warm, five at once: first token, median', value: median(first), unit: 'ms' })
  part.row({
    name: 'warm, five at once: first token, p95',
    value: percentile(first, 0.95),
    unit: 'ms',
  })
  part.row({
    name: "warm, five at once, p95 above the agent's own",
    value: percentile(first, 0.95) - percentile(own, 0.95),
    unit: 'ms',
    target: atMost(15),
  })
  part.row({
    name: 'warm hit rate, five at once',
    value: (100 * sum(hits)) / hits.length,
    unit: '%',
  })
  part.row({
    name: 'all five seats warm again after a burst, median',
    value: median(againMs),
    unit: 'ms',
    target: atMost(2 * BOOT_MS),
  })
}

function all(results: readonly Measured[], series: string): number[] {
  return results.flatMap((result) => result[series] ?? [])
}

/** Wall time at which the newest `count` agents that wait for a prompt had booted; infinite while there are fewer. */
function warmAt(journal: readonly { readonly [key: string]: unknown }[], count: number): number {
  const startedAt = new Map<unknown, number>()
  for (const { event, pid, atMs } of journal) {
    if (event === 'start' && typeof atMs === 'number') startedAt.set(pid, atMs)
    else if (event === 'prompt' || event === 'exit' || event === 'signal') startedAt.delete(pid)
  }
  const waiting = [...startedAt.values()]
  return waiting.length < count ? Number.POSITIVE_INFINITY : Math.max(...waiting) + BOOT_MS
}
