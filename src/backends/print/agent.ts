// One print-mode child and its prompt: feeds it, turns its lines into events. Its end is lifetime.ts.
import { homedir } from 'node:os'
import {
  type AgentEvent,
  type Batch,
  type Failure,
  isTerminal,
  type Terminal,
} from '../../core/events.ts'
import type { Job, Kept } from '../../core/job.ts'
import type { ExitCause } from '../../core/telemetry.ts'
import { monotonicMs } from '../../lib/clock.ts'
import { isErrno } from '../../lib/errno.ts'
import type { Child, LineBatch } from '../../process/child.ts'
import { stateHostFacts } from '../../workspace/host-facts.ts'
import type { Agent, ExitFacts } from '../backend.ts'
import { cancelled } from '../cancelled.ts'
import { watchForLogin } from '../login-watch.ts'
import { createPrintParser } from './events.ts'
import { writeImages } from './images.ts'
import { Lifetime, type LifetimeParts } from './lifetime.ts'
import { eventsOf } from './lines-to-events.ts'
import type { PrintParser } from './parser.ts'

export type PrintAgentParts = LifetimeParts

type OnPrompted = Parameters<Agent['run']>[1]

/** What ends the wait for the next lines. */
type Step =
  | { readonly at: 'lines'; readonly batch: LineBatch }
  | { readonly at: 'over' }
  | { readonly at: 'closed' }
  | { readonly at: 'login-wait' }

/** The chat to go on in is gone: the caller plays the turn anew with the whole transcript. */
export const CHAT_GONE: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message: 'The Cursor chat of this conversation is gone. Send the request again.',
  again: 'fresh',
}

export class PrintAgent implements Agent {
  readonly pid: number
  readonly reusable = false
  readonly ready = Promise.resolve()
  readonly ended: Promise<ExitFacts>
  readonly spoiled: Promise<string>
  readonly #parts: PrintAgentParts
  readonly #child: Child
  readonly #lifetime: Lifetime
  /** Somebody asked for the end; a child that exits by itself leaves it false, and its last words count. */
  #closed = false
  #wake: (step: Step) => void = ignore

  constructor(parts: PrintAgentParts) {
    this.#parts = parts
    this.#child = parts.child
    this.pid = parts.child.pid
    this.#lifetime = new Lifetime(parts)
    this.spoiled = this.#lifetime.spoiled
    this.ended = this.#lifetime.ended
  }

  async *run(job: Job, onPrompted: OnPrompted): AsyncGenerator<Batch> {
    let terminal: Terminal | undefined
    let chatId = ''
    try {
      for await (const batch of this.#play(job, onPrompted)) {
        const last = batch.events.at(-1)
        for (const event of batch.events) if (event.type === 'started') chatId = event.chatId
        if (last?.type === 'finish' && job.keep === true) this.#lifetime.keep(chatId)
        if (last !== undefined && isTerminal(last)) terminal = last
        yield batch
      }
    } finally {
      const { exitGraceMs } = this.#parts.settings
      // The reader left before the end.
      if (terminal === undefined) this.#lifetime.end('cancelled', 0)
      // Not before the last words are on their way. Only after a result is it worth waiting for the child's own exit.
      else this.#lifetime.end('done', terminal.type === 'finish' ? exitGraceMs : 0)
    }
  }

  /** Known once it has ended: only then everything is on disk. */
  kept(): Kept | undefined {
    return this.#lifetime.kept
  }

  close(cause: ExitCause): Promise<ExitFacts> {
    this.#closed = true
    this.#lifetime.end(cause, cause === 'done' ? this.#parts.settings.exitGraceMs : 0)
    this.#wake({ at: 'closed' })
    return this.ended
  }

