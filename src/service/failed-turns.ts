// Turns that failed after work, by what they were to answer: asking to go on from there must not do the work again.
import { LRUCache } from 'lru-cache'
import type { Failure } from '../core/events.ts'
import type { SessionId } from '../core/ids.ts'
import type { Message } from '../core/turn.ts'
import { beforeCutOff } from '../sessions/cut-off.ts'
import { type Chain, readTranscript } from '../sessions/transcript.ts'

export interface FailedTurn {
  readonly credential: string
  readonly key: SessionId
  /** The transcript that was to be answered. */
  readonly chain: Chain
}

export interface FailedTurns {
  put(turn: FailedTurn, failure: Failure): void
  /** How the turn failed that these messages ask to go on with; undefined where they ask for something else. */
  find(asked: Omit<FailedTurn, 'chain'>, messages: readonly Message[]): Failure | undefined
}

/** `windowMs`: how long after the failure it is still found. */
export function createFailedTurns(limits: {
  readonly max: number
  readonly windowMs: number
}): FailedTurns {
  const failed = new LRUCache<string, Failure>({ max: limits.max, ttl: limits.windowMs })
  return {
    put(turn, failure) {
      failed.set(placeOf(turn), failure)
    },
    find(asked, messages) {
      const before = beforeCutOff(messages)
      if (before === undefined) return undefined
      return failed.get(placeOf({ ...asked, chain: readTranscript(before).whole }))
    },
  }
}

function placeOf({ credential, key, chain }: FailedTurn): string {
  return `${credential}\n${key}\n${chain}`
}
