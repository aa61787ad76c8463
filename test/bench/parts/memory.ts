// Resident memory of the service: idle, streaming, per seat, and with readers that hardly read.
import { setTimeout as delay } from 'node:timers/promises'
import type { Part } from '../context.ts'
import { atMost } from '../report.ts'
import { steadyRss, watchRss } from '../rss.ts'

const MANY = 20
/** After the start, until the first spare is up and the start's garbage has had its chance. */
const SETTLED_MS = 2500

export async function memory(part: Part): Promise<void> {
  const five = await part.service()
  const many = await part.service({ settings: { concurrency: MANY } })
  await delay(SETTLED_MS)
  const idle = await steadyRss(five.pid)
  const manyIdle = await steadyRss(many.pid)
  const client = part.helper('client')
  part.row({ name: 'idle, five threads', value: idle, unit: 'MB', target: atMost(170) })
  part.row({
    name: 'per further seat, idle',
    value: (manyIdle - idle) / (MANY - 5),
    unit: 'MB',
    target: atMost(22),
  })
  const streaming = client.ask({ do: 'relay', url: five.url, streams: 5 })
  await delay(1000)
  part.row({ name: 'five streams at 100 events/s', value: await steadyRss(five.pid), unit: 'MB' })
  await streaming
  // Every seat has played before: what is left to be added is the readers' doing.
  await client.ask({ do: 'ask', url: many.url, inFlight: MANY })
  await client.ask({ do: 'ask', url: many.url, inFlight: MANY })
  await delay(500)
  const used = await steadyRss(many.pid)
  const watch = watchRss(many.pid)
  const forMs = part.times(10_000, 5000)
  await client.ask({ do: 'slow', url: many.url, readers: MANY, forMs, pauseMs: 200 })
  part.row({ name: `${MANY} seats used, idle`, value: used, unit: 'MB' })
  part.row({
    name: `added by ${MANY} slow readers of 100 MB answers, peak`,
    value: watch.stop() - used,
    unit: 'MB',
    target: atMost(100),
  })
}
