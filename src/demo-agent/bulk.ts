// Many deltas: as fast as the pipe takes them, or paced exactly. Shapes are those of lines.ts.
import { numberAt, objectAt } from '../lib/json.ts'
import { pause } from './life.ts'
import { misuse } from './refusal.ts'
import type { Step } from './script.ts'
import type { Effect } from './stage.ts'

const BATCH_CHARS = 64 * 1024

/** Each delta begins with its number, so that a lost, doubled or swapped one shows: `17 xxxxx`. */
export const burst: Effect = async (step, { answer }) => {
  const { events, perSecond, size = 20 } = amounts(step, 'burst')
  const filler = 'x'.repeat(size)
  const textOf = (index: number): string => `${index} ${filler}`.slice(0, size)
  if (perSecond !== undefined) {
    await paced(events, perSecond, (index) => answer.delta(textOf(index)))
    return
  }
  const frame = answer.deltaFrame()
  let batch = ''
  let texts = ''
  for (let index = 0; index < events; index += 1) {
    const text = textOf(index)
    batch += frame(text)
    texts += text
    if (batch.length < BATCH_CHARS && index + 1 < events) continue
    answer.heard(texts)
    await answer.bulk(batch)
    batch = ''
    texts = ''
  }
}

/** The text is the monotonic clock (process.hrtime) in nanoseconds at the moment of writing, and a blank. */
export const stamps: Effect = async (step, { answer }) => {
  const { events, perSecond } = amounts(step, 'stamps')
  await paced(events, perSecond, () => answer.delta(`${process.hrtime.bigint()} `))
}

function amounts(
  step: Step,
  name: string,
): { readonly events: number; readonly perSecond?: number; readonly size?: number } {
  const given = objectAt(step, name) ?? {}
  const events = numberAt(given, 'events')
  const perSecond = numberAt(given, 'perSecond')
  const size = numberAt(given, 'size')
  if (events === undefined || (perSecond !== undefined && perSecond <= 0)) {
    throw misuse(`${name} needs events, and perSecond above zero: ${JSON.stringify(step)}`)
  }
  return {
    events,
    ...(perSecond === undefined ? {} : { perSecond }),
    ...(size === undefined ? {} : { size }),
  }
}

/**
 * Calls `one` `events` times, the n-th not before n / perSecond after the start: lateness never adds up. Without
 * `perSecond` as fast as `one` lets it.
 */
async function paced(
  events: number,
  perSecond: number | undefined,
  one: (index: number) => Promise<void> | undefined,
): Promise<void> {
  const startMs = performance.now()
  for (let index = 0; index < events; index += 1) {
    if (perSecond !== undefined)
      await pause(startMs + (index * 1000) / perSecond - performance.now())
    await one(index)
  }
}
