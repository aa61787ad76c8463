// Events of a whole run → one response object, equal to what a client joins from the stream.
import type { AgentEvent } from '../../core/events.ts'
import type { Turn } from '../../core/turn.ts'
import type { ReplyContext } from '../protocol.ts'
import { type ShownFinish, Shows } from '../shown.ts'
import { Output } from './output.ts'
import { ResponseForms } from './response.ts'
import type { Response } from './wire.ts'

/** @throws Error when `events` holds no finish (a bug). */
export function responsesReply(
  turn: Turn,
  context: ReplyContext,
  events: readonly AgentEvent[],
): Response {
  const shows = new Shows(turn, context)
  const output = new Output(context.id, turn.reply.responses)
  let finish: ShownFinish | undefined
  for (const event of events) {
    for (const shown of shows.show(event)) {
      output.add(shown)
      if (shown.type === 'finish') finish = shown
    }
  }
  if (finish === undefined) throw new Error('a reply was asked for without a finish event')
  return new ResponseForms(turn, context).finished(output.items, finish)
}
