// The sessions of one ACP child: opened, loaded, forgotten. Every step has a deadline of its own. What is set in them is
// session-settings.ts.
import type { Failure } from '../../core/events.ts'
import type { LaunchProfile } from '../../core/job.ts'
import { TOOL_SERVER } from '../../core/tool-names.ts'
import { isErrno } from '../../lib/errno.ts'
import { type JsonObject, objectAt, stringAt } from '../../lib/json.ts'
import { writeScratchRules } from '../../workspace/rule-files.ts'
import { sealRoom } from '../../workspace/sealed-room.ts'
import type { AgentHooks } from '../backend.ts'
import { namesOf, type Offer, openOffer } from '../offer.ts'
import { StepFailed, sessionGone } from './failures.ts'
import { chooseModel, readOffered } from './models.ts'
import { SessionFolders } from './session-folders.ts'
import { type CallStep, SessionSettings, type Settable } from './session-settings.ts'

// Source: session/new takes 0.85 to 2.55 s where it was measured.
export const OPEN_MS = 20_000

export interface Session extends Settable {
  /** Absolute: the scratch folder made for it, or the workspace. */
  readonly cwd: string
  readonly isScratch: boolean
  /** Its folder may be other than a new one is. */
  isTouched: boolean
  /** Mode bridge. */
  readonly offer: Offer | undefined
}

export interface SessionsParts {
  /** Where the folders of scratch sessions are made; it goes with the child. */
  readonly folder: string
  /** The child's private data folder; undefined where it has the user's own. */
  readonly data: string | undefined
  readonly hooks: AgentHooks
  readonly call: CallStep
}

export class Sessions {
  readonly #open = new Map<string, Session>()
  readonly #offers = new Set<Offer>()
  readonly #folders: SessionFolders
  readonly #settings: SessionSettings
  readonly #parts: SessionsParts
  readonly #call: CallStep

  constructor(parts: SessionsParts) {
    this.#parts = parts
    this.#folders = new SessionFolders(parts.folder)
    this.#settings = new SessionSettings(parts.call)
    this.#call = parts.call
  }

  get(id: string): Session | undefined {
    return this.#open.get(id)
  }

