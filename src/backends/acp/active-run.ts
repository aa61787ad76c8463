// One run of an ACP child, from its session to its last event: sends the prompt and hands on what is heard, until it is
// stopped. Says nothing about what becomes of the child.
import { homedir } from 'node:os'
import type { AgentEvent, Batch } from '../../core/events.ts'
import type { Job, LaunchProfile, PromptImage } from '../../core/job.ts'
import { monotonicMs } from '../../lib/clock.ts'
import { isObject, type JsonObject, stringAt } from '../../lib/json.ts'
import { stateHostFacts } from '../../workspace/host-facts.ts'
import type { Agent } from '../backend.ts'
import { cancelled } from '../cancelled.ts'
import { createAcpReader } from './events.ts'
import { lastEvents } from './last-events.ts'
import type { AcpLink } from './link.ts'
import type { Opening, Openings } from './openings.ts'
import type { Session } from './sessions.ts'
import { Turn } from './turn.ts'

export interface ActiveRunParts {
  readonly link: AcpLink
  readonly openings: Openings
  readonly isClosed: () => boolean
  /** From now on, what is heard is this turn's. */
  readonly onTurn: (turn: Turn) => void
}

type OnPrompted = Parameters<Agent['run']>[1]

/** A cancelled prompt answers in 4 to 23 ms where it was measured; later is a doubt. */
const CANCEL_MS = 250

/** Leaves no trace in the session's folder, and ends with nothing under way. */
const WORDS: ReadonlySet<AgentEvent['type']> = new Set([
  'started',
  'thinking-delta',
  'thinking-end',
  'text-delta',
  'finish',
])

export class ActiveRun {
  readonly profile: LaunchProfile
  isStopped: boolean
  session: Session | undefined
  /** Resolves with true when the prompt was answered in the ordinary way; undefined before it was sent. */
  answered: Promise<boolean> | undefined
  readonly #parts: ActiveRunParts
  readonly #job: Job
  #stop: () => void = ignore
  /** Resolves when the run is cancelled or the agent is being closed. */
  readonly #stopped = new Promise<'stopped'>((resolve) => {
    this.#stop = () => resolve('stopped')
  })

  constructor(parts: ActiveRunParts, job: Job) {
    this.#parts = parts
    this.#job = job
    this.profile = job.profile
    this.isStopped = parts.isClosed()
    if (this.isStopped) this.#stop()
  }

  /** Whatever it is doing is not heard any more. */
  stop(): void {
    this.isStopped = true
    if (this.session !== undefined) this.session.isTouched = true
    this.#stop()
  }

  /** Marks the session where more than words came. */
  saw({ events }: Batch): void {
    if (this.session !== undefined && !events.every(({ type }) => WORDS.has(type))) {
      this.session.isTouched = true
    }
  }

  /** Of a prompt that was cancelled: false when it was not answered in the ordinary way, or not at once. */
  isAnsweredSoon(): Promise<boolean> {
    return Promise.race([this.answered ?? false, after(CANCEL_MS, false)])
  }

  /** The batches of the run up to its terminal event. `onPrompted` is called when the prompt was sent. */
  async *play(onPrompted: OnPrompted): AsyncGenerator<Batch> {
    const session = await Promise.race([this.#take(), this.#stopped])
    if (session === 'stopped' || this.isStopped) {
      yield batchOf([cancelled])
      return
    }
    if ('type' in session) {
      yield batchOf([session])
      return
    }
    const turn = this.#prompt(session)
    onPrompted(session.offer?.token)
    const { link, isClosed } = this.#parts
    const facts = { link, model: this.profile.model, isClosed }
    for (;;) {
      const step = await turn.next()
      if ('events' in step) yield step
      else {
        yield batchOf(await lastEvents(turn, step, facts))
        return
      }
    }
  }

  /** The session the prompt goes to; or why there is none. */
  async #take(): Opening {
    const { link, openings } = this.#parts
    const job = this.#job
    if (link.isOver) return link.death(job.profile.model)
    const session = await openings.take(job)
    if ('type' in session || !this.isStopped) return session
    if (job.chatId === undefined) openings.putBack(job.profile, session)
    return cancelled
  }

  #prompt(session: Session): Turn {
    const { link, onTurn } = this.#parts
    const job = this.#job
    const { model } = job.profile
    const { current, models } = session.offered
    const modelName = models.find(({ id }) => id === current)?.name ?? model
    const facts = { chatId: session.id, modelName, model, home: homedir() }
    const { offer } = session
    const reader = createAcpReader(offer === undefined ? facts : { ...facts, tools: offer.names })
    const turn = new Turn(session.id, reader)
    onTurn(turn)
    this.session = session
    if (job.profile.mode === 'bridge') stateHostFacts(session.cwd, job.hostFacts ?? '')
    // Sessions of a workspace write no rule files there.
    const { text: usual, textWithoutRules = usual } = job.prompt
    const text = job.profile.folder.class === 'workspace' ? textWithoutRules : usual
    const prompt = [{ type: 'text', text }, ...job.prompt.images.map(imageBlock)]
    const answer = link.request('session/prompt', { sessionId: session.id, prompt })
    this.answered = answer.then(
      (result) => {
        const stopReason = (isObject(result) && stringAt(result, 'stopReason')) || 'unknown'
        turn.settle({ at: 'answered', stopReason })
        return true
      },
      (error: unknown) => {
        turn.settle(link.isOver ? { at: 'over' } : { at: 'refused', error })
        return false
      },
    )
    return turn
  }
}

const imageBlock = ({ mediaType, base64 }: PromptImage): JsonObject => ({
  type: 'image',
  mimeType: mediaType,
  data: base64,
})

const batchOf = (events: Batch['events']): Batch => ({ events, readAtMs: monotonicMs() })

function after<T>(ms: number, value: T): Promise<T> {
  return new Promise((resolve) => {
    setTimeout(() => resolve(value), ms).unref()
  })
}

function ignore(): void {
  // Deliberately empty: nobody waits.
}
