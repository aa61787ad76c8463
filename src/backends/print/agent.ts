// One print-mode child from waiting for its prompt to gone: feeds it, turns its lines into events, ends it.
import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { type AgentEvent, type Batch, type Failure, isTerminal } from '../../core/events.ts'
import type { Job, Kept, LaunchProfile } from '../../core/job.ts'
import type { ExitCause } from '../../core/telemetry.ts'
import { monotonicMs } from '../../lib/clock.ts'
import { isErrno } from '../../lib/errno.ts'
import type { Child, ChildExit, LineBatch } from '../../process/child.ts'
import { stateHostFacts } from '../../workspace/host-facts.ts'
import { removeScratch, type ScratchFolder } from '../../workspace/scratch.ts'
import type { Agent, AgentHooks, ExitFacts, WorkerSettings } from '../backend.ts'
import { classify } from '../classify.ts'
import { watchForLogin } from '../login-watch.ts'
import type { Offer } from '../offer.ts'
import { chatIsOnDisk } from './chats.ts'
import { createPrintParser, type PrintParser } from './events.ts'
import { writeImages } from './images.ts'
import type { PlacedRules } from './place-rules.ts'

export interface PrintAgentParts {
  readonly child: Child
  readonly profile: LaunchProfile
  readonly settings: WorkerSettings
  readonly hooks: AgentHooks
  /** Removed when the child is gone. */
  readonly scratch: ScratchFolder
  /** Given back when the child is gone. */
  readonly rules: PlacedRules
  /** Mode bridge; closed when the child is gone. */
  readonly offer?: Offer | undefined
}

type OnPrompted = Parameters<Agent['run']>[1]

/** What ends the wait for the next lines. */
type Step =
  | { readonly at: 'lines'; readonly batch: LineBatch }
  | { readonly at: 'over' }
  | { readonly at: 'closed' }
  | { readonly at: 'login-wait' }

/** A child that exited before anybody looked: how long its output is kept for a run that is about to start, ms. */
const UNREAD_MS = 1_000

const CANCELLED: Failure = {
  type: 'failure',
  code: 'cancelled',
  message: 'The run was cancelled.',
}

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
  #prompted = false
  /** The chat of a run that ended well and whose job asked to keep it. */
  #chatId = ''
  #kept: Kept | undefined
  /** Somebody asked for the end; a child that exits by itself leaves it false, and its last words count. */
  #closed = false
  #wake: (step: Step) => void = ignore
  #touch: () => void = ignore
  readonly #touched = new Promise<void>((resolve) => {
    this.#touch = resolve
  })
  #giveUp: () => void = ignore
  readonly #givenUp = new Promise<void>((resolve) => {
    this.#giveUp = resolve
  })

  constructor(parts: PrintAgentParts) {
    this.#parts = parts
    this.#child = parts.child
    this.pid = parts.child.pid
    this.spoiled = this.#untilSpoiled()
    this.ended = this.#untilGone()
  }

  async *run(job: Job, onPrompted: OnPrompted): AsyncGenerator<Batch> {
    let isOver = false
    let chatId = ''
    try {
      for await (const batch of this.#play(job, onPrompted)) {
        const last = batch.events.at(-1)
        for (const event of batch.events) if (event.type === 'started') chatId = event.chatId
        if (last?.type === 'finish' && job.keep === true) this.#chatId = chatId
        isOver = last !== undefined && isTerminal(last)
        // Only after a result is it worth waiting for the child's own exit.
        if (isOver)
          this.#end('done', last?.type === 'finish' ? this.#parts.settings.exitGraceMs : 0)
        yield batch
      }
    } finally {
      // The reader left before the end.
      if (!isOver) this.#end('cancelled', 0)
    }
  }

  /** Known once it has ended: only then everything is on disk. */
  kept(): Kept | undefined {
    return this.#kept
  }

  close(cause: ExitCause): Promise<ExitFacts> {
    this.#closed = true
    this.#end(cause, cause === 'done' ? this.#parts.settings.exitGraceMs : 0)
    this.#wake({ at: 'closed' })
    return this.ended
  }

  async *#play(job: Job, onPrompted: OnPrompted): AsyncGenerator<Batch> {
    const { folder, model, mode } = this.#parts.profile
    if (this.#closed) {
      yield batchOf([CANCELLED])
      return
    }
    this.#prompted = true
    const output = this.#child.lines()[Symbol.asyncIterator]()
    this.#touch()
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
          yield batchOf([CANCELLED])
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
    if (this.#closed) return batchOf([CANCELLED])
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

  #end(cause: ExitCause, exitGraceMs: number): void {
    const { settings, hooks } = this.#parts
    const { killGraceMs, hasPs } = settings
    const { onKilled } = hooks
    const end = this.#child.end(cause, { exitGraceMs, killGraceMs, hasPs, onKilled })
    void end.then(this.#giveUp)
    this.#touch()
  }

  async #untilSpoiled(): Promise<string> {
    const exit = await Promise.race([this.#child.exited, this.#child.spoke])
    if (this.#prompted) return new Promise(ignore)
    if (exit === undefined) return 'it wrote to its output before it got a prompt'
    await this.#child.stderrRead
    const text = this.#child.stderrTail()
    const { message } = classify({
      text,
      exit,
      model: this.#parts.profile.model,
      home: homedir(),
    })
    return `it exited before it got a prompt: ${message}`
  }

  async #untilGone(): Promise<ExitFacts> {
    const exited: ChildExit | undefined = await Promise.race([
      this.#child.exited,
      this.#givenUp.then(() => undefined),
    ])
    if (!this.#prompted) await Promise.race([this.#touched, delay(UNREAD_MS)])
    this.#end('crashed', 0)
    await this.#givenUp
    this.#parts.offer?.close()
    await this.#parts.rules.release()
    const { code, signal } = exited ?? { code: null, signal: null }
    // One that had to be ended may not have written everything.
    if (code !== 0 || !(await this.#keepChat())) await this.#removeScratch()
    return { code, signal, stderrTail: this.#child.stderrTail() }
  }

  /** Leaves the folders to the conversation when its chat is really in them. */
  async #keepChat(): Promise<boolean> {
    const { profile, settings, scratch } = this.#parts
    const chatId = this.#chatId
    if (chatId === '') return false
    const env = { ...process.env, ...settings.env }
    if (!(await chatIsOnDisk(chatId, scratch, profile.folder, env))) return false
    this.#kept = { backend: 'print', chatId, folders: scratch }
    return true
  }

  async #removeScratch(): Promise<void> {
    try {
      await removeScratch(this.#parts.scratch)
    } catch (error) {
      // A leftover that cannot be removed now is taken by the sweep of scratch folders.
      if (!isErrno(error)) throw error
    }
  }
}

function eventsOf(batch: LineBatch, parser: PrintParser): readonly AgentEvent[] {
  const events: AgentEvent[] = [...parser.tooLong(batch.tooLong)]
  for (const line of batch.lines) {
    for (const event of parser.line(line)) events.push(event)
    if (parser.ended) break
  }
  return events
}

const batchOf = (events: readonly AgentEvent[]): Batch => ({ events, readAtMs: monotonicMs() })

function ignore(): void {
  // Deliberately empty: nobody waits.
}
