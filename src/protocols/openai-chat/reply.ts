// Events of a whole run → one chat completion object, equal to what a client joins from the stream.
import { type AgentEvent, assertNever } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import type { ReplyContext } from '../protocol.ts'
import { type Shown, type ShownFinish, Shows } from '../shown.ts'
import { argumentsText, finishReason, wireUsage } from './finish.ts'
import { Reasoning } from './reasoning.ts'
import type { Completion, Message } from './wire.ts'

/** `content` is null only in a reply that consists of calls. @throws Error when `events` holds no finish (a bug). */
export function chatReply(
  turn: Turn,
  context: ReplyContext,
  events: readonly AgentEvent[],
): Completion {
  const shows = new Shows(turn, context)
  const draft = new Draft()
  for (const event of events) {
    for (const shown of shows.show(event)) draft.add(shown)
  }
  const finish = draft.finish
  if (finish === undefined) throw new Error('a reply was asked for without a finish event')
  return {
    id: `chatcmpl-${context.id}`,
    object: 'chat.completion',
    created: context.createdS,
    model: context.model,
    choices: [
      {
        index: 0,
        message: draft.message(),
        logprobs: null,
        finish_reason: finishReason(finish.reason),
      },
    ],
    usage: wireUsage(finish.usage),
  }
}

class Draft {
  finish: ShownFinish | undefined
  readonly #reasoning = new Reasoning()
  readonly #content: string[] = []
  readonly #thoughts: string[] = []
  readonly #calls: NonNullable<Message['tool_calls']> = []

  add(shown: Shown): void {
    switch (shown.type) {
      case 'text-delta':
        this.#content.push(shown.text)
        return
      case 'thinking-delta':
        this.#thoughts.push(this.#reasoning.thinking(shown.text))
        return
      case 'cursor-result':
        this.#thoughts.push(this.#reasoning.toolLine(shown.call, shown.end))
        return
      case 'client-call': {
        const { callId, name, input } = shown.call
        this.#calls.push({
          id: callId,
          type: 'function',
          function: { name, arguments: argumentsText(input) },
        })
        return
      }
      case 'finish':
        this.finish = shown
        return
      case 'thinking-end':
      case 'cursor-call':
      case 'failure':
        return
      default:
        assertNever(shown)
    }
  }

  message(): Message {
    const content = this.#content.join('')
    const thoughts = this.#thoughts.join('')
    const onlyCalls = content === '' && this.#calls.length > 0
    return {
      role: 'assistant',
      content: onlyCalls ? null : content,
      refusal: null,
      ...(thoughts !== '' && { reasoning_content: thoughts }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
    }
  }
}
