// Where a reply's events come from: a run of its own, or a run that waited for what the request brings.
import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { AgentEvent } from '../core/events.ts'
import { type CallId, callId } from '../core/ids.ts'
import type { BackendName, Job, Kept } from '../core/job.ts'
import type { Run } from '../core/run.ts'
import type { Api, Turn } from '../core/turn.ts'
import { type Parkable, type Parked, ParkedRuns } from '../sessions/parked.ts'
import type { Results } from '../sessions/results.ts'
import { digestReply, type Transcript } from '../sessions/transcript.ts'
import { BridgeRun } from './bridge/bridge-run.ts'
import { Guard } from './bridge/guard.ts'
import { LaterRun } from './bridge/later-run.ts'
import type { LegWish } from './bridge/leg.ts'
import { withNotes } from './bridge/notes.ts'
import { offerAnew } from './bridge/relist.ts'
import type { GoingOn } from './going.ts'
import { SessionKeeper } from './going-on.ts'
import type { AnswererParts } from './parts.ts'
import { keyWithoutTools } from './plan.ts'
import type { Asked, Prepared } from './prepare.ts'

export interface Source {
  readonly run: Run
  /** Every event of the reply, once, in order. */
  readonly look: (event: AgentEvent) => void
  /** The reply is a part of a run that spans several. */
  readonly isPart: () => boolean
}

/** A run whose tools the client hosts, and what belongs to it beyond one reply. */
interface Bridged extends Parkable {
  readonly bridge: BridgeRun
  readonly going: GoingOn
  readonly guard: Guard
  /** The client's working folder, as its latest request names it. */
  folder: string | undefined
}

/** A call whose mark has not come after this time goes out without it. Source: design, Parking. */
const ORDER_MS = 250
const MOST_SESSIONS = 1000
const CALL_PREFIX: Readonly<Record<Api, string>> = {
  messages: 'toolu_',
  chat: 'call_',
  responses: 'call_',
}

export class Sources {
  readonly #parts: AnswererParts
  readonly #keeper: SessionKeeper
  readonly #parked: ParkedRuns<Bridged>
  /** Corrections by session token. */
  readonly #corrections = new LRUCache<string, number>({ max: MOST_SESSIONS })

