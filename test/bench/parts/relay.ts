// Relay: how late an event is at the client, above what a bare pipe takes, calm and while long prompts are being counted.
import { setTimeout as delay } from 'node:timers/promises'
import type { Part } from '../context.ts'
import { atMost } from '../report.ts'
import { median, percentile } from '../stats.ts'

const STREAMS = 5
const COUNTS = 25
const COUNT_BYTES = 100_000
/** Until all five streams run. */
const UNDER_WAY_MS = 2000

export async function relay(part: Part): Promise<void> {
  const service = await part.service()
  const client = part.helper('client')
  const counter = part.helper('client')
  const direct = part.helper('direct')
  const asked = { do: 'relay', url: service.url, streams: STREAMS }
  const late: Record<'bare' | 'calm' | 'counting', number[]> = { bare: [], calm: [], counting: [] }
  const countMs: number[] = []
  // One round for the pool to learn that five are wanted, and for code to be compiled.
  await client.ask(asked)
  for (let round = 0; round < part.times(3, 1); round += 1) {
    late.bare.push(...((await direct.ask({ do: 'relay', times: STREAMS })).lateMs ?? []))
    late.calm.push(...((await client.ask(asked)).lateMs ?? []))
    const streaming = client.ask(asked)
    await delay(UNDER_WAY_MS)
    const count = { do: 'count', url: service.url, requests: COUNTS, bytes: COUNT_BYTES }
    countMs.push(...((await counter.ask(count)).tookMs ?? []))
    late.counting.push(...((await streaming).lateMs ?? []))
  }
  const bareMedian = median(late.bare)
  const bareP99 = percentile(late.bare, 0.99)
  part.row({ name: 'bare pipe: event late by, median', value: bareMedian, unit: 'ms' })
  part.row({ name: 'bare pipe: event late by, p99', value: bareP99, unit: 'ms' })
  for (const how of ['calm', 'counting'] as const) {
    const name = how === 'calm' ? 'service' : `service, ${COUNTS} × 100 kB being counted`
    const above = (p: number, bare: number): number => percentile(late[how], p) - bare
    part.row({
      name: `${name}: above the pipe, median`,
      value: above(0.5, bareMedian),
      unit: 'ms',
      target: atMost(0.5),
    })
    part.row({
      name: `${name}: above the pipe, p99`,
      value: above(0.99, bareP99),
      unit: 'ms',
      target: atMost(3),
    })
  }
  part.row({
    name: 'count_tokens of 100 kB, 25 at once, median',
    value: median(countMs),
    unit: 'ms',
  })
}
