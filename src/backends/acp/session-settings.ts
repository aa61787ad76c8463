// Sets a session of one ACP child to model and mode, and knows which of them hold. Every step has a deadline of its own.
import type { LaunchProfile } from '../../core/job.ts'
import type { JsonObject } from '../../lib/json.ts'
import { modelUnknown, StepFailed } from './failures.ts'
import {
  chooseModel,
  chooseOptions,
  type ModelChoice,
  type Offered,
  readOffered,
} from './models.ts'

// Source: settings answer at once where it was measured.
const SET_MS = 5_000

/** @throws StepFailed */
export type CallStep = (method: string, params: JsonObject, ms: number) => Promise<JsonObject>

/** What of a session can be set. */
export interface Settable {
  readonly id: string
  offered: Offered
  /** CLI id of the model it is set to; undefined when that is not known. */
  model: string | undefined
  mode: string | undefined
}

type Variant = Extract<ModelChoice, { readonly at: 'set' }>

export class SessionSettings {
  readonly #call: CallStep
  /**
   * What was set last in this process, in whatever session. It is reported that all sessions of a process may share
   * model and mode, so a session counts as set only while nothing else was set after it.
   */
  #last: { model: string | undefined; mode: string | undefined } = {
    model: undefined,
    mode: undefined,
  }

  constructor(call: CallStep) {
    this.#call = call
  }

  /** Opened or loaded just now: what runs in it is what it says. */
  opened({ model, mode }: Settable): void {
    this.#last = { model, mode }
  }

  /** Makes sure that the next prompt of this session runs with the profile's model and mode. */
  async apply(session: Settable, profile: LaunchProfile): Promise<void> {
    const mode = modeOf(profile)
    if (session.model !== profile.model || this.#last.model !== profile.model) {
      await this.#setModel(session, profile.model)
    }
    if (session.mode !== mode || this.#last.mode !== mode) {
      await this.#call('session/set_mode', { sessionId: session.id, modeId: mode }, SET_MS)
      session.mode = mode
      this.#last.mode = mode
    }
  }

  /** The agent itself changed the mode, of a session that may be over. */
  modeChanged(session: Settable | undefined, mode: string | undefined): void {
    if (session !== undefined) session.mode = mode
    this.#last.mode = mode
  }

  async #setModel(session: Settable, model: string): Promise<void> {
    // What runs is only known for sure right after opening.
    const isKnown = session.model !== undefined && this.#last.model === session.model
    const offered = isKnown ? session.offered : { ...session.offered, current: '' }
    const choice = chooseModel(model, offered)
    if (choice.at === 'unknown') throw new StepFailed(modelUnknown(model, choice.nearest))
    // Half a choice may stay behind when a step fails.
    session.model = undefined
    this.#last.model = undefined
    if (choice.at === 'set') await this.#setVariant(session, model, choice)
    session.model = model
    this.#last.model = model
  }

  async #setVariant(session: Settable, model: string, { id, parameters }: Variant): Promise<void> {
    try {
      const now = readOffered(await this.#setOption(session, 'model', id))
      // The answer may still show the old value of what was just set, but its other options are the new model's.
      if (now.options.length > 0) session.offered = { ...now, models: session.offered.models }
      const options = chooseOptions(parameters, session.offered)
      if (options === undefined) throw new StepFailed(modelUnknown(model, []))
      for (const [option, value] of options) await this.#setOption(session, option, value)
    } catch (error) {
      // The step does not know whose model it set.
      const isModel = error instanceof StepFailed && error.failure.code === 'model-not-found'
      throw isModel ? new StepFailed(modelUnknown(model, [])) : error
    }
  }

  #setOption(session: Settable, configId: string, value: string): Promise<JsonObject> {
    const params = { sessionId: session.id, configId, value }
    return this.#call('session/set_config_option', params, SET_MS)
  }
}

/** Bridge runs as agent (its tools are denied one by one); read-only runs as ask, as print mode does it. */
export function modeOf({ mode, permissions }: LaunchProfile): string {
  if (mode === 'bridge') return 'agent'
  if (mode === 'plan') return 'plan'
  return mode === 'ask' || permissions === 'read-only' ? 'ask' : 'agent'
}
