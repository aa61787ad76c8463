// A Run that plays events, one a batch, and notes what is done to it.
import type { AgentEvent, Batch } from '../../src/core/events.ts'
import { runId } from '../../src/core/ids.ts'
import type { Run } from '../../src/core/run.ts'

const CANCELLED: AgentEvent = { type: 'failure', code: 'cancelled', message: 'cancelled' }

export interface ScriptedRun extends Run {
  readonly cancelled: () => boolean
}

export function scriptedRun(events: readonly AgentEvent[]): ScriptedRun {
  let at = 0
  let cancelled = false
  let over = false
  return {
    id: runId('run'),
    backend: 'print',
    async next(): Promise<Batch | undefined> {
      if (over) return undefined
      const event = cancelled ? CANCELLED : events[at]
      at += 1
      over = event === undefined || event.type === 'finish' || event.type === 'failure'
      return event === undefined ? undefined : { events: [event], readAtMs: 0 }
    },
    cancel() {
      cancelled = true
    },
    marks: () => ({ queueMs: 0, launchMs: 0, dispatchMs: 0, agentMs: 0, start: 'warm' }),
    settled: Promise.resolve(),
    cancelled: () => cancelled,
  }
}

/** Every event until the run has no more. */
export async function readRun(run: Run): Promise<AgentEvent[]> {
  const events: AgentEvent[] = []
  for (let batch = await run.next(); batch !== undefined; batch = await run.next()) {
    events.push(...batch.events)
  }
  return events
}
