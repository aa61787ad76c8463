// Short answers per second at 5 and 50 clients, against the least a pool of five threads can be: with the agent's start-up
// that all targets are stated for, and with none at all, where nothing but processor time counts.
import { BOOT_MS, type Part } from '../context.ts'
import type { Measured } from '../helper.ts'
import { atLeast } from '../report.ts'
import { median } from '../stats.ts'

export async function throughput(part: Part): Promise<void> {
  await against(part, { bootMs: BOOT_MS, requests: part.times(50, 25), rounds: part.times(2, 1) })
  await against(part, { bootMs: 0, requests: part.times(100, 40), rounds: part.times(2, 1) })
}

interface Load {
  readonly bootMs: number
  readonly requests: number
  readonly rounds: number
}

async function against(part: Part, { bootMs, requests, rounds }: Load): Promise<void> {
  const env = { CURSOR_ADAPTER_DEMO_BOOT_MS: String(bootMs) }
  const warm = await part.service({ env })
  const cold = await part.service({ env, settings: { 'pool.warm': 0 } })
  const client = part.helper('client')
  const bare = part.helper('bare-pool', bootMs)
  await bare.ask({ do: 'load', clients: 5, requests: 10 })
  for (const service of [warm, cold]) {
    await client.ask({ do: 'load', url: service.url, clients: 5, requests: 10 })
  }
  for (const clients of [5, 50]) {
    const rates: Record<'bare' | 'warm' | 'cold', number[]> = { bare: [], warm: [], cold: [] }
    const load = { do: 'load', clients, requests }
    for (let round = 0; round < rounds; round += 1) {
      rates.bare.push(rate(await bare.ask(load), requests))
      rates.warm.push(rate(await client.ask({ ...load, url: warm.url }), requests))
      rates.cold.push(rate(await client.ask({ ...load, url: cold.url }), requests))
    }
    const title = `start-up ${bootMs} ms, ${clients} clients`
    const least = median(rates.bare)
    part.row({ name: `${title}: bare piscina loop`, value: least, unit: '/s' })
    for (const how of ['warm', 'cold'] as const) {
      const name = `${title}: ${how === 'warm' ? 'service' : 'service, pool.warm 0'}`
      part.row({ name, value: median(rates[how]), unit: '/s' })
      part.row({
        name: `${name}, share of the bare loop`,
        value: median(rates[how]) / least,
        unit: '×',
        ...(clients === 50 && bootMs === BOOT_MS ? { target: atLeast(0.75) } : {}),
      })
    }
  }
}

function rate({ ms }: Measured, requests: number): number {
  return (requests * 1000) / (ms?.[0] ?? Number.NaN)
}
