// The response object in each of its states, the same in stream and whole reply.
import type { ReplyUsage } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import type { ReplyContext, WireFailure } from '../protocol.ts'
import type { ShownFinish } from '../shown.ts'
import { responseError } from './failure.ts'
import type { OutputItem, Response, ResponseUsage } from './wire.ts'

/** Tools and instructions are tens of kilobytes with Codex: too much for the way to the first word. */
const NOT_REPEATED = { instructions: null, tools: [] }

/** Makes the objects of one reply. */
export class ResponseForms {
  readonly #turn: Turn
  readonly #base: Pick<Response, 'id' | 'object' | 'created_at' | 'model'>

  constructor(turn: Turn, context: ReplyContext) {
    this.#turn = turn
    this.#base = {
      id: `resp_${context.id}`,
      object: 'response',
      created_at: context.createdS,
      model: context.model,
    }
  }

  /** Without the request's long fields: it is sent at the start and with every sign of life. */
  inProgress(output: OutputItem[]): Response {
    return {
      ...this.#turn.reply.responses?.echo,
      ...NOT_REPEATED,
      ...this.#base,
      status: 'in_progress',
      error: null,
      incomplete_details: null,
      output,
      usage: null,
    }
  }

  finished(output: OutputItem[], finish: ShownFinish): Response {
    const cut = finish.reason === 'length'
    return {
      ...this.#whole(),
      status: cut ? 'incomplete' : 'completed',
      error: null,
      incomplete_details: cut ? { reason: 'max_output_tokens' } : null,
      output,
      usage: wireUsage(finish.usage),
    }
  }

  failed(output: OutputItem[], failure: WireFailure): Response {
    return {
      ...this.#whole(),
      status: 'failed',
      error: responseError(failure),
      incomplete_details: null,
      output,
      usage: null,
    }
  }

  #whole() {
    const form = this.#turn.reply.responses
    return { ...form?.echo, ...form?.longEcho, ...this.#base }
  }
}

/** `input_tokens` includes cached ones, each counted once. */
function wireUsage(usage: ReplyUsage): ResponseUsage {
  const input = usage.input + usage.cacheRead + usage.cacheWrite
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead, cache_write_tokens: usage.cacheWrite },
    output_tokens: usage.output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + usage.output,
  }
}
