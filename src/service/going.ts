// One run on its way from the session it found to the one it leaves.
import type { ClientTools } from '../core/client-tools.ts'
import { type AgentEvent, type Finish, isTerminal } from '../core/events.ts'
import type { Kept, LaunchProfile } from '../core/job.ts'
import type { Continuation, Run } from '../core/run.ts'
import type { Message, Turn } from '../core/turn.ts'
import { atMost } from '../lib/deadline.ts'
import type { Binding, Conversation, Conversations } from '../sessions/conversations.ts'
import {
  type Chain,
  digestReply,
  type ReplyDigest,
  systemDigest,
  type Transcript,
} from '../sessions/transcript.ts'

/** The run, or all replies of a run that waits for its client between them. */
export type FollowedRun = Pick<Run, 'settled' | 'kept' | 'marks'> & {
  /** Of the Cursor session it ran in (mode bridge). */
  readonly token?: string | undefined
}

export interface GoingOn {
  /** How the run may continue; undefined = afresh with the whole transcript. */
  readonly continuation: Continuation | undefined
  /** Whether the run should leave behind what the next turn can go on from. */
  readonly keep: boolean
  /** Every event of the reply, once, in order. */
  look(event: AgentEvent): void
  /** The run has been submitted: when it ends well its session is remembered, else given back. */
  follow(run: FollowedRun): void
  /** The run goes on in another reply, which is to this turn. Returns the system texts that Cursor has not seen. */
  nextReply(turn: Turn, profile: LaunchProfile, transcript: Transcript): readonly Message[]
}

export interface GoingOnParts {
  readonly conversations: Conversations
  readonly forget: (kept: Kept) => void
  /** Whether a session of this profile can be gone on from at all. */
  readonly canGoOn: (profile: LaunchProfile) => boolean
  /** A turn that was to go on in its session did not have it: nothing of this kind is to be trusted any more. */
  readonly onBroken: (profile: LaunchProfile) => void
  /** Mode bridge: told when the tools of a session that goes on have changed. */
  readonly clientTools: ClientTools
}

/** A reader may be behind the agent: how long the end of a reply may take to reach it before its session is given up. */
const READ_MS = 120_000

export interface GoingState {
  readonly binding: Binding
  readonly before: Conversation | undefined
  readonly keep: boolean
  readonly continuation: Continuation | undefined
  readonly profile: LaunchProfile
  readonly systems: ReadonlySet<string>
  readonly digest: ReplyDigest
}

export class Going implements GoingOn {
  readonly continuation: Continuation | undefined
  readonly keep: boolean
  readonly #parts: GoingOnParts
  readonly #settling: Map<Chain, Promise<void>>
  readonly #state: GoingState
  readonly #systems: Set<string>
  readonly #read: Promise<void>
  #profile: LaunchProfile
  #reply: ReplyDigest
  #readTokens: number | undefined
  #ranTools = false
  #finished = false
  #ended: () => void = () => undefined
  #done = Promise.resolve()

  constructor(parts: GoingOnParts, settling: Map<Chain, Promise<void>>, state: GoingState) {
    this.#parts = parts
    this.#settling = settling
    this.#state = state
    this.continuation = state.continuation
    this.keep = state.keep
    this.#profile = state.profile
    this.#systems = new Set(state.systems)
    this.#reply = state.digest
    this.#read = new Promise((resolve) => {
      this.#ended = resolve
    })
  }

  look(event: AgentEvent): void {
    if (event.type === 'tool-start') this.#ranTools = true
    if (event.type === 'text-delta') this.#reply.text(event.text)
    else if (event.type === 'tool-start' && event.host === 'client') {
      this.#reply.call(event.name, event.input)
    } else if (isKeepable(event)) {
      this.#finished = true
      this.#readTokens = this.#ranTools ? undefined : tokensRead(event)
      this.#settling.set(this.#reply.chain(), this.#done)
    }
    // A run that waits for its client has another reply to come.
    if (isTerminal(event) && !(event.type === 'finish' && event.reason === 'tool-calls')) {
      this.#ended()
    }
  }

  follow(run: FollowedRun): void {
    const over = run.settled.then(() => {
      // The run is often over before the last of it has been read.
      return run.kept?.() === undefined ? undefined : atMost(READ_MS, this.#read)
    })
    this.#done = this.#keepWhenSettled(run, over)
  }

  nextReply(turn: Turn, profile: LaunchProfile, transcript: Transcript): readonly Message[] {
    this.#reply = digestReply(transcript.whole)
    this.#profile = profile
    const systems = turn.messages.filter(isSystem)
    const unseen = systems.filter((message) => !this.#systems.has(systemDigest(message)))
    for (const message of unseen) this.#systems.add(systemDigest(message))
    return unseen
  }

  async #keepWhenSettled(run: FollowedRun, over: Promise<void>): Promise<void> {
    await over
    const used = this.#state.before?.kept
    const ended = this.#outcome(run)
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

  #outcome(run: FollowedRun): (Omit<Conversation, 'kept'> & { readonly chain: Chain }) | undefined {
    if (!this.#finished) return undefined
    const { binding, before } = this.#state
    const isResumed = run.marks().start === 'resumed'
    // Source: runs of 2026.08: what was said before is read from the cache, so it cannot become less.
    if (isResumed && (this.#readTokens ?? Infinity) < (before?.readTokens ?? 0)) {
      this.#parts.onBroken(this.#profile)
      return undefined
    }
    const { offer } = this.#profile
    const { token } = run
    return {
      chain: this.#reply.chain(),
      binding,
      systems: this.#systems,
      readTokens: this.#readTokens,
      ...(offer === undefined || token === undefined
        ? {}
        : { offered: { token, tools: offer.tools } }),
    }
  }
}

function tokensRead({ cursorUsage }: Finish): number | undefined {
  return cursorUsage && cursorUsage.input + cursorUsage.cacheRead
}

export function isSystem(message: Message): boolean {
  return message.role === 'system'
}

/** A reply that was cut or rewritten is not what Cursor's session holds; one that ends with calls has not ended the run. */
function isKeepable(event: AgentEvent): event is Finish {
  return event.type === 'finish' && event.reason !== 'tool-calls' && event.diverged !== true
}