  /** Opens a session in a folder of its own (or the workspace) and sets model and mode. */
  open(profile: LaunchProfile): Promise<Session> {
    return this.#make(profile, async (params) => {
      const answer = await this.#call('session/new', params, OPEN_MS)
      const id = stringAt(answer, 'sessionId')
      if (id === undefined) throw new StepFailed(NO_ID)
      return { id, answer }
    })
  }

  /** Loads a session of another process. The history it replays comes before any prompt, so nobody listens. */
  async load(id: string, profile: LaunchProfile): Promise<Session> {
    try {
      return await this.#make(profile, async (params) => {
        const answer = await this.#call('session/load', { sessionId: id, ...params }, OPEN_MS)
        return { id, answer }
      })
    } catch (error) {
      if (!(error instanceof StepFailed)) throw error
      // Whatever the reason: the whole transcript in a fresh session is the way out.
      const isLasting = error.failure.code !== 'agent-failed'
      throw isLasting ? error : new StepFailed(sessionGone)
    }
  }

  /** Makes sure that the next prompt of this session runs with the profile's model and mode. */
  apply(session: Session, profile: LaunchProfile): Promise<void> {
    if (profile.offer !== undefined) session.offer?.adopt(profile.offer.tools)
    return this.#settings.apply(session, profile)
  }

  /** The agent itself changed its mode. */
  modeChanged(id: string, update: JsonObject): void {
    this.#settings.modeChanged(this.#open.get(id), stringAt(update, 'currentModeId'))
  }

  /** Sessions cannot be closed: the child keeps its memory, we give back the folder, soon. */
  forget(id: string): void {
    const session = this.#open.get(id)
    this.#open.delete(id)
    this.#end(session?.offer)
    if (session?.isScratch === true) this.#folders.giveBack(session.cwd, !session.isTouched)
  }

  /** The child is gone, and its sessions and folders with it. */
  over(): void {
    this.#folders.over()
    for (const offer of this.#offers) this.#end(offer)
  }

  /** What fails leaves nothing behind. */
  async #make(
    profile: LaunchProfile,
    call: (params: JsonObject) => Promise<{ readonly id: string; readonly answer: JsonObject }>,
  ): Promise<Session> {
    const offer = this.#offer(profile)
    let cwd: string | undefined
    let session: Session | undefined
    try {
      cwd = await this.#place(profile, offer)
      const { id, answer } = await call({ cwd, mcpServers: serversOf(offer) })
      session = this.#remember(id, { cwd, offer }, profile, answer)
      await this.apply(session, profile)
      return session
    } catch (error) {
      if (session !== undefined) this.forget(session.id)
      else this.#end(offer)
      if (session === undefined && cwd !== undefined && isScratch(profile)) {
        this.#folders.giveBack(cwd, false)
      }
      throw error
    }
  }

  #end(offer: Offer | undefined): void {
    if (offer === undefined) return
    this.#offers.delete(offer)
    offer.close()
  }

  #offer(profile: LaunchProfile): Offer | undefined {
    const offer = openOffer(profile, this.#parts.hooks)
    if (offer !== undefined) this.#offers.add(offer)
    return offer
  }

  async #place(
    { folder, rules = [], mode }: LaunchProfile,
    offer: Offer | undefined,
  ): Promise<string> {
    if (folder.class === 'workspace') return folder.path
    const { data } = this.#parts
    try {
      const cwd = this.#folders.make()
      if (mode === 'bridge') {
        const room = { work: cwd, data, tools: namesOf(offer), url: offer?.url }
        await sealRoom({ ...room, isServerInFile: false })
      }
      if (rules.length > 0) await writeScratchRules(cwd, rules)
      return cwd
    } catch (error) {
      // A full disk, or the child went away, and its folder with it.
      if (!isErrno(error)) throw error
      throw new StepFailed(noFolder(error.code ?? 'unknown'))
    }
  }

  #remember(
    id: string,
    { cwd, offer }: Pick<Session, 'cwd' | 'offer'>,
    profile: LaunchProfile,
    answer: JsonObject,
  ): Session {
    const offered = readOffered(answer)
    const isAuto = chooseModel('auto', offered).at === 'as-it-is'
    const session: Session = {
      id,
      cwd,
      offer,
      isScratch: isScratch(profile),
      // Files of ours are in it.
      isTouched: profile.mode === 'bridge' || (profile.rules ?? []).length > 0,
      offered,
      model: isAuto ? 'auto' : undefined,
      mode: stringAt(objectAt(answer, 'modes') ?? {}, 'currentModeId'),
    }
    this.#settings.opened(session)
    this.#open.set(id, session)
    return session
  }
}

/** Source: Cursor's ACP page: http servers are `{type, name, url, headers}`; contacted during `session/new` (2026.08.11). */
const serversOf = (offer: Offer | undefined): readonly JsonObject[] =>
  offer === undefined ? [] : [{ type: 'http', name: TOOL_SERVER, url: offer.url, headers: [] }]

const isScratch = ({ folder }: LaunchProfile): boolean => folder.class === 'scratch'

/** Sessions are made for a folder class (or a path) and a tool list; model and mode can be changed. */
export const sessionKey = ({ folder, digest }: LaunchProfile): string =>
  JSON.stringify([folder.class === 'scratch' ? '' : folder.path, digest])

const noFolder = (code: string): Failure => ({
  type: 'failure',
  code: 'agent-failed',
  message: `The folder of a session could not be made (${code}).`,
  again: 'same',
})

const NO_ID = {
  type: 'failure',
  code: 'agent-failed',
  message: 'cursor-agent opened a session without an id. Set backend to "print".',
} as const
