// A prepared request → its reply: makes way in its conversation, finds the run, counts and remembers what comes of it.
import type { RequestFacts } from '../core/answer.ts'
import type { Terminal } from '../core/events.ts'
import type { Start, TurnKind } from '../core/telemetry.ts'
import { monotonicMs } from '../lib/clock.ts'
import { asAsked, rewriting } from './as-asked.ts'
import type { FailedTurns } from './failed-turns.ts'
import type { LiveTurns } from './live-turns.ts'
import { createMeter } from './meter.ts'
import { outcomeOf } from './outcome.ts'
import type { AnswererParts } from './parts.ts'
import { type Asked, type Prepared, prepare } from './prepare.ts'
import { Reply } from './reply.ts'
import type { ReplyStore } from './reply-store.ts'
import { type Source, Sources } from './sources.ts'
import { clampToWindow } from './usage.ts'

export interface Memories {
  readonly store: ReplyStore
  readonly live: LiveTurns
  readonly failedTurns: FailedTurns
}

export class TurnStarter {
  readonly #parts: AnswererParts
  readonly #memories: Memories
  readonly #sources: Sources

  constructor(parts: AnswererParts, memories: Memories) {
    this.#parts = parts
    this.#memories = memories
    this.#sources = new Sources(parts)
  }

  /** @throws Refusal when the request cannot be served at all, or a newer one of its conversation is running. */
  async start(asked: Asked, { headers }: RequestFacts): Promise<Reply> {
    const prepared = await prepare(this.#parts, asked, headers, (transcript) =>
      this.#sources.parkedBackend(transcript, asked.credential),
    )
    const { store, live } = this.#memories
    const { key, isSide, print } = asked
    if (key !== undefined && !isSide) await live.makeWay(key, prepared.transcript)
    const source = await this.#sources.open(asked, prepared)
    const reply = this.#reply(asked, prepared, source)
    store.put(print, reply)
    if (key !== undefined && !isSide) live.enter(key, { reply, transcript: prepared.transcript })
    return reply
  }

  #reply(asked: Asked, prepared: Prepared, { run, look, isPart }: Source): Reply {
    const { telemetry, settings, pool, newRunId } = this.#parts
    const { planned } = prepared
    const { profile } = planned
    const startedMs = monotonicMs()
    const inputTokens = this.#parts
      .countTokens(asked.turn)
      .then((tokens) => clampToWindow(tokens, prepared.window))
    return new Reply({
      run: asAsked(asked.turn, run, (prompt) =>
        pool.submit(rewriting({ profile, limits: settings.limits }, newRunId(), prompt)),
      ),
      meter: createMeter({
        telemetry,
        usageSetting: settings.usage,
        inputTokens,
        isPart,
        look,
      }),
      budget: this.#memories.store.budget,
      mode: planned.mode,
      backend: planned.backend,
      model: planned.profile.model,
      inputTokens,
      onEnd: (reply, terminal) => this.#ended({ asked, prepared, startedMs }, reply, terminal),
    })
  }

  #ended(
    of: { readonly asked: Asked; readonly prepared: Prepared; readonly startedMs: number },
    reply: Reply,
    terminal: Terminal,
  ): void {
    const { asked, startedMs } = of
    const { telemetry } = this.#parts
    const { mode, backend } = of.prepared.planned
    const { start } = reply.run.marks()
    // A run that waits for its client has not ended.
    if (!reply.awaitsClient) {
      const outcome = outcomeOf(terminal, start !== undefined)
      const seconds = (monotonicMs() - startedMs) / 1000
      telemetry.runEnded({ api: asked.turn.api, backend, mode, outcome }, seconds)
    }
    if (start !== undefined) telemetry.sessionTurn(turnKind(start))
    if (terminal.type === 'failure') {
      this.#parts.onFailure(terminal.code)
      const state = reply.state()
      if (state.at === 'failed' && state.worked && asked.key !== undefined) {
        const chain = of.prepared.transcript.whole
        this.#memories.failedTurns.put(
          { credential: asked.credential, key: asked.key, chain },
          terminal,
        )
      }
    }
    // Delivery is known only when the last reader is released; without readers nobody will say so.
    if (reply.readers === 0) this.#memories.store.settle(asked.print, reply)
  }
}

function turnKind(start: Start): TurnKind {
  return start === 'resumed' || start === 'moved' ? start : 'fresh'
}
