// Short answers per second at 5 and 50 clients, against the least a pool of five threads can be.
import type { Part } from '../context.ts'
import type { Measured } from '../helper.ts'
import { atLeast } from '../report.ts'
import { median } from '../stats.ts'

export async function throughput(part: Part): Promise<void> {
  const warm = await part.service()
  const cold = await part.service({ settings: { 'pool.warm': 0 } })
  const client = part.helper('client')
  const bare = part.helper('bare-pool')
  const requests = part.times(100, 40)
  const rounds = part.times(3, 1)
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
    const least = median(rates.bare)
    part.row({ name: `${clients} clients: bare piscina loop`, value: least, unit: '/s' })
    for (const how of ['warm', 'cold'] as const) {
      const name = how === 'warm' ? 'service' : 'service, pool.warm 0'
      part.row({ name: `${clients} clients: ${name}`, value: median(rates[how]), unit: '/s' })
      part.row({
        name: `${clients} clients: ${name}, share of the bare loop`,
        value: median(rates[how]) / least,
        unit: '×',
        ...(clients === 50 ? { target: atLeast(0.75) } : {}),
      })
    }
  }
}

function rate({ ms }: Measured, requests: number): number {
  return (requests * 1000) / (ms?.[0] ?? Number.NaN)
}
