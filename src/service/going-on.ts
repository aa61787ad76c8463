// Does this turn go on in a session that Cursor already has? Only on proof: the transcript ends where that session ended.
import type { AgentEvent } from '../core/events.ts'
import type { ProfileKey, SessionId } from '../core/ids.ts'
import type { Kept, Prompt } from '../core/job.ts'
import type { Continuation, Run } from '../core/run.ts'
import type { Message, Turn } from '../core/turn.ts'
import type { Binding, Conversation, Conversations } from '../sessions/conversations.ts'
import { type Chain, digestReply, systemDigest, type Transcript } from '../sessions/transcript.ts'

export interface TurnFacts {
  readonly turn: Turn
  readonly transcript: Transcript
  readonly key: SessionId | undefined
  readonly credential: string
  readonly profile: ProfileKey
  /** Side requests (titles, compaction, warm-ups) never take or leave a conversation's session. */
  readonly isSide: boolean
  /** Messages → prompt text. */
  readonly render: (turn: Turn) => Prompt
}

export interface GoingOn {
  /** How the run may continue; undefined = afresh with the whole transcript. */
  readonly continuation: Continuation | undefined
  /** Whether the run should leave behind what the next turn can go on from. */
  readonly keep: boolean
  /** Every event of the reply, once, in order. */
  look(event: AgentEvent): void
  /** The run has been submitted: when it ends well its session is remembered, else given back. */
  follow(run: Run): void
}

export interface GoingOnParts {
  readonly conversations: Conversations
  readonly forget: (kept: Kept) => void
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
    const { conversations } = this.#parts
    const { transcript, turn, render } = facts
    const binding: Binding = {
      key: facts.key,
      credential: facts.credential,
      profile: facts.profile,
    }
    const systems = new Set(turn.messages.filter(isSystem).map(systemDigest))
    const { answered } = transcript
    if (answered !== undefined) await this.#settled(answered)
    const before = answered === undefined ? undefined : conversations.take(answered, binding)
    const reply = digestReply(transcript.whole)
    let finished = false
    let done = Promise.resolve()
    return {
      continuation:
        before === undefined
          ? undefined
          : { kept: before.kept, prompt: render(onlyNew(turn, transcript, before.systems)) },
      keep: true,
      look: (event) => {
        if (event.type === 'text-delta') reply.text(event.text)
        else if (event.type === 'tool-start' && event.host === 'client') {
          reply.call(event.name, event.input)
        } else if (event.type === 'finish') {
          finished = true
          this.#settling.set(reply.chain(), done)
        }
      },
      follow: (run) => {
        done = this.#keepWhenSettled(run, before?.kept, () =>
          finished ? { chain: reply.chain(), binding, systems } : undefined,
        )
      },
    }
  }

  async #keepWhenSettled(
    run: Run,
    used: Kept | undefined,
    outcome: () => (Omit<Conversation, 'kept'> & { readonly chain: Chain }) | undefined,
  ): Promise<void> {
    await run.settled
    const ended = outcome()
    const kept = run.kept?.()
    if (ended !== undefined) this.#settling.delete(ended.chain)
    if (ended === undefined || kept === undefined) {
      // What was taken out and not left again is of no use any more; a cancelled or failed turn is never resumed.
      if (kept !== undefined) this.#parts.forget(kept)
      else if (used !== undefined) this.#parts.forget(used)
      return
    }
    if (used !== undefined && used.chatId !== kept.chatId) this.#parts.forget(used)
    const { chain, binding, systems } = ended
    this.#parts.conversations.keep(chain, { binding, kept, systems })
  }

  async #settled(chain: Chain): Promise<void> {
    const settling = this.#settling.get(chain)
    if (settling === undefined) return
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, SETTLE_MS)
    })
    await Promise.race([settling, patience])
    clearTimeout(timer)
  }
}

const ALONE: GoingOn = {
  continuation: undefined,
  keep: false,
  look: () => undefined,
  follow: () => undefined,
}

/** The new messages, and before them the system texts that the session has not seen. */
function onlyNew(turn: Turn, { fresh }: Transcript, seen: ReadonlySet<string>): Turn {
  const old = turn.messages.slice(0, turn.messages.length - fresh.length)
  const isUnseen = (message: Message): boolean =>
    !isSystem(message) || !seen.has(systemDigest(message))
  const changed = old.filter((message) => isSystem(message) && isUnseen(message))
  return { ...turn, messages: [...changed, ...fresh.filter(isUnseen)] }
}

function isSystem(message: Message): boolean {
  return message.role === 'system'
}
