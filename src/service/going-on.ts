// Does this turn go on in a session that Cursor already has? Only on proof: the transcript ends where that session ended.
import type { ToolOffer } from '../core/client-tools.ts'
import type { SessionId } from '../core/ids.ts'
import type { LaunchProfile, Prompt } from '../core/job.ts'
import type { Continuation } from '../core/run.ts'
import type { Message, Turn } from '../core/turn.ts'
import { atMost } from '../lib/deadline.ts'
import type { Binding, Conversation } from '../sessions/conversations.ts'
import { holds } from '../sessions/parked.ts'
import { type Chain, digestReply, systemDigest, type Transcript } from '../sessions/transcript.ts'
import { offerAnew } from './bridge/relist.ts'
import { Going, type GoingOn, type GoingOnParts, isSystem } from './going.ts'
import { keyWithoutTools } from './plan.ts'

export interface TurnFacts {
  readonly turn: Turn
  readonly transcript: Transcript
  readonly key: SessionId | undefined
  readonly credential: string
  readonly profile: LaunchProfile
  /** Side requests (titles, compaction, warm-ups) never take or leave a conversation's session. */
  readonly isSide: boolean
  /** Messages → prompt text. */
  readonly render: (turn: Turn) => Prompt
}

/** A reply's session is known a moment after its last byte; the next turn of a quick client waits this long for it. */
const SETTLE_MS = 250

export class SessionKeeper {
  readonly #parts: GoingOnParts
  /** Replies that have ended and whose sessions are about to be kept. */
  readonly #settling = new Map<Chain, Promise<void>>()

  constructor(parts: GoingOnParts) {
    this.#parts = parts
  }

  /** Takes the conversation's session out for this turn, if there is one. */
  async begin(facts: TurnFacts): Promise<GoingOn> {
    if (facts.isSide) return ALONE
    const { transcript, turn, render, profile } = facts
    const binding: Binding = {
      key: facts.key,
      credential: facts.credential,
      profile: keyWithoutTools(profile),
    }
    const { answered } = transcript
    if (answered !== undefined) await this.#settled(answered)
    const keep = this.#parts.canGoOn(profile)
    const before = answered === undefined ? undefined : await this.#take(answered, binding, profile)
    const continuation =
      keep && before && continuationOf(before, render(onlyNew(turn, transcript, before.systems)))
    return new Going(this.#parts, this.#settling, {
      binding,
      before,
      keep,
      continuation: continuation || undefined,
      profile,
      systems: new Set(turn.messages.filter(isSystem).map(systemDigest)),
      digest: digestReply(transcript.whole),
    })
  }

  async #take(
    answered: Chain,
    binding: Binding,
    { offer }: LaunchProfile,
  ): Promise<Conversation | undefined> {
    const found = this.#parts.conversations.take(answered, binding)
    if (found === undefined || (await this.#hasTools(found, offer))) return found
    this.#parts.forget(found.kept)
    return undefined
  }

  /** The session knows the tools of this turn, or learns them now. */
  async #hasTools({ offered: old, kept }: Conversation, offer?: ToolOffer): Promise<boolean> {
    if (old === undefined || offer === undefined) return old === offer
    if (!holds(offer.tools, old.tools)) return false
    // A print agent starts anew and reads them then.
    if (kept.backend === 'print' || holds(old.tools, offer.tools)) return true
    return offerAnew(this.#parts.clientTools, old.token, offer.tools)
  }

  async #settled(chain: Chain): Promise<void> {
    const settling = this.#settling.get(chain)
    if (settling !== undefined) await atMost(SETTLE_MS, settling)
  }
}

const ALONE: GoingOn = {
  continuation: undefined,
  keep: false,
  look: () => undefined,
  follow: () => undefined,
  nextReply: () => [],
}

/** Pictures of print mode are numbered files: new ones would take the place of those in the chat's folder. */
function continuationOf({ kept }: Conversation, prompt: Prompt): Continuation | undefined {
  if (kept.backend === 'print' && prompt.images.length > 0) return undefined
  return { kept, prompt }
}

/** The new messages, and before them the system texts that the session has not seen. */
function onlyNew(turn: Turn, { fresh }: Transcript, seen: ReadonlySet<string>): Turn {
  const old = turn.messages.slice(0, turn.messages.length - fresh.length)
  const isUnseen = (message: Message): boolean =>
    !isSystem(message) || !seen.has(systemDigest(message))
  const changed = old.filter((message) => isSystem(message) && isUnseen(message))
  return { ...turn, messages: [...changed, ...fresh.filter(isUnseen)] }
}
