// The end of one ACP child: ended once, first cause kept; its folder goes when it is gone.
import type { ExitCause } from '../../core/telemetry.ts'
import { isErrno } from '../../lib/errno.ts'
import type { Child, ChildExit } from '../../process/child.ts'
import { removeScratch, type ScratchFolder } from '../../workspace/scratch.ts'
import type { AgentHooks, ExitFacts, WorkerSettings } from '../backend.ts'

export interface LifetimeParts {
  readonly child: Child
  readonly settings: WorkerSettings
  readonly hooks: AgentHooks
  readonly scratch: ScratchFolder
}

export class Lifetime {
  /** Resolves when nothing of the child is left. Never rejects. */
  readonly ended: Promise<ExitFacts>
  readonly #parts: LifetimeParts
  #giveUp: () => void = () => undefined
  readonly #givenUp = new Promise<void>((resolve) => {
    this.#giveUp = resolve
  })

  constructor(parts: LifetimeParts) {
    this.#parts = parts
    this.ended = this.#untilGone()
  }

  end(cause: ExitCause, exitGraceMs: number): void {
    const { child, settings, hooks } = this.#parts
    const { killGraceMs, hasPs } = settings
    const end = child.end(cause, { exitGraceMs, killGraceMs, hasPs, onKilled: hooks.onKilled })
    void end.then(this.#giveUp)
  }

  async #untilGone(): Promise<ExitFacts> {
    const { child, scratch } = this.#parts
    const exited: ChildExit | undefined = await Promise.race([
      child.exited,
      this.#givenUp.then(() => undefined),
    ])
    this.end('crashed', 0)
    await this.#givenUp
    try {
      await removeScratch(scratch)
    } catch (error) {
      // A leftover that cannot be removed now is taken by the sweep of scratch folders.
      if (!isErrno(error)) throw error
    }
    const { code, signal } = exited ?? { code: null, signal: null }
    return { code, signal, stderrTail: child.stderrTail() }
  }
}
