// Counts what passes through one reply, once, however many readers it has, and completes its finish event.
import type { AgentEvent, Batch, Finish } from '../core/events.ts'
import type { Telemetry } from '../core/telemetry.ts'
import { createTokenMeter } from '../prompt/tokens.ts'
import { replyUsage, withoutDoubleCache } from './usage.ts'

export interface MeterParts {
  readonly telemetry: Telemetry
  readonly usageSetting: 'prompt' | 'cursor'
  /** Our count of the request; resolved before the first finish can be handed out. */
  readonly inputTokens: Promise<number>
  /** Asked at the end: whether the reply is a part of a run that spans several. */
  readonly isPart?: () => boolean
  /** Told every event too. */
  readonly look?: (event: AgentEvent) => void
}

export interface Meter {
  /** The batch to hand on: the same one unless it holds the finish event. */
  pass(batch: Batch): Promise<Batch> | Batch
  readonly outputTokens: () => number
}

export function createMeter(parts: MeterParts): Meter {
  const { telemetry } = parts
  const output = createTokenMeter()
  const thinking = createTokenMeter()
  let toolRan = false

  const look = (event: AgentEvent): void => {
    switch (event.type) {
      case 'thinking-delta':
        thinking.add(event.text)
        output.add(event.text)
        return
      case 'text-delta':
        output.add(event.text)
        return
      case 'tool-start':
        toolRan = true
        telemetry.toolCall(event.name, event.host)
        return
      case 'tool-end':
        for (const tool of event.inner ?? []) telemetry.toolCall(tool, 'subagent')
        return
      case 'unknown':
        telemetry.unknownEvent(event.kind)
        return
      case 'started':
      case 'thinking-end':
      case 'activity':
      case 'finish':
      case 'failure':
        return
    }
  }

  const complete = async (finish: Finish): Promise<Finish> => {
    const inputTokens = await parts.inputTokens
    const usage = replyUsage({
      setting: parts.usageSetting,
      inputTokens,
      outputTokens: output.total(),
      cursor: finish.cursorUsage,
      toolRan,
      isPart: parts.isPart?.() ?? false,
    })
    telemetry.tokens('input', 'estimate', inputTokens)
    telemetry.tokens('output', 'estimate', output.total())
    if (finish.cursorUsage !== undefined) {
      const cursor = withoutDoubleCache(finish.cursorUsage)
      telemetry.tokens('input', 'cursor', cursor.input)
      telemetry.tokens('output', 'cursor', cursor.output)
      telemetry.tokens('cache_read', 'cursor', cursor.cacheRead)
      telemetry.tokens('cache_write', 'cursor', cursor.cacheWrite)
    }
    const reasoning = Math.min(thinking.total(), usage.output)
    return { ...finish, usage: { ...usage, reasoning } }
  }

  const passFinish = async (batch: Batch, finish: Finish): Promise<Batch> => ({
    ...batch,
    events: [...batch.events.slice(0, -1), await complete(finish)],
  })

  return {
    pass(batch) {
      for (const event of batch.events) {
        look(event)
        parts.look?.(event)
      }
      const last = batch.events.at(-1)
      return last?.type === 'finish' ? passFinish(batch, last) : batch
    },
    outputTokens: () => output.total(),
  }
}
