// How a turn ended → its last events.
import { type AgentEvent, assertNever, type Failure } from '../../core/events.ts'
import { cancelled } from '../cancelled.ts'
import { AcpRefusal } from './client.ts'
import { isMissingSession, sessionGone } from './failures.ts'
import type { AcpLink } from './link.ts'
import type { Turn, TurnEnd } from './turn.ts'

export interface TurnFacts {
  readonly link: AcpLink
  /** The model that was asked for. */
  readonly model: string
  /** Whether we ended the child ourselves: then its last words mean nothing. */
  readonly isClosed: () => boolean
}

/** The last one is terminal. After a prompt nothing says `again: 'same'`: it may have worked. */
export async function lastEvents(
  turn: Turn,
  end: TurnEnd,
  { link, model, isClosed }: TurnFacts,
): Promise<readonly AgentEvent[]> {
  const { reader } = turn
  switch (end.at) {
    case 'stopped':
      return [cancelled]
    case 'answered':
      return reader.end(end.stopReason, link.said)
    case 'refused': {
      const failure = await refusal(end.error, link, model)
      return reader.fail(() => (isClosed() ? cancelled : failure))
    }
    case 'over': {
      const exit = await link.exit()
      return reader.fail((dump) => (isClosed() ? cancelled : link.lastWords(exit, dump, model)))
    }
    default:
      return assertNever(end)
  }
}

async function refusal(error: unknown, link: AcpLink, model: string): Promise<Failure> {
  if (!(error instanceof AcpRefusal)) return link.lastWords(await link.exit(), '', model)
  if (isMissingSession(error.code, error.message)) return sessionGone
  return link.explain(error, { method: 'session/prompt', ms: 0, model })
}