  constructor(parts: AnswererParts) {
    this.#parts = parts
    this.#parked = new ParkedRuns(parts.bridge.parkedTimeoutMs)
    this.#keeper = new SessionKeeper({
      conversations: parts.conversations,
      forget: parts.forget,
      canGoOn: parts.canGoOn,
      onBroken: parts.onBrokenResume,
      clientTools: parts.bridge.tools,
    })
  }

  /** The backend of the run that waits for what these messages bring. */
  parkedBackend({ fresh }: Transcript, credential: string): BackendName | undefined {
    return this.#parked.waitingFor(fresh, credential)?.bridge.backend
  }

  /** Runs of this conversation that wait for something else are ended first. */
  async open(asked: Asked, prepared: Prepared): Promise<Source> {
    const { turn, key, credential } = asked
    const { profile } = prepared.planned
    const match = this.#parked.match(
      {
        key,
        credential,
        profile: keyWithoutTools(profile),
        messages: turn.messages,
        transcript: prepared.transcript,
        tools: profile.offer?.tools ?? [],
      },
      !asked.isSide,
    )
    if (match.at === 'resumed') return this.#resumed(asked, prepared, match)
    for (const run of match.useless) run.cancel('superseded')
    await Promise.all(match.useless.map((run) => run.settled))
    return this.#fresh(asked, prepared)
  }

  async #fresh(asked: Asked, prepared: Prepared): Promise<Source> {
    const { turn, key, credential, isSide } = asked
    const { planned, transcript, render, hostFacts } = prepared
    const { profile } = planned
    const going = await this.#keeper.begin({
      turn,
      transcript,
      key,
      credential,
      profile,
      isSide,
      render,
    })
    const job: Job = {
      runId: this.#parts.newRunId(),
      profile,
      prompt: render(turn),
      limits: this.#parts.settings.limits,
      keep: going.keep,
      hostFacts,
    }
    const run = this.#parts.pool.submit(job, going.continuation)
    if (profile.offer === undefined) {
      going.follow(run)
      return { run, look: (event) => going.look(event), isPart: () => false }
    }
    const bridged = this.#bridge(run, job, { asked, prepared, going })
    going.follow(bridged.bridge)
    const leg = bridged.bridge.begin(wishOf(turn))
    return { run: leg, look: this.#watch(bridged, asked, prepared), isPart: () => leg.isPart }
  }

  #bridge(
    run: Run,
    job: Job,
    of: { readonly asked: Asked; readonly prepared: Prepared; readonly going: GoingOn },
  ): Bridged {
    const { asked, prepared, going } = of
    const { pool, bridge: door, telemetry, logger, forget, newRunId } = this.#parts
    const corrections = this.#corrections
    const guard = new Guard({
      tools: door.tools,
      scratchRoots: door.scratchRoots,
      folder: () => bridged.folder,
      corrections,
      onNotContacted: () => door.onNotContacted(job.profile),
      telemetry,
      logger,
    })
    const again = (kept: Kept | undefined): Run => {
      const { turn } = asked
      const nothingNew = { ...turn, messages: [] }
      return pool.submit(
        { ...job, runId: newRunId(), prompt: prepared.render(turn, true) },
        kept && { kept, prompt: prepared.render(nothingNew, true) },
      )
    }
    const bridge = new BridgeRun(run, {
      tools: door.tools,
      groupMs: door.groupMs,
      orderMs: ORDER_MS,
      newCallId: () => newCallId(asked.turn.api),
      correct: (call, leg, token) => guard.correct(call, leg, token),
      judge: (finish, leg, token) => guard.judge(finish, leg, token),
      again,
      forget,
    })
    const { settled } = bridge
    const cancel: Bridged['cancel'] = (cause) => bridge.cancel(cause)
    const bridged: Bridged = { bridge, going, guard, settled, cancel, folder: prepared.folder }
    return bridged
  }

  #resumed(
    asked: Asked,
    prepared: Prepared,
    { parked, results }: { readonly parked: Parked<Bridged>; readonly results: Results },
  ): Source {
    const { turn } = asked
    const { bridge, going } = parked.run
    const { profile } = prepared.planned
    parked.run.folder = prepared.folder ?? parked.run.folder
    const tools = profile.offer?.tools ?? []
    const unseen = going.nextReply(turn, profile, prepared.transcript)
    const answers = withNotes(results, unseen)
    let source: Omit<Source, 'run'> = {
      look: this.#watch(parked.run, asked, prepared),
      isPart: () => true,
    }
    const run = new LaterRun({
      id: bridge.id,
      backend: bridge.backend,
      cancel: (cause) => bridge.cancel(cause),
      onFault: (error) => {
        const detail = error instanceof Error ? (error.stack ?? error.message) : String(error)
        this.#parts.logger.error('a parked run could not go on', { detail })
      },
      decide: async (isCancelled) => {
        const knows =
          tools.length === parked.tools.length ||
          (await offerAnew(this.#parts.bridge.tools, bridge.token ?? '', tools))
        const leg = knows ? await bridge.goOn(answers, wishOf(turn)) : undefined
        if (leg !== undefined) return leg
        bridge.cancel('superseded')
        await bridge.settled
        if (isCancelled()) return undefined
        const fresh = await this.#fresh(asked, prepared)
        source = fresh
        return fresh.run
      },
    })
    return { run, look: (event) => source.look(event), isPart: () => source.isPart() }
  }

  /** Sees a reply of a bridged run pass: when it ends with calls, the run waits from then on. */
  #watch(bridged: Bridged, asked: Asked, prepared: Prepared): Source['look'] {
    const { bridge, going, guard } = bridged
    const { profile } = prepared.planned
    const reply = digestReply(prepared.transcript.whole)
    return (event) => {
      going.look(event)
      if (event.type === 'text-delta') reply.text(event.text)
      if (event.type === 'tool-start' && event.host === 'client')
        reply.call(event.name, event.input)
      if (event.type === 'finish' || event.type === 'failure') guard.summarize()
      if (event.type !== 'finish' || event.reason !== 'tool-calls') return
      this.#parked.put({
        run: bridged,
        key: asked.key,
        credential: asked.credential,
        profile: keyWithoutTools(profile),
        chain: reply.chain(),
        calls: bridge.awaited,
        tools: profile.offer?.tools ?? [],
      })
    }
  }
}

const wishOf = ({ parallelToolCalls, toolChoice }: Turn): LegWish => ({
  oneAtATime: !parallelToolCalls,
  toolChoice,
})

/** Never told to anybody but the client: whoever holds it may answer the call. */
function newCallId(api: Api): CallId {
  return callId(CALL_PREFIX[api] + randomBytes(16).toString('hex'))
}
