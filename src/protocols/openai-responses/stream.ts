// AgentEvent → Responses events. Stateful per reply, O(1) per delta.
import { type AgentEvent, assertNever } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import type { Frame, ReplyContext, StreamWriter } from '../protocol.ts'
import { type Shown, Shows } from '../shown.ts'
import { slotted } from '../slotted.ts'
import { callEvents, closeEvents, deltaEvent, openEvents, type Unnumbered } from './frames.ts'
import { Output, type OutputStep, type TextKind } from './output.ts'
import { ResponseForms } from './response.ts'
import type { Response } from './wire.ts'

const NOTHING: readonly Frame[] = []

/**
 * `response.created`, `response.in_progress`, items one after the other, then `response.completed` or
 * `response.incomplete`; or `response.failed` as the last. No `[DONE]`: this API has none.
 */
export class ResponsesStream implements StreamWriter {
  readonly #turn: Turn
  readonly #context: ReplyContext
  readonly #shows: Shows
  readonly #forms: ResponseForms
  readonly #output: Output
  #number = 0
  #opened = false
  #deltaType = ''
  #deltaJson: (text: string) => string = () => ''

  constructor(turn: Turn, context: ReplyContext) {
    this.#turn = turn
    this.#context = context
    this.#shows = new Shows(turn, context)
    this.#forms = new ResponseForms(turn, context)
    this.#output = new Output(context.id, turn.reply.responses)
  }

  event(event: AgentEvent): readonly Frame[] {
    const shown = this.#shows.show(event)
    const [first] = shown
    if (first === undefined) return NOTHING
    // A failure before anything was shown opens no reply; the end of hidden thinking is nothing to show.
    const opening =
      this.#opened || first.type === 'failure' || first.type === 'thinking-end' ? [] : this.#open()
    if (shown.length === 1 && opening.length === 0) return this.#frames(first)
    return [...opening, ...shown.flatMap((one) => this.#frames(one))]
  }

  /**
   * Source: other forms make the openai SDK's stream helper throw; Codex and Qwen count only events with data (measured
   * with Codex 0.171.0, Qwen Code 0.24.4, openai 6.49).
   */
  beat(): readonly Frame[] {
    if (this.#shows.ended) return NOTHING
    if (!this.#opened) return this.#open()
    if (this.#output.open !== undefined) return [this.#deltaFrame('')]
    return [this.#lifecycle('response.in_progress', this.#forms.inProgress(this.#output.items))]
  }

  #open(): readonly Frame[] {
    this.#opened = true
    const response = this.#forms.inProgress([])
    return [
      this.#lifecycle('response.created', response),
      this.#lifecycle('response.in_progress', response),
    ]
  }

  #frames(shown: Shown): readonly Frame[] {
    const steps = this.#output.add(shown)
    const [first] = steps
    if (steps.length === 1 && first?.step === 'delta') return [this.#deltaFrame(first.text)]
    const frames = steps.flatMap((step) => this.#stepFrames(step))
    if (shown.type === 'finish') {
      const response = this.#forms.finished(this.#output.items, shown)
      this.#context.onReply?.(response)
      const ended = response.status === 'incomplete' ? 'incomplete' : 'completed'
      return [...frames, this.#lifecycle(`response.${ended}`, response)]
    }
    if (shown.type !== 'failure') return frames
    const response = this.#forms.failed(this.#output.partial(), shown)
    return [...frames, this.#lifecycle('response.failed', response)]
  }

  #stepFrames(step: OutputStep): readonly Frame[] {
    switch (step.step) {
      case 'open': {
        this.#expectDeltas(step.kind, step.index, step.id)
        return this.#numbered(openEvents(step, this.#turn.reply.responses))
      }
      case 'delta':
        return [this.#deltaFrame(step.text)]
      case 'close':
        return this.#numbered(closeEvents(step))
      case 'whole':
        return this.#numbered(callEvents(step.index, step.item))
      default:
        return assertNever(step)
    }
  }

  #expectDeltas(kind: TextKind, index: number, id: string): void {
    this.#deltaType = deltaEvent(kind, index, id, '').type
    this.#deltaJson = slotted((text) => deltaEvent(kind, index, id, text))
  }

  /** The number stands last, so that the rest is the same for every delta of an item. */
  #deltaFrame(text: string): Frame {
    const json = this.#deltaJson(text)
    return {
      event: this.#deltaType,
      data: `${json.slice(0, -1)},"sequence_number":${this.#number++}}`,
    }
  }

  #lifecycle(
    type:
      | 'response.created'
      | 'response.in_progress'
      | 'response.completed'
      | 'response.incomplete'
      | 'response.failed',
    response: Response,
  ): Frame {
    return this.#frame({ type, response })
  }

  #numbered(events: readonly Unnumbered[]): readonly Frame[] {
    return events.map((event) => this.#frame(event))
  }

  #frame(event: Unnumbered): Frame {
    return {
      event: event.type,
      data: JSON.stringify({ ...event, sequence_number: this.#number++ }),
    }
  }
}