  async *#play(job: Job, onPrompted: OnPrompted): AsyncGenerator<Batch> {
    const { folder, model, mode } = this.#parts.profile
    if (this.#closed) {
      yield batchOf([cancelled])
      return
    }
    this.#lifetime.prompted()
    const output = this.#child.lines()[Symbol.asyncIterator]()
    if (folder.class === 'scratch') {
      const problem = await this.#placeImages(job)
      if (problem !== undefined) {
        yield batchOf([problem])
        return
      }
    }
    if (mode === 'bridge') stateHostFacts(this.#parts.scratch.work, job.hostFacts ?? '')
    const { text, textWithoutRules = text } = job.prompt
    this.#child.sendAndEnd(this.#parts.rules.arePlaced ? text : textWithoutRules)
    const { offer } = this.#parts
    onPrompted(offer?.token)
    const facts = { model, home: homedir() }
    const parser = createPrintParser(offer === undefined ? facts : { ...facts, tools: offer.names })
    const stopWatch = watchForLogin(
      () => (parser.spoke ? undefined : parser.plainText + this.#child.stderrTail()),
      () => this.#wake({ at: 'login-wait' }),
    )
    try {
      yield* this.#read(output, parser)
    } finally {
      stopWatch()
      // Nobody reads any more, and the child must not be blocked by its own last words.
      await output.return?.()
    }
  }

  async *#read(output: AsyncIterator<LineBatch>, parser: PrintParser): AsyncGenerator<Batch> {
    while (!parser.ended) {
      const step = await this.#next(output)
      switch (step.at) {
        case 'closed':
          yield batchOf([cancelled])
          return
        case 'login-wait':
          yield batchOf(parser.end({ exit: undefined, stderrTail: this.#child.stderrTail() }))
          return
        case 'over':
          yield await this.#lastWords(parser)
          return
        case 'lines': {
          const events = eventsOf(step.batch, parser)
          if (this.#isAnotherChat(events)) {
            yield batchOf([CHAT_GONE])
            return
          }
          if (events.length > 0) yield { events, readAtMs: step.batch.readAtMs }
        }
      }
    }
  }

  /** Source: runs of 2026.08: an unknown id silently begins an empty chat; its id then differs, or not. */
  #isAnotherChat(events: readonly AgentEvent[]): boolean {
    const { resume } = this.#parts.profile
    if (resume === undefined) return false
    return events.some((event) => event.type === 'started' && event.chatId !== resume.chatId)
  }

  /** The output ended without a result: the exit says why. */
  async #lastWords(parser: PrintParser): Promise<Batch> {
    const exit = await Promise.race([this.#child.exited, this.#patience()])
    if (exit !== undefined) await this.#child.stderrRead
    if (this.#closed) return batchOf([cancelled])
    const said = this.#child.stderrTail()
    const silent = exit === undefined ? '\nIt closed its output without a result.' : ''
    return batchOf(parser.end({ exit, stderrTail: said + silent }))
  }

  /** Resolves when the child had its time to exit after it closed its output, or when it is being closed. */
  #patience(): Promise<undefined> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(undefined), this.#parts.settings.exitGraceMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve(undefined)
      }
      void this.#child.exited.then(() => clearTimeout(timer))
    })
  }

  #next(output: AsyncIterator<LineBatch>): Promise<Step> {
    return new Promise((resolve, reject) => {
      if (this.#closed) {
        resolve({ at: 'closed' })
        return
      }
      this.#wake = resolve
      const arrived = (step: IteratorResult<LineBatch, unknown>): void =>
        resolve(step.done === true ? { at: 'over' } : { at: 'lines', batch: step.value })
      output.next().then(arrived, reject)
    })
  }

  async #placeImages(job: Job): Promise<Failure | undefined> {
    try {
      await writeImages(this.#parts.scratch.work, job.prompt.images)
      return undefined
    } catch (error) {
      // A full disk, or the folder went away with a child that is already gone.
      if (!isErrno(error)) throw error
      const message = `The images of the prompt could not be written (${error.code}).`
      return { type: 'failure', code: 'agent-failed', message }
    }
  }
}

const batchOf = (events: readonly AgentEvent[]): Batch => ({ events, readAtMs: monotonicMs() })

function ignore(): void {
  // Deliberately empty: nobody waits.
}
