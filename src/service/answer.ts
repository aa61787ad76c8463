// Turn → events: plans the run, submits it, and lets a retry of the same request share or repeat the earlier outcome.
import type { Answer, Answerer, RequestFacts } from '../core/answer.ts'
import type { Terminal } from '../core/events.ts'
import { type FailureCode, Refusal } from '../core/failure.ts'
import type { RunId } from '../core/ids.ts'
import type { BackendName, Job, JobLimits, Kept, LaunchProfile } from '../core/job.ts'
import type { Pool } from '../core/run.ts'
import type { Logger, Start, Telemetry, TurnKind } from '../core/telemetry.ts'
import type { Turn } from '../core/turn.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { Conversations } from '../sessions/conversations.ts'
import { type Identity, identify, type RequestKind } from '../sessions/identity.ts'
import { readTranscript, type Transcript } from '../sessions/transcript.ts'
import { asAsked, rewriting } from './as-asked.ts'
import { createFailedTurns } from './failed-turns.ts'
import { fingerprint } from './fingerprint.ts'
import { SessionKeeper } from './going-on.ts'
import { handOut } from './hand-out.ts'
import { createLiveTurns } from './live-turns.ts'
import { createMeter } from './meter.ts'
import type { ModelChoice } from './model-choice.ts'
import { outcomeOf } from './outcome.ts'
import { type Plan, type PlanSettings, plan } from './plan.ts'
import { promptOf } from './prompt-of.ts'
import { chooseRepeat } from './repeats.ts'
import { Reply } from './reply.ts'
import { createReplyStore, type StoreLimits } from './reply-store.ts'
import type { SkillPlan, SkillPlanner } from './skills.ts'
import { clampToWindow } from './usage.ts'

export interface AnswererSettings extends PlanSettings {
  readonly usage: 'prompt' | 'cursor'
  readonly limits: JobLimits
  /** A reader that left may come back within this time, ms. */
  readonly graceMs: number
  readonly join: boolean
  readonly store: StoreLimits
}

export interface CliFacts {
  readonly binary: string
  readonly version: string
  readonly promptVia: 'stdin' | 'argv'
}

export interface AnswererParts {
  readonly pool: Pool
  readonly settings: AnswererSettings
  /** @throws Refusal cli-missing, naming the setting that mends it. */
  readonly cli: () => Promise<CliFacts>
  /** @throws Refusal model-not-found naming the nearest ones. */
  readonly chooseModel: (turn: Turn) => Promise<ModelChoice>
  /** Real path of the folder to work in, undefined for a scratch one. @throws Refusal when it must not be used. */
  readonly workspace: (turn: Turn, header: string | null) => Promise<string | undefined>
  /** What Cursor has to be told of the skills that the client advertises. */
  readonly skills: SkillPlanner
  readonly countTokens: (turn: Turn) => Promise<number>
  readonly conversations: Conversations
  /** The backend for a turn. */
  readonly backend: (facts: {
    readonly cli: CliFacts
    readonly inWorkspace: boolean
    readonly before: BackendName | undefined
  }) => 'print' | 'acp'
  /** Whether a session of this profile can be gone on from. */
  readonly canGoOn: (profile: LaunchProfile) => boolean
  /** A session that was to be gone on from was not there. */
  readonly onBrokenResume: (profile: LaunchProfile) => void
  /** Gives back what a conversation that is over has left in an agent or on disk. */
  readonly forget: (kept: Kept) => void
  readonly newRunId: () => RunId
  /** A run failed: a chance to look again at what it was planned from (model list, CLI). */
  readonly onFailure: (code: FailureCode) => void
  readonly telemetry: Telemetry
  readonly logger: Logger
}

/** Kinds that are turns of a conversation; all others are side requests and leave its agent alone. */
const OWN_TURNS: ReadonlySet<RequestKind> = new Set(['main', 'subagent'])

