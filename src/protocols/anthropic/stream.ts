// AgentEvent → Messages events. Stateful per reply, O(1) per delta.
import { type AgentEvent, assertNever } from '../../core/events.ts'
import type { Json, Turn } from '../../core/turn.ts'
import { type BlockStep, Blocks } from '../blocks.ts'
import type { Frame, ReplyContext, StreamWriter } from '../protocol.ts'
import { type Shown, type ShownFinish, Shows } from '../shown.ts'
import { slotted } from '../slotted.ts'
import { messagesFailure } from './failure.ts'
import {
  deltaUsage,
  emptyMessage,
  stopReason,
  textBlock,
  thinkingBlock,
  toolUseBlock,
} from './finish.ts'
import { serverToolResultBlock, serverToolUseBlock } from './server-tools.ts'
import { type ContentBlock, NO_MESSAGE_EXTRAS, SIGNATURE, type StreamEvent } from './wire.ts'

const NOTHING: readonly Frame[] = []

/**
 * `message_start`, blocks one after the other, `message_delta`, `message_stop`; or an `error` event as the last.
 * Every whole reply has at least one text or tool_use block: an answer without any gets an empty text block, because
 * clients read the first text block unasked.
 */
export class MessagesStream implements StreamWriter {
  readonly #context: ReplyContext
  readonly #shows: Shows
  readonly #blocks = new Blocks()
  #opened = false
  #answered = false
  #deltaJson: (text: string) => string = () => ''

  constructor(turn: Turn, context: ReplyContext) {
    this.#context = context
    this.#shows = new Shows(turn, context)
  }

  event(event: AgentEvent): readonly Frame[] {
    const [first, ...more] = this.#shows.show(event)
    if (first === undefined) return NOTHING
    const head = this.#frames(first)
    const frames = more.length === 0 ? head : [head, ...more.map((one) => this.#frames(one))].flat()
    if (this.#opened || frames.length === 0 || first.type === 'failure') return frames
    this.#opened = true
    return [frameOf({ type: 'message_start', message: emptyMessage(this.#context) }), ...frames]
  }

  beat(): readonly Frame[] {
    return this.#shows.ended ? NOTHING : [frameOf({ type: 'ping' })]
  }

  #frames(shown: Shown): readonly Frame[] {
    switch (shown.type) {
      case 'text-delta':
        this.#answered = true
        return this.#delta('text', shown.text)
      case 'thinking-delta':
        return this.#delta('thinking', shown.text)
      case 'thinking-end':
        return this.#blocks.close('thinking').flatMap(stepFrames)
      case 'client-call':
        this.#answered = true
        return this.#whole(toolUseBlock(shown.call, {}), shown.call.input)
      case 'cursor-call':
        return this.#whole(serverToolUseBlock(shown.call, {}), shown.call.input)
      case 'cursor-result':
        return this.#whole(serverToolResultBlock(shown.call, shown.end))
      case 'finish':
        return this.#finish(shown)
      case 'failure':
        return [frameOf(messagesFailure(shown))]
      default:
        return assertNever(shown)
    }
  }

  #delta(kind: 'text' | 'thinking', text: string): readonly Frame[] {
    const steps = this.#blocks.enter(kind)
    if (steps.length === 0) return [this.#deltaFrame(text)]
    const { index } = this.#blocks
    this.#deltaJson = slotted((slot) => deltaEvent(kind, index, slot))
    return [...steps.flatMap(stepFrames), this.#deltaFrame(text)]
  }

  #deltaFrame(text: string): Frame {
    return { event: 'content_block_delta', data: this.#deltaJson(text) }
  }

  /** A block that is complete at once: opened, its input if it has one, closed. */
  #whole(block: ContentBlock, input?: Json): readonly Frame[] {
    const closed = this.#blocks.close().flatMap(stepFrames)
    this.#blocks.begin('whole')
    const { index } = this.#blocks
    const delta = input === undefined ? [] : [inputFrame(index, input)]
    const stopped = this.#blocks.close().flatMap(stepFrames)
    return [...closed, openFrame(index, block), ...delta, ...stopped]
  }

  #finish(finish: ShownFinish): readonly Frame[] {
    const empty = this.#answered ? [] : this.#blocks.enter('text')
    return [
      ...[...empty, ...this.#blocks.close()].flatMap(stepFrames),
      frameOf({
        type: 'message_delta',
        delta: {
          stop_reason: stopReason(finish.reason),
          stop_sequence: finish.stopSequence,
          container: NO_MESSAGE_EXTRAS.container,
          stop_details: NO_MESSAGE_EXTRAS.stop_details,
        },
        usage: deltaUsage(finish.usage),
      }),
      frameOf({ type: 'message_stop' }),
    ]
  }
}

function deltaEvent(kind: 'text' | 'thinking', index: number, text: string): StreamEvent {
  return kind === 'text'
    ? { type: 'content_block_delta', index, delta: { type: 'text_delta', text } }
    : { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } }
}

/** Frames of a step. A call is opened by its writer, which knows its name; starts never carry content. */
function stepFrames({ step, kind, index }: BlockStep): readonly Frame[] {
  if (step === 'open') {
    return [openFrame(index, kind === 'thinking' ? thinkingBlock('', '') : textBlock(''))]
  }
  const stop = frameOf({ type: 'content_block_stop', index })
  if (kind !== 'thinking') return [stop]
  const signature: StreamEvent = {
    type: 'content_block_delta',
    index,
    delta: { type: 'signature_delta', signature: SIGNATURE },
  }
  return [frameOf(signature), stop]
}

function inputFrame(index: number, input: Json): Frame {
  return frameOf({
    type: 'content_block_delta',
    index,
    delta: { type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) },
  })
}

function openFrame(index: number, block: ContentBlock): Frame {
  return frameOf({ type: 'content_block_start', index, content_block: block })
}

function frameOf(event: StreamEvent): Frame {
  return { event: event.type, data: JSON.stringify(event) }
}
