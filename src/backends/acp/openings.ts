// Which session a run gets: one opened ahead of need, the one it goes on in, or a new one. Knows no prompt.
import type { Failure } from '../../core/events.ts'
import type { Job, LaunchProfile } from '../../core/job.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import { StepFailed, sessionGone } from './failures.ts'
import { modeOf } from './session-settings.ts'
import { type Session, type Sessions, sessionKey } from './sessions.ts'

/** Never rejects for what an agent can do wrong. */
export type Opening = Promise<Session | Failure>

export class Openings {
  readonly #sessions: Sessions
  readonly #initialized: Promise<JsonObject>
  readonly #onFailure: (failure: Failure) => Failure
  #next:
    | { readonly key: string; readonly profile: LaunchProfile; readonly session: Opening }
    | undefined

  /** `onFailure` hears of every step that failed and may say it differently. */
  constructor(
    sessions: Sessions,
    initialized: Promise<JsonObject>,
    onFailure: (failure: Failure) => Failure,
  ) {
    this.#sessions = sessions
    this.#initialized = initialized
    this.#onFailure = onFailure
  }

  /** The session opened ahead, when there is one. */
  get next(): Opening | undefined {
    return this.#next?.session
  }

  /** Opens a session for the next run of this profile, unless one is there. */
  prepare(profile: LaunchProfile): void {
    const key = sessionKey(profile)
    if (this.#next?.key === key) return
    const before = this.#next?.session
    this.#next = { key, profile, session: this.#open(profile) }
    if (before !== undefined) void this.#drop(before)
  }

  /** The session for a job, set to its model and mode. */
  async take(job: Job): Opening {
    const session = await this.#find(job)
    if ('type' in session) return session
    const set = await this.#attempt(async () => {
      await this.#sessions.apply(session, job.profile)
      return session
    })
    // It is no conversation's, and nobody else knows of it.
    if ('type' in set && job.chatId === undefined) this.#sessions.forget(session.id)
    return set
  }

  /** Opened for nothing, but opened: the next run can have it. */
  putBack(profile: LaunchProfile, session: Session): void {
    if (this.#next !== undefined) this.#sessions.forget(session.id)
    else this.#next = { key: sessionKey(profile), profile, session: Promise.resolve(session) }
  }

  async #find({ chatId, profile }: Job): Opening {
    const next = this.#next
    if (chatId !== undefined) {
      // One that is still being set up for another model would take that model along.
      if (next !== undefined && !isAlike(next.profile, profile)) await next.session
      return this.#sessions.get(chatId) ?? this.#load(chatId, profile)
    }
    if (next?.key !== sessionKey(profile)) return this.#open(profile)
    this.#next = undefined
    const session = await next.session
    // It was another model that is not offered.
    const isForeign = 'type' in session && session.code === 'model-not-found'
    return isForeign && !isAlike(next.profile, profile) ? this.#open(profile) : session
  }

  #open(profile: LaunchProfile): Opening {
    return this.#attempt(() => this.#sessions.open(profile))
  }

  #load(chatId: string, profile: LaunchProfile): Opening {
    return this.#attempt(async () => {
      const { agentCapabilities } = await this.#initialized
      const canLoad = isObject(agentCapabilities) && agentCapabilities.loadSession === true
      if (!canLoad) throw new StepFailed(sessionGone)
      return this.#sessions.load(chatId, profile)
    })
  }

  async #attempt(open: () => Promise<Session>): Opening {
    try {
      return await open()
    } catch (error) {
      if (error instanceof StepFailed) return this.#onFailure(error.failure)
      throw error
    }
  }

  async #drop(opening: Opening): Promise<void> {
    const session = await opening
    if (!('type' in session)) this.#sessions.forget(session.id)
  }
}

function isAlike(one: LaunchProfile, other: LaunchProfile): boolean {
  return one.model === other.model && modeOf(one) === modeOf(other)
}
