// Cancel: from the client's leaving (where a retry is possible: from the end of its grace) until the child is gone.

import { setTimeout as delay } from 'node:timers/promises'
import type { Service } from '../../support/service.ts'
import { isAlive } from '../../support/until.ts'
import type { Part } from '../context.ts'
import type { Helper } from '../helper.ts'
import { nowMs } from '../helpers/wire.ts'
import { atMost } from '../report.ts'
import { DEAF_SCRIPT } from '../script.ts'
import { largest, median } from '../stats.ts'

const KILL_GRACE_MS = 500
const RETRY_GRACE_MS = 750
const SLACK_MS = 150

export async function cancel(part: Part): Promise<void> {
  const polite = await part.service()
  const deaf = await part.service({ script: DEAF_SCRIPT })
  const client = part.helper('client')
  const times = part.times(8, 3)
  const cases = [
    { name: 'polite', service: polite, limitMs: SLACK_MS, grace: false },
    { name: 'polite, after the retry grace', service: polite, limitMs: SLACK_MS, grace: true },
    { name: 'deaf to SIGTERM', service: deaf, limitMs: KILL_GRACE_MS + SLACK_MS, grace: false },
  ]
  for (const { name, service, limitMs, grace } of cases) {
    const goneMs: number[] = []
    for (let time = 0; time < times; time += 1) goneMs.push(await once(client, service, grace))
    const unit = 'ms'
    part.row({ name: `${name}: child gone after, median`, value: median(goneMs), unit })
    part.row({
      name: `${name}: child gone after, slowest of ${times}`,
      value: largest(goneMs),
      unit,
      target: atMost(limitMs),
    })
  }
}

let conversations = 0

async function once(client: Helper, service: Service, grace: boolean): Promise<number> {
  const task = { do: 'leave', url: service.url }
  conversations += 1
  const { leftAt } = await client.ask(
    grace ? { ...task, conversation: `bench-${conversations}` } : task,
  )
  const pid = lastPrompted(service)
  while (isAlive(pid)) await delay(1)
  return nowMs() - (leftAt?.[0] ?? Number.NaN) - (grace ? RETRY_GRACE_MS : 0)
}

function lastPrompted(service: Service): number {
  const pid = service.journal().findLast((fact) => fact.event === 'prompt')?.pid
  if (typeof pid !== 'number') throw new Error('no agent got a prompt')
  return pid
}
