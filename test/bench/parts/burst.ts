// Burst: one stream as fast as it goes, against the bare pipe, and whether memory grows with its length.
import type { Part } from '../context.ts'
import type { Measured } from '../helper.ts'
import { atLeast, atMost } from '../report.ts'
import { watchRss } from '../rss.ts'
import { median } from '../stats.ts'

export async function burst(part: Part): Promise<void> {
  const service = await part.service()
  const client = part.helper('client')
  const direct = part.helper('direct')
  const events = part.times(300_000, 100_000)
  const bare: Measured[] = []
  const ours: Measured[] = []
  for (let round = 0; round < part.times(6, 4); round += 1) {
    const question = `burst ${events}`
    bare.push(await direct.ask({ do: 'burst', question }))
    ours.push(await client.ask({ do: 'burst', question, url: service.url }))
  }
  const perSecond = (runs: readonly Measured[]): number =>
    median(runs.map(({ ms }) => (events * 1000) / (ms?.[0] ?? Number.NaN)))
  const megabytes = (runs: readonly Measured[]): number =>
    median(runs.map(({ ms, bytes }) => (bytes?.[0] ?? 0) / 1000 / (ms?.[0] ?? Number.NaN)))
  part.row({ name: 'bare pipe: events', value: perSecond(bare), unit: '/s' })
  part.row({ name: 'bare pipe: MB per second', value: megabytes(bare), unit: 'MB' })
  part.row({ name: 'service: events', value: perSecond(ours), unit: '/s' })
  part.row({ name: 'service: MB per second', value: megabytes(ours), unit: 'MB' })
  part.row({
    name: "share of the bare pipe's events",
    value: perSecond(ours) / perSecond(bare),
    unit: '×',
    target: atLeast(0.4),
  })
  const short = await peakDuring(service.pid, () =>
    client.ask({ do: 'burst', question: 'burst 300000', url: service.url }),
  )
  const long = await peakDuring(service.pid, () =>
    client.ask({ do: 'burst', question: 'burst 1000000', url: service.url }),
  )
  part.row({ name: 'peak RSS during 300,000 events', value: short, unit: 'MB' })
  part.row({
    name: 'growth of the peak at 1,000,000 events',
    value: long - short,
    unit: 'MB',
    target: atMost(20),
  })
}

async function peakDuring(pid: number, work: () => Promise<unknown>): Promise<number> {
  const watch = watchRss(pid)
  await work()
  return watch.stop()
}
