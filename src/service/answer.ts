// Turn → events: a request gets a run, or shares or repeats what became of an equal one before it.
import type { Answer, Answerer, RequestFacts } from '../core/answer.ts'
import { assertNever, type Terminal } from '../core/events.ts'
import { Refusal } from '../core/failure.ts'
import type { Start } from '../core/telemetry.ts'
import type { Turn } from '../core/turn.ts'
import { identify } from '../sessions/identity.ts'
import { createFailedTurns } from './failed-turns.ts'
import { fingerprint } from './fingerprint.ts'
import { handOut } from './hand-out.ts'
import { createLiveTurns } from './live-turns.ts'
import type { AnswererParts } from './parts.ts'
import { type Asked, askedOf } from './prepare.ts'
import { chooseRepeat, type RepeatChoice } from './repeats.ts'
import type { Reply } from './reply.ts'
import { createReplyStore } from './reply-store.ts'
import { type Memories, TurnStarter } from './start-turn.ts'

export function createAnswerer(parts: AnswererParts): Answerer {
  return new TurnAnswerer(parts)
}

class TurnAnswerer implements Answerer {
  readonly #parts: AnswererParts
  readonly #memories: Memories
  readonly #starter: TurnStarter
  /** Requests between their look-up and their entry in the store: two equal ones at once must not both run. */
  readonly #starting = new Map<string, Promise<Reply>>()

  constructor(parts: AnswererParts) {
    const { store } = parts.settings
    this.#parts = parts
    this.#memories = {
      store: createReplyStore(store),
      live: createLiveTurns(() => parts.telemetry.retry('superseded')),
      failedTurns: createFailedTurns({ max: store.maxReplies, windowMs: store.windowMs }),
    }
    this.#starter = new TurnStarter(parts, this.#memories)
  }

  countTokens(turn: Turn): Promise<number> {
    return this.#parts.countTokens(turn)
  }

  async answer(turn: Turn, facts: RequestFacts): Promise<Answer> {
    const asked = this.#asked(turn, facts)
    const earlier = this.#memories.store.find(asked.print)
    if (earlier !== undefined) {
      const repeated = await this.#repeat(asked, earlier, this.#chooseRepeat(asked, earlier, facts))
      if (repeated !== undefined) return repeated
    }
    this.#refuseFailed(asked)
    const { conversation } = asked.identity
    const sibling = conversation === undefined ? undefined : this.#starting.get(asked.print)
    if (sibling !== undefined && this.#parts.settings.join) {
      this.#parts.telemetry.retry('joined')
      return this.#hand(asked, await sibling, 'joined')
    }
    return this.#start(asked, facts)
  }

  #asked(turn: Turn, facts: RequestFacts): Asked {
    const { headers, credential, body } = facts
    const { api, bodyIds } = turn
    const identity = identify({ api, headers, bodyIds, turn })
    const { conversation } = identity
    return askedOf(
      turn,
      fingerprint({ api, credential, conversation, headers, body }),
      identity,
      facts,
    )
  }

  #chooseRepeat({ identity }: Asked, earlier: Reply, { headers }: RequestFacts): RepeatChoice {
    return chooseRepeat({
      earlier: earlier.state(),
      hasConversation: identity.conversation !== undefined,
      saysRetry: Number(headers.get('x-stainless-retry-count') ?? '0') > 0,
      join: this.#parts.settings.join,
    })
  }

  /** Undefined where the request gets a run of its own. @throws Refusal where it fails as the earlier one did. */
  async #repeat(asked: Asked, earlier: Reply, choice: RepeatChoice): Promise<Answer | undefined> {
    const { telemetry } = this.#parts
    switch (choice) {
      case 'join':
        telemetry.retry('joined')
        telemetry.sessionTurn('joined')
        return this.#hand(asked, earlier, 'joined')
      case 'replay':
        telemetry.retry('replayed')
        telemetry.sessionTurn('replayed')
        return this.#hand(asked, earlier, 'replayed')
      case 'fail-again':
        telemetry.retry('failed-again')
        throw repeatedFailure(earlier.terminal)
      case 'lost':
        telemetry.retry('failed-again')
        throw new Refusal(
          'agent-failed',
          'the answer to this very request was finished but never delivered, and it is too large to be kept; asking again in the same words would do the work twice. Change the request to run it anew',
          { repeated: true },
        )
      case 'after':
        telemetry.retry('anew')
        if (earlier.terminal === undefined) earlier.cancel('client-gone')
        await earlier.run.settled
        return undefined
      case 'anew':
        return undefined
      default:
        return assertNever(choice)
    }
  }

  /** The client asks to go on where a reply broke off that had done work. */
  #refuseFailed({ turn, key, credential }: Asked): void {
    if (key === undefined || !this.#parts.settings.join) return
    const failed = this.#memories.failedTurns.find({ credential, key }, turn.messages)
    if (failed === undefined) return
    this.#parts.telemetry.retry('failed-again')
    throw repeatedFailure(failed)
  }

  async #start(asked: Asked, facts: RequestFacts): Promise<Answer> {
    const starts = this.#starter.start(asked, facts)
    this.#starting.set(asked.print, starts)
    try {
      return await this.#hand(asked, await starts, undefined)
    } finally {
      if (this.#starting.get(asked.print) === starts) this.#starting.delete(asked.print)
    }
  }

  #hand({ identity, print }: Asked, reply: Reply, start: Start | undefined): Promise<Answer> {
    const { graceMs } = this.#parts.settings
    return handOut({
      reply,
      start,
      session: identity.key,
      graceMs: identity.conversation === undefined ? 0 : graceMs,
      settle: () => this.#memories.store.settle(print, reply),
    })
  }
}

function repeatedFailure(terminal: Terminal | undefined): Refusal {
  if (terminal?.type !== 'failure') throw new Error('a failed reply has a failure')
  return new Refusal(terminal.code, terminal.message, { repeated: true })
}
