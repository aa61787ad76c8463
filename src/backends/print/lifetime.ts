// The life of one print child beside its prompt: spoiled before it, ended once, its folders left to the conversation or
// removed when it is gone.
import { homedir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Kept, LaunchProfile } from '../../core/job.ts'
import type { ExitCause } from '../../core/telemetry.ts'
import { isErrno } from '../../lib/errno.ts'
import { areAwaited, untilSpoken } from '../../lib/first-words.ts'
import type { Child, ChildExit } from '../../process/child.ts'
import { removeScratch, type ScratchFolder } from '../../workspace/scratch.ts'
import type { AgentHooks, ExitFacts, WorkerSettings } from '../backend.ts'
import { classify } from '../classify.ts'
import type { Offer } from '../offer.ts'
import { chatIsOnDisk } from './chats.ts'
import type { PlacedRules } from './place-rules.ts'

export interface LifetimeParts {
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

/** A child that exited before anybody looked: how long its output is kept for a run that is about to start, ms. */
const UNREAD_MS = 1_000

export class Lifetime {
  /** Resolves with why the child is of no use any more; never once it got its prompt. */
  readonly spoiled: Promise<string>
  /** Resolves when nothing of the child is left. */
  readonly ended: Promise<ExitFacts>
  readonly #parts: LifetimeParts
  #prompted = false
  #chatId = ''
  #kept: Kept | undefined
  #touch: () => void = ignore
  readonly #touched = new Promise<void>((resolve) => {
    this.#touch = resolve
  })
  #giveUp: () => void = ignore
  readonly #givenUp = new Promise<void>((resolve) => {
    this.#giveUp = resolve
  })

  constructor(parts: LifetimeParts) {
    this.#parts = parts
    this.spoiled = this.#untilSpoiled()
    this.ended = this.#untilGone()
  }

  /** What was kept for the conversation; known once it has ended: only then everything is on disk. */
  get kept(): Kept | undefined {
    return this.#kept
  }

  /** From now on somebody reads its output. */
  prompted(): void {
    this.#prompted = true
    this.#touch()
  }

  /** The chat of a run that ended well and whose job asked to keep it. */
  keep(chatId: string): void {
    this.#chatId = chatId
  }

  end(cause: ExitCause, exitGraceMs: number): void {
    const { child, settings, hooks } = this.#parts
    const { killGraceMs, hasPs, firstWords } = settings
    const { onKilled } = hooks
    const options = { exitGraceMs, killGraceMs, hasPs, onKilled }
    const isBusy = firstWords !== undefined && areAwaited(firstWords)
    const end = child.end(
      cause,
      isBusy ? { ...options, calm: (hurry) => untilSpoken(firstWords, hurry) } : options,
    )
    void end.then(this.#giveUp)
    this.#touch()
  }

  async #untilSpoiled(): Promise<string> {
    const { child, profile } = this.#parts
    const exit = await Promise.race([child.exited, child.spoke])
    if (this.#prompted) return new Promise(ignore)
    if (exit === undefined) return 'it wrote to its output before it got a prompt'
    await child.stderrRead
    const text = child.stderrTail()
    const { message } = classify({ text, exit, model: profile.model, home: homedir() })
    return `it exited before it got a prompt: ${message}`
  }

  async #untilGone(): Promise<ExitFacts> {
    const { child, rules, offer } = this.#parts
    const exited: ChildExit | undefined = await Promise.race([
      child.exited,
      this.#givenUp.then(() => undefined),
    ])
    if (!this.#prompted) await Promise.race([this.#touched, delay(UNREAD_MS)])
    // One that is being ended is not hurried by its own exit.
    if (child.endCause === undefined) this.end('crashed', 0)
    await this.#givenUp
    offer?.close()
    await rules.release()
    const { code, signal } = exited ?? { code: null, signal: null }
    // One that had to be ended may not have written everything.
    if (code !== 0 || !(await this.#keepChat())) await this.#removeScratch()
    return { code, signal, stderrTail: child.stderrTail() }
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

function ignore(): void {
  // Deliberately empty: nobody waits.
}
