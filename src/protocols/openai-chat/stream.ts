// AgentEvent → chat completion chunks. Stateful per reply, O(1) per delta.
import { type AgentEvent, assertNever, type ToolStart } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import type { Frame, ReplyContext, StreamWriter } from '../protocol.ts'
import { type Shown, type ShownFinish, Shows } from '../shown.ts'
import { slotted } from '../slotted.ts'
import { chatFailure } from './failure.ts'
import { argumentsText, finishReason, wireUsage } from './finish.ts'
import { Reasoning } from './reasoning.ts'
import type { Chunk, Delta, FinishReason } from './wire.ts'

const NOTHING: readonly Frame[] = []
const DONE: Frame = { event: undefined, data: '[DONE]' }

/** Role chunk, deltas, exactly one finish chunk, on wish a usage chunk, `[DONE]`; or an error frame as the last. */
export class ChatStream implements StreamWriter {
  readonly #turn: Turn
  readonly #base: Pick<Chunk, 'id' | 'object' | 'created' | 'model'>
  readonly #shows: Shows
  readonly #reasoning = new Reasoning()
  readonly #contentJson: (text: string) => string
  readonly #reasoningJson: (text: string) => string
  #opened = false
  #calls = 0

  constructor(turn: Turn, context: ReplyContext) {
    this.#turn = turn
    this.#base = {
      id: `chatcmpl-${context.id}`,
      object: 'chat.completion.chunk',
      created: context.createdS,
      model: context.model,
    }
    this.#shows = new Shows(turn, context)
    this.#contentJson = slotted((text) => this.#chunk({ content: text }, null))
    this.#reasoningJson = slotted((text) => this.#chunk({ reasoning_content: text }, null))
  }

  event(event: AgentEvent): readonly Frame[] {
    const [first, ...more] = this.#shows.show(event)
    if (first === undefined) return NOTHING
    const head = this.#frames(first)
    const frames = more.length === 0 ? head : [head, ...more.map((one) => this.#frames(one))].flat()
    if (this.#opened || first.type === 'failure' || first.type === 'thinking-end') return frames
    return [...this.#open(), ...frames]
  }

  /** Source: Codex and Qwen ignore comment lines; an empty content delta keeps every client waiting (measured). */
  beat(): readonly Frame[] {
    if (this.#shows.ended) return NOTHING
    const frame = { event: undefined, data: this.#contentJson('') }
    return this.#opened ? [frame] : [...this.#open(), frame]
  }

  #open(): readonly Frame[] {
    this.#opened = true
    return [this.#frame(this.#chunk({ role: 'assistant', content: '' }, null))]
  }

  #frames(shown: Shown): readonly Frame[] {
    switch (shown.type) {
      case 'text-delta':
        return [{ event: undefined, data: this.#contentJson(shown.text) }]
      case 'thinking-delta':
        return [this.#reasoningFrame(this.#reasoning.thinking(shown.text))]
      case 'cursor-result':
        return [this.#reasoningFrame(this.#reasoning.toolLine(shown.call, shown.end))]
      case 'client-call':
        return [this.#callFrame(shown.call)]
      case 'thinking-end':
      case 'cursor-call':
        return NOTHING
      case 'finish':
        return this.#finish(shown)
      case 'failure':
        return [{ event: undefined, data: JSON.stringify(chatFailure(shown)) }]
      default:
        return assertNever(shown)
    }
  }

  #reasoningFrame(text: string): Frame {
    return { event: undefined, data: this.#reasoningJson(text) }
  }

  #callFrame(call: ToolStart): Frame {
    const index = this.#calls++
    return this.#frame(
      this.#chunk(
        {
          tool_calls: [
            {
              index,
              id: call.callId,
              type: 'function',
              function: { name: call.name, arguments: argumentsText(call.input) },
            },
          ],
        },
        null,
      ),
    )
  }

  #finish(finish: ShownFinish): readonly Frame[] {
    const last = this.#frame(this.#chunk({}, finishReason(finish.reason)))
    if (!this.#turn.reply.usageChunk) return [last, DONE]
    const usage: Chunk = { ...this.#base, choices: [], usage: wireUsage(finish.usage) }
    return [last, this.#frame(usage), DONE]
  }

  #chunk(delta: Delta, finish: FinishReason | null): Chunk {
    return {
      ...this.#base,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    }
  }

  #frame(chunk: Chunk): Frame {
    return { event: undefined, data: JSON.stringify(chunk) }
  }
}
