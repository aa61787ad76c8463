// An equal request came before: what does this one get? Pure; the table behind "nothing runs twice".
import { assertNever } from '../core/events.ts'

/** What became of the earlier exchange's run. */
export type Earlier =
  | { readonly at: 'running'; readonly readers: number }
  /** Cancelled because its reader left; the old child may still be ending. */
  | { readonly at: 'cancelled' }
  | { readonly at: 'finished'; readonly delivered: boolean; readonly kept: boolean }
  | { readonly at: 'failed'; readonly worked: boolean }

export interface RepeatFacts {
  readonly earlier: Earlier | undefined
  /** Both requests name the same conversation (it is part of what makes them equal). */
  readonly hasConversation: boolean
  /** `x-stainless-retry-count` above 0. */
  readonly saysRetry: boolean
  /** Setting `retries.join`. */
  readonly join: boolean
}

export type RepeatChoice =
  /** A run of its own, at once. */
  | 'anew'
  /** A run of its own, once the earlier one's child is gone. */
  | 'after'
  /** Read along with the run that is going on. */
  | 'join'
  /** The finished reply, from memory. */
  | 'replay'
  /** The failure once more: running again would do the work twice. */
  | 'fail-again'
  /** The reply was finished but is too large to be kept, and doing the work again is not an option. */
  | 'lost'

export function chooseRepeat(facts: RepeatFacts): RepeatChoice {
  const { earlier } = facts
  if (earlier === undefined) return 'anew'
  switch (earlier.at) {
    case 'running': {
      const isRetry = earlier.readers === 0 || facts.saysRetry
      if (!isRetry && !facts.hasConversation) return 'anew'
      if (facts.join) return 'join'
      return earlier.readers === 0 ? 'after' : 'anew'
    }
    case 'cancelled':
      return 'after'
    case 'finished':
      if (earlier.delivered) return 'anew'
      return earlier.kept ? 'replay' : 'lost'
    case 'failed':
      return earlier.worked ? 'fail-again' : 'anew'
    default:
      return assertNever(earlier)
  }
}
