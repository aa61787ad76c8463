// The newest running turn of each conversation: a newer request takes its place, a late older one is turned away.
import { Refusal } from '../core/failure.ts'
import type { SessionId } from '../core/ids.ts'
import type { Transcript } from '../sessions/transcript.ts'
import type { Reply } from './reply.ts'

interface LiveTurn {
  readonly reply: Reply
  readonly transcript: Transcript
}

export interface LiveTurns {
  /**
   * Makes way for a turn of this conversation: ends a running older one and resolves when its agent is gone.
   * @throws Refusal superseded when the running turn is the newer one.
   */
  makeWay(key: SessionId, transcript: Transcript): Promise<void>
  enter(key: SessionId, turn: LiveTurn): void
}

export function createLiveTurns(onSuperseded: () => void): LiveTurns {
  const turns = new Map<SessionId, LiveTurn>()
  return {
    async makeWay(key, transcript) {
      const running = turns.get(key)
      if (running === undefined) return
      if (running.reply.state().at === 'cancelled') {
        await running.reply.run.settled
        return
      }
      if (running.reply.terminal !== undefined) return
      onSuperseded()
      if (isOlder(transcript, running.transcript)) {
        throw new Refusal(
          'superseded',
          'a newer request of this conversation is already running, and this one holds only an earlier part of it; nothing was started',
        )
      }
      running.reply.cancel('superseded')
      await running.reply.run.settled
    },
    enter(key, turn) {
      turns.set(key, turn)
      void turn.reply.run.settled.then(() => {
        if (turns.get(key) === turn) turns.delete(key)
      })
    },
  }
}

/** True when `one` is a proper beginning of `other`. */
function isOlder(one: Transcript, other: Transcript): boolean {
  return one.turns < other.turns && other.chains[one.turns - 1] === one.whole
}
