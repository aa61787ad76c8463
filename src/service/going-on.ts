// Does this turn go on in a session that Cursor already has? Only on proof: the transcript ends where that session ended.
import { type AgentEvent, type Finish, isTerminal } from '../core/events.ts'
import type { SessionId } from '../core/ids.ts'
import { type Kept, type LaunchProfile, type Prompt, profileKey } from '../core/job.ts'
import type { Continuation, Run } from '../core/run.ts'
import type { Message, Turn } from '../core/turn.ts'
import type { Binding, Conversation, Conversations } from '../sessions/conversations.ts'
import { type Chain, digestReply, systemDigest, type Transcript } from '../sessions/transcript.ts'

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
  /** Whether a session of this profile can be gone on from at all. */
  readonly canGoOn: (profile: LaunchProfile) => boolean
  /** A turn that was to go on in its session did not have it: nothing of this kind is to be trusted any more. */
  readonly onBroken: (profile: LaunchProfile) => void
}

/** A reply's session is known a moment after its last byte; the next turn of a quick client waits this long for it. */
const SETTLE_MS = 250

/** A reader may be behind the agent: how long the end of a reply may take to reach it before its session is given up. */
const READ_MS = 120_000

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
      profile: profileKey(facts.profile),
    }
    const systems = new Set(turn.messages.filter(isSystem).map(systemDigest))
    const { answered } = transcript
    if (answered !== undefined) await this.#settled(answered)
    const keep = this.#parts.canGoOn(facts.profile)
    const before = answered === undefined ? undefined : conversations.take(answered, binding)
    const continuation =
      keep && before && continuationOf(before, render(onlyNew(turn, transcript, before.systems)))
    let readTokens: number | undefined
    let ranTools = false
    const reply = digestReply(transcript.whole)
    let finished = false
    let ended: () => void = () => undefined
    const read = new Promise<void>((resolve) => {
      ended = resolve
    })
    let done = Promise.resolve()
    return {
      continuation: continuation || undefined,
      keep,
      look: (event) => {
        if (event.type === 'tool-start') ranTools = true
        if (event.type === 'text-delta') reply.text(event.text)
        else if (event.type === 'tool-start' && event.host === 'client') {
          reply.call(event.name, event.input)
        } else if (event.type === 'finish' && event.diverged !== true) {
          finished = true
          readTokens = ranTools ? undefined : tokensRead(event)
          this.#settling.set(reply.chain(), done)
        }
        if (isTerminal(event)) ended()
      },
      follow: (run) => {
        const over = run.settled.then(() => {
          // The run is often over before the last of it has been read.
          return run.kept?.() === undefined ? undefined : atMost(READ_MS, read)
        })
        done = this.#keepWhenSettled({ run, over }, before?.kept, () => {
          if (!finished) return undefined
          const isResumed = run.marks().start === 'resumed'
          // Source: runs of 2026.08: what was said before is read from the cache, so it cannot become less.
          if (isResumed && (readTokens ?? Infinity) < (before?.readTokens ?? 0)) {
            this.#parts.onBroken(facts.profile)
            return undefined
          }
          return { chain: reply.chain(), binding, systems, readTokens }
        })
      },
    }
  }

  async #keepWhenSettled(
    { run, over }: { readonly run: Run; readonly over: Promise<void> },
    used: Kept | undefined,
    outcome: () => (Omit<Conversation, 'kept'> & { readonly chain: Chain }) | undefined,
  ): Promise<void> {
    await over
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
    const { chain, ...conversation } = ended
    this.#parts.conversations.keep(chain, { ...conversation, kept })
  }

  async #settled(chain: Chain): Promise<void> {
    const settling = this.#settling.get(chain)
    if (settling !== undefined) await atMost(SETTLE_MS, settling)
  }
}

async function atMost(ms: number, promise: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms).unref()
  })
  await Promise.race([promise, patience])
  clearTimeout(timer)
}

const ALONE: GoingOn = {
  continuation: undefined,
  keep: false,
  look: () => undefined,
  follow: () => undefined,
}

/** Pictures of print mode are numbered files: new ones would take the place of those in the chat's folder. */
function continuationOf({ kept }: Conversation, prompt: Prompt): Continuation | undefined {
  if (kept.backend === 'print' && prompt.images.length > 0) return undefined
  return { kept, prompt }
}

function tokensRead({ cursorUsage }: Finish): number | undefined {
  return cursorUsage && cursorUsage.input + cursorUsage.cacheRead
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