export function createAnswerer(parts: AnswererParts): Answerer {
  const { settings, telemetry } = parts
  const store = createReplyStore(settings.store)
  const live = createLiveTurns(() => telemetry.retry('superseded'))
  const keeper = new SessionKeeper({
    conversations: parts.conversations,
    forget: parts.forget,
    canGoOn: parts.canGoOn,
    onBroken: parts.onBrokenResume,
  })
  const failedTurns = createFailedTurns({
    max: settings.store.maxReplies,
    windowMs: settings.store.windowMs,
  })
  /** Requests between their look-up and their entry in the store: two equal ones at once must not both run. */
  const starting = new Map<string, Promise<Reply>>()

  const prepare = async (
    turn: Turn,
    facts: RequestFacts,
    identity: Identity,
  ): Promise<Prepared> => {
    const cli = await parts.cli()
    const [choice, workspace] = await Promise.all([
      parts.chooseModel(turn),
      parts.workspace(turn, facts.headers.get('x-cursor-workspace')),
    ])
    const skills = await parts.skills(turn, { cliVersion: cli.version, workspace })
    const modeHeader = facts.headers.get('x-cursor-mode')
    const transcript = readTranscript(turn.messages)
    const { answered } = transcript
    const whose = { key: identity.key, credential: facts.credential }
    const before = answered && parts.conversations.backendOf(answered, whose)
    const planned = plan(turn, {
      settings,
      backend: parts.backend({ cli, inWorkspace: workspace !== undefined, before }),
      binary: cli.binary,
      cliVersion: cli.version,
      promptVia: cli.promptVia,
      model: choice.id,
      workspace,
      modeHeader,
      skills,
    })
    return { planned, skills, transcript, window: choice.contextWindow }
  }

  const begin = async (asked: Asked, prepared: Prepared): Promise<Reply> => {
    const { turn, print, identity, credential } = asked
    const { planned, transcript } = prepared
    const isSide = !OWN_TURNS.has(identity.kind)
    if (identity.key !== undefined && !isSide) await live.makeWay(identity.key, transcript)
    const render = (what: Turn) => promptOf(what, planned, prepared.skills)
    const going = await keeper.begin({
      turn,
      transcript,
      key: identity.key,
      credential,
      profile: planned.profile,
      isSide,
      render,
    })
    const job: Job = {
      runId: parts.newRunId(),
      profile: planned.profile,
      prompt: render(turn),
      limits: settings.limits,
      keep: going.keep,
    }
    const startedMs = monotonicMs()
    const run = parts.pool.submit(job, going.continuation)
    going.follow(run)
    const inputTokens = parts
      .countTokens(turn)
      .then((tokens) => clampToWindow(tokens, prepared.window))
    const reply = new Reply({
      run: asAsked(turn, run, (text) => parts.pool.submit(rewriting(job, parts.newRunId(), text))),
      meter: createMeter({
        telemetry,
        usageSetting: settings.usage,
        inputTokens,
        look: (event) => going.look(event),
      }),
      budget: store.budget,
      mode: planned.mode,
      backend: planned.backend,
      model: planned.profile.model,
      inputTokens,
      onEnd: (ended, terminal) => {
        const labels = { api: turn.api, backend: planned.backend, mode: planned.mode }
        telemetry.runEnded(
          { ...labels, outcome: outcomeOf(terminal, run.marks().start !== undefined) },
          (monotonicMs() - startedMs) / 1000,
        )
        const { start } = run.marks()
        if (start !== undefined) telemetry.sessionTurn(turnKind(start))
        if (terminal.type === 'failure') {
          parts.onFailure(terminal.code)
          const state = ended.state()
          if (state.at === 'failed' && state.worked && identity.key !== undefined) {
            failedTurns.put({ credential, key: identity.key, chain: transcript.whole }, terminal)
          }
        }
        // Delivery is known only when the last reader is released; without readers nobody will say so.
        if (ended.readers === 0) store.settle(print, ended)
      },
    })
    store.put(print, reply)
    if (identity.key !== undefined && !isSide) {
      live.enter(identity.key, { reply, transcript })
    }
    return reply
  }

  return {
    countTokens: parts.countTokens,
    async answer(turn, facts) {
      const identity = identify({
        api: turn.api,
        headers: facts.headers,
        bodyIds: turn.bodyIds,
        turn,
      })
      const print = fingerprint({
        api: turn.api,
        credential: facts.credential,
        conversation: identity.conversation,
        headers: facts.headers,
        body: facts.body,
      })
      const earlier = store.find(print)
      const choice = chooseRepeat({
        earlier: earlier?.state(),
        hasConversation: identity.conversation !== undefined,
        saysRetry: Number(facts.headers.get('x-stainless-retry-count') ?? '0') > 0,
        join: settings.join,
      })
      const hand = (reply: Reply, start: Start | undefined): Promise<Answer> =>
        handOut({
          reply,
          start,
          session: identity.key,
          graceMs: identity.conversation === undefined ? 0 : settings.graceMs,
          settle: () => {
            store.settle(print, reply)
          },
        })
      if (earlier !== undefined) {
        switch (choice) {
          case 'join':
            telemetry.retry('joined')
            telemetry.sessionTurn('joined')
            return hand(earlier, 'joined')
          case 'replay':
            telemetry.retry('replayed')
            telemetry.sessionTurn('replayed')
            return hand(earlier, 'replayed')
          case 'fail-again':
            telemetry.retry('failed-again')
            throw repeatedFailure(earlier.terminal)
          case 'lost':
            telemetry.retry('failed-again')
            throw new Refusal(
              'agent-failed',
              'the answer to this very request was finished but never delivered, and it is too large to be kept; asking again in the same words would do the work twice. Change the request to run it anew',
              { repeated: true },
            )
          case 'after':
            telemetry.retry('anew')
            if (earlier.terminal === undefined) earlier.cancel('client-gone')
            await earlier.run.settled
            break
          case 'anew':
            break
        }
      }
      if (identity.key !== undefined && settings.join) {
        const { key } = identity
        const failed = failedTurns.find({ credential: facts.credential, key }, turn.messages)
        if (failed !== undefined) {
          telemetry.retry('failed-again')
          throw repeatedFailure(failed)
        }
      }
      const sibling = identity.conversation === undefined ? undefined : starting.get(print)
      if (sibling !== undefined && settings.join) {
        telemetry.retry('joined')
        return hand(await sibling, 'joined')
      }
      const starts = prepare(turn, facts, identity).then((prepared) =>
        begin({ turn, print, identity, credential: facts.credential }, prepared),
      )
      starting.set(print, starts)
      try {
        return await hand(await starts, undefined)
      } finally {
        if (starting.get(print) === starts) starting.delete(print)
      }
    },
  }
}

interface Asked {
  readonly turn: Turn
  readonly print: string
  readonly identity: Identity
  readonly credential: string
}

interface Prepared {
  readonly planned: Plan
  readonly skills: SkillPlan
  readonly transcript: Transcript
  readonly window: number | undefined
}

function turnKind(start: Start): TurnKind {
  return start === 'resumed' || start === 'moved' ? start : 'fresh'
}

function repeatedFailure(terminal: Terminal | undefined): Refusal {
  if (terminal?.type !== 'failure') throw new Error('a failed reply has a failure')
  return new Refusal(terminal.code, terminal.message, { repeated: true })
}
