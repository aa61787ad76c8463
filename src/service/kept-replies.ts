// Conversations kept for clients that name an earlier reply instead of sending everything again (Responses with `store`
// not false). Text in memory only, bounded in number, size and time; each client's apart from all others'.
import { LRUCache } from 'lru-cache'
import type { Json } from '../core/turn.ts'

export interface KeptLimits {
  readonly maxConversations: number
  /** Of all conversations together; a larger one is not kept at all. */
  readonly maxBytes: number
  readonly idleMs: number
}

/** Source: design, Memory: a client that comes back later than this sends its conversation whole. */
export const KEPT_REPLIES: KeptLimits = {
  maxConversations: 32,
  maxBytes: 64 * 1024 * 1024,
  idleMs: 15 * 60_000,
}

export interface KeptReply {
  readonly replyId: string
  readonly previous: string | undefined
  readonly conversation: string | undefined
  readonly items: readonly Json[]
}

export interface OwnKept {
  upTo(replyId: string): readonly Json[] | undefined
  conversation(id: string): readonly Json[]
  item(itemId: string): Json | undefined
}

export interface KeptRepliesOfAll {
  /** What the client with this credential may name. */
  of(credential: string): OwnKept
  keep(credential: string, reply: KeptReply): void
  readonly bytes: () => number
  readonly conversations: () => number
}

/** One reply and what led to it from the reply before. Replies of one conversation may branch. */
interface Node {
  readonly before: Node | undefined
  readonly items: readonly Json[]
}

interface Conversation {
  readonly key: string
  readonly replies: Map<string, Node>
  readonly items: Map<string, Json>
  bytes: number
}

export function createKeptReplies(limits: KeptLimits): KeptRepliesOfAll {
  /** The conversation of each reply and item, by credential and id. */
  const homes = new Map<string, Conversation>()
  /** The last reply under each of the client's own conversation ids. */
  const latest = new Map<string, string>()
  const forget = (gone: Conversation): void => {
    for (const place of [...gone.replies.keys(), ...gone.items.keys()]) {
      if (homes.get(place) === gone) homes.delete(place)
    }
    latest.delete(gone.key)
  }
  const conversations = new LRUCache<string, Conversation>({
    max: limits.maxConversations,
    maxSize: limits.maxBytes,
    ttl: limits.idleMs,
    ttlAutopurge: true,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (gone, _key, reason) => {
      // `delete` is our own taking out to put it back grown.
      if (reason !== 'delete') forget(gone)
    },
  })

  const putBack = (home: Conversation): void => {
    conversations.delete(home.key)
    conversations.set(home.key, home)
    // Too large for the whole store: not taken.
    if (!conversations.has(home.key)) forget(home)
  }

  /** Found = used: it stays longer. (A mere look would leave the timer that lets it go as it is.) */
  const homeOf = (place: string | undefined): Conversation | undefined => {
    const home = place === undefined ? undefined : homes.get(place)
    if (home !== undefined) putBack(home)
    return home
  }

  return {
    of: (credential) => {
      const place = placeIn(credential)
      const upTo = (replyId: string): readonly Json[] | undefined => {
        const at = place('reply', replyId)
        const node = homeOf(at)?.replies.get(at)
        return node && itemsUpTo(node)
      }
      return {
        upTo,
        conversation: (id) => upTo(latest.get(place('conversation', id)) ?? '') ?? [],
        item: (id) => homeOf(place('item', id))?.items.get(place('item', id)),
      }
    },
    keep(credential, { replyId, previous, conversation, items }) {
      const place = placeIn(credential)
      const at = place('reply', replyId)
      const named = conversation === undefined ? undefined : place('conversation', conversation)
      const follows = previous ?? (named === undefined ? undefined : latest.get(named))
      const before = follows === undefined ? undefined : place('reply', follows)
      const home = homeOf(before) ?? newConversation(named ?? at)
      home.replies.set(at, {
        before: before === undefined ? undefined : home.replies.get(before),
        items,
      })
      homes.set(at, home)
      home.bytes += OVERHEAD_BYTES
      for (const item of items) {
        home.bytes += sizeOf(item)
        const id = idOf(item)
        if (id === undefined) continue
        home.items.set(place('item', id), item)
        homes.set(place('item', id), home)
      }
      if (named !== undefined) latest.set(named, replyId)
      putBack(home)
    },
    bytes: () => conversations.calculatedSize,
    conversations: () => conversations.size,
  }
}

/** Keys, maps and objects around a reply's text. */
const OVERHEAD_BYTES = 500

function newConversation(key: string): Conversation {
  return { key, replies: new Map(), items: new Map(), bytes: 0 }
}

function placeIn(credential: string) {
  return (kind: 'reply' | 'item' | 'conversation', id: string): string =>
    `${kind}\n${credential}\n${id}`
}

function itemsUpTo(last: Node): readonly Json[] {
  const nodes: Node[] = []
  for (let node: Node | undefined = last; node !== undefined; node = node.before) nodes.push(node)
  return nodes.toReversed().flatMap(({ items }) => items)
}

function idOf(item: Json): string | undefined {
  if (typeof item !== 'object' || item === null || !('id' in item)) return undefined
  return typeof item.id === 'string' ? item.id : undefined
}

/** Roughly what a value holds in memory; strings with other than Latin letters take two bytes a character. */
function sizeOf(value: Json): number {
  if (typeof value === 'string') return 16 + value.length * 2
  if (typeof value !== 'object' || value === null) return 16
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + sizeOf(inner), 32)
}
