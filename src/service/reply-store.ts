// Which replies can still matter to a retry: running ones, undelivered ones, failures after work. Bounded in bytes,
// in number and in time.
import type { Budget, Reply } from './reply.ts'

export interface StoreLimits {
  readonly maxBytes: number
  readonly maxReplies: number
  /** How long an ended reply can still be asked for, ms. */
  readonly windowMs: number
}

export interface ReplyStore {
  readonly budget: Budget
  find(fingerprint: string): Reply | undefined
  /** The newest reply for this fingerprint; an older one is no longer found. */
  put(fingerprint: string, reply: Reply): void
  /** The reply is over: forgotten at once when it was delivered or a retry would run anew anyway. */
  settle(fingerprint: string, reply: Reply): void
  readonly size: () => number
}

export function createReplyStore(limits: StoreLimits): ReplyStore {
  const replies = new Map<string, Reply>()
  let held = 0

  const forget = (fingerprint: string, reply: Reply): void => {
    reply.stopKeeping()
    if (replies.get(fingerprint) === reply) replies.delete(fingerprint)
  }

  const dropOldest = (): void => {
    for (const [fingerprint, reply] of replies) {
      if (replies.size <= limits.maxReplies) return
      if (reply.terminal !== undefined) forget(fingerprint, reply)
    }
  }

  return {
    budget: {
      take(bytes) {
        if (held + bytes > limits.maxBytes) return false
        held += bytes
        return true
      },
      give(bytes) {
        held -= bytes
      },
    },
    find: (fingerprint) => replies.get(fingerprint),
    put(fingerprint, reply) {
      replies.get(fingerprint)?.stopKeeping()
      // Re-inserted, so that the map's order is the order of age.
      replies.delete(fingerprint)
      replies.set(fingerprint, reply)
      dropOldest()
    },
    settle(fingerprint, reply) {
      const state = reply.state()
      if (state.at === 'cancelled') {
        // An equal request waits until its agent is gone: two runs of one request must not overlap.
        void reply.run.settled.then(() => forget(fingerprint, reply))
        return
      }
      const matters =
        (state.at === 'finished' && !state.delivered) || (state.at === 'failed' && state.worked)
      if (!matters) {
        forget(fingerprint, reply)
        return
      }
      // Of a failure only the fact is needed, not the text that came before it.
      if (state.at === 'failed') reply.stopKeeping()
      setTimeout(forget, limits.windowMs, fingerprint, reply).unref()
    },
    size: () => replies.size,
  }
}
