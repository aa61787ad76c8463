// Conversations that could go on: what Cursor has of them, found by proof only. Holds digests, no text, nothing on disk.
import { LRUCache } from 'lru-cache'
import type { ProfileKey, SessionId } from '../core/ids.ts'
import type { Kept } from '../core/job.ts'
import type { ToolDefinition } from '../core/turn.ts'
import type { Chain } from './transcript.ts'

/** What must be the same for a turn to go on in an earlier turn's session. */
export interface Binding {
  /** The client's conversation; undefined when it names none. */
  readonly key: SessionId | undefined
  /** Digest of the client's credential. */
  readonly credential: string
  /** Model, mode, workspace, permissions: all that an agent is started with, the client's tools aside. */
  readonly profile: ProfileKey
}

export interface Conversation {
  readonly binding: Binding
  readonly kept: Kept
  /** Digests of the system texts that Cursor has seen. */
  readonly systems: ReadonlySet<string>
  /** Mode bridge: the client's tools as the session knows them, and its token. */
  readonly offered?: { readonly token: string; readonly tools: readonly ToolDefinition[] }
  /** Tokens that Cursor read for the last turn, cache included; undefined where it did not say, or where tools ran. */
  readonly readTokens?: number | undefined
}

export interface ConversationLimits {
  readonly max: number
  readonly idleMs: number
}

export interface Conversations {
  /** The conversation whose transcript ends in `chain`, taken out: it is in use until it is kept again or let go. */
  take(chain: Chain, binding: Binding): Conversation | undefined
  /** The backend that holds that conversation; it is not taken. */
  backendOf(chain: Chain, whose: Omit<Binding, 'profile'>): Kept['backend'] | undefined
  /** The turn ended well: from now on the next one can go on from it. */
  keep(chain: Chain, conversation: Conversation): void
  /** Gives everything back. */
  clear(): void
  readonly size: () => number
}

/** `forget` is told of every conversation that is over; it must not throw. */
export function createConversations(
  limits: ConversationLimits,
  forget: (kept: Kept) => void,
): Conversations {
  /**
   * Chains that two live conversations without a client's id have in common: neither may be continued by either.
   * Only as long as they could be looked for; a bounded set of digests.
   */
  const ambiguous = new LRUCache<string, true>({ max: 1000, ttl: limits.idleMs })
  const idle = new LRUCache<string, Conversation>({
    max: limits.max,
    ttl: limits.idleMs,
    ttlAutopurge: true,
    dispose: (conversation, _place, reason) => {
      // `delete` is our own taking out, or clearing.
      if (reason !== 'delete') forget(conversation.kept)
    },
  })

  return {
    take(chain, binding) {
      const place = placeOf(chain, binding)
      const found = idle.get(place)
      if (found === undefined || ambiguous.has(place)) return undefined
      idle.delete(place)
      if (found.binding.profile === binding.profile) return found
      // Another model, mode or tool list: the session is of no use any more.
      forget(found.kept)
      return undefined
    },
    backendOf(chain, whose) {
      const place = placeOf(chain, whose)
      return ambiguous.has(place) ? undefined : idle.peek(place)?.kept.backend
    },
    keep(chain, conversation) {
      const place = placeOf(chain, conversation.binding)
      if (conversation.binding.key === undefined && idle.has(place)) {
        ambiguous.set(place, true)
        forget(conversation.kept)
        return
      }
      idle.set(place, conversation)
    },
    clear() {
      for (const conversation of idle.values()) forget(conversation.kept)
      idle.clear()
    },
    size: () => idle.size,
  }
}

function placeOf(chain: Chain, { key, credential }: Omit<Binding, 'profile'>): string {
  return `${credential}\n${key ?? ''}\n${chain}`
}
