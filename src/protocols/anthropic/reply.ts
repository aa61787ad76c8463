// Events of a whole run → one message, equal to what a client joins from the stream.
import { type AgentEvent, assertNever } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import { Blocks } from '../blocks.ts'
import type { ReplyContext } from '../protocol.ts'
import { type Shown, type ShownFinish, Shows } from '../shown.ts'
import {
  emptyMessage,
  stopReason,
  textBlock,
  thinkingBlock,
  toolUseBlock,
  wireUsage,
} from './finish.ts'
import { serverToolResultBlock, serverToolUseBlock } from './server-tools.ts'
import { type ContentBlock, type Message, SIGNATURE } from './wire.ts'

/** @throws Error when `events` holds no finish (a bug). */
export function messagesReply(
  turn: Turn,
  context: ReplyContext,
  events: readonly AgentEvent[],
): Message {
  const shows = new Shows(turn, context)
  const draft = new Draft()
  for (const event of events) {
    for (const shown of shows.show(event)) draft.add(shown)
  }
  const finish = draft.finish
  if (finish === undefined) throw new Error('a reply was asked for without a finish event')
  return {
    ...emptyMessage(context),
    content: draft.content(),
    stop_reason: stopReason(finish.reason),
    stop_sequence: finish.stopSequence,
    usage: wireUsage(finish.usage),
  }
}

class Draft {
  finish: ShownFinish | undefined
  readonly #blocks = new Blocks()
  readonly #content: ContentBlock[] = []

  add(shown: Shown): void {
    switch (shown.type) {
      case 'text-delta':
      case 'thinking-delta':
        this.#addText(shown.type === 'text-delta' ? 'text' : 'thinking', shown.text)
        return
      case 'thinking-end':
        this.#blocks.close('thinking')
        return
      case 'client-call':
        this.#addWhole(toolUseBlock(shown.call, shown.call.input ?? {}))
        return
      case 'cursor-call':
        this.#addWhole(serverToolUseBlock(shown.call, shown.call.input ?? {}))
        return
      case 'cursor-result':
        this.#addWhole(serverToolResultBlock(shown.call, shown.end))
        return
      case 'finish':
        this.finish = shown
        return
      case 'failure':
        return
      default:
        assertNever(shown)
    }
  }

  content(): ContentBlock[] {
    const answered = this.#content.some(({ type }) => type === 'text' || type === 'tool_use')
    return answered ? this.#content : [...this.#content, textBlock('')]
  }

  #addWhole(block: ContentBlock): void {
    this.#blocks.begin('whole')
    this.#content.push(block)
  }

  #addText(kind: 'text' | 'thinking', text: string): void {
    const opened = this.#blocks.enter(kind).length > 0
    const last = this.#content.at(-1)
    if (opened) {
      this.#content.push(kind === 'text' ? textBlock(text) : thinkingBlock(text, SIGNATURE))
    } else if (last?.type === 'text') last.text += text
    else if (last?.type === 'thinking') last.thinking += text
  }
}
