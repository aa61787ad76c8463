// Spares: which profiles keep a warm child, in which seats, until when. Starts none while runs wait or launch.
import type { Terminal } from '../core/events.ts'
import type { ProfileKey, RunId } from '../core/ids.ts'
import { type Job, type LaunchProfile, profileKey } from '../core/job.ts'
import type { ExitCause, Logger } from '../core/telemetry.ts'
import { monotonicMs } from '../lib/clock.ts'
import { HANDED_OVER_MS, PATIENCE_MS } from '../lib/first-words.ts'
import { Demand } from './demand.ts'
import type { PoolOptions } from './options.ts'
import type { Remembered } from './remembered.ts'
import type { SeatTable, SpareWatch } from './seat-table.ts'
import { groupOf, type Seat, type Spare } from './seats.ts'
import { WarmHealth } from './warm-health.ts'

/** Spares that may be on their way up at once: a machine with few cores must not choke on its own spares. */
const STARTING_AT_ONCE = 3
/** One that takes longer no longer holds up the others. */
const STARTING_MS = 10_000
/** A spare gives way to another profile only when that is so much likelier. */
const CLEARLY_LIKELIER = 1.5
/**
 * Starting a process holds up every thread of this one (measured: 10 to 25 ms on the way of a first token, two cores), so
 * successors of spares wait for the first words of all runs that just took one, but not longer than this after the last.
 */
const FIRST_WORDS_MS = PATIENCE_MS
/** Prompts that keep coming do not put it off any further. */
const LONGEST_MS = 200
const TICK_MS = 5_000
const SLEPT_MS = 30_000

export interface WarmParts {
  readonly options: Pick<PoolOptions, 'warm' | 'warmIdleMs' | 'concurrency' | 'restarts' | 'logger'>
  readonly seats: () => SeatTable
  readonly remembered: Remembered
  /** Runs waiting for a slot. */
  readonly waiting: () => number
}

export class WarmPool implements SpareWatch {
  #parts: WarmParts
  #logger: Logger
  #demand = new Demand()
  #health: WarmHealth
  #timer: NodeJS.Timeout | undefined
  #scheduled = false
  /** Runs whose prompt was just written and which have said nothing yet. */
  #silent = new Set<RunId>()
  /** Set while there are such runs. */
  #patience: NodeJS.Timeout | undefined
  #patientSinceMs = 0
  #stopped = false
  #tickedAtMs = Date.now()

  constructor(parts: WarmParts) {
    this.#parts = parts
    this.#logger = parts.options.logger
    this.#health = new WarmHealth(parts.options.restarts)
    this.#stopped = parts.options.warm === 0
    this.#startTicking()
  }

  /** How likely a child of this profile is to be wanted next; for comparison only. */
  usefulness(key: ProfileKey): number {
    return this.#demand.score(key, monotonicMs())
  }

  off(): Readonly<Record<string, string>> {
    return this.#health.off()
  }

  /** Warms this profile as long as nothing else has been asked for. */
  prewarm(profile: LaunchProfile): void {
    this.#demand.expect(profile, profileKey(profile), monotonicMs())
    this.changed()
  }

  /** A run with this profile was submitted. */
  wanted(profile: LaunchProfile): void {
    const { binary, cliVersion } = profile
    this.#demand.onlyVersion(binary, cliVersion)
    this.#demand.used(profile, profileKey(profile), monotonicMs())
    this.#drop('recycled', ({ profile: old }) => {
      return old.binary === binary && old.cliVersion !== cliVersion
    })
  }

  active(count: number): void {
    this.#demand.active(count, monotonicMs())
  }

  /** A run's prompt has been written: the spare it took is replaced as soon as that disturbs nobody. */
  prompted(job: Job, warm: boolean): void {
    if (warm) this.#health.proven(job.profile)
    this.#silent.add(job.runId)
    const nowMs = monotonicMs()
    if (this.#patience === undefined) this.#patientSinceMs = nowMs
    this.#refillIn(Math.min(FIRST_WORDS_MS, this.#patientSinceMs + LONGEST_MS - nowMs))
  }

  spoke(runId: RunId): void {
    this.#silent.delete(runId)
    if (this.#silent.size === 0 && this.#patience !== undefined) this.#refillIn(HANDED_OVER_MS)
  }

  played(job: Job, terminal: Terminal): void {
    this.spoke(job.runId)
    if (terminal.type === 'finish') this.#health.succeeded(job.profile, monotonicMs())
  }

  spoiled(spare: Spare, reason: string): void {
    const off = this.#health.spoiled(spare.profile, reason, monotonicMs())
    if (off) this.#logger.warn('warming is off for a CLI that spoils its spares', { reason })
  }

  /** Looks for missing spares, after what is going on now. */
  changed(): void {
    if (this.#stopped || this.#scheduled || this.#patience !== undefined) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#refill()
    })
  }

  /** No more spares; the present ones are let go. */
  stop(): void {
    this.#stopped = true
    clearInterval(this.#timer)
    clearTimeout(this.#patience)
    this.#drop('shutdown', () => true)
  }

  #refillIn(ms: number): void {
    clearTimeout(this.#patience)
    this.#patience = setTimeout(() => {
      this.#patience = undefined
      this.#silent.clear()
      this.#refill()
    }, ms).unref()
  }

  #startTicking(): void {
    const { warmIdleMs } = this.#parts.options
    this.#timer = setInterval(
      () => this.#tick(),
      Math.min(TICK_MS, Math.max(50, warmIdleMs / 4)),
    ).unref()
  }

  #tick(): void {
    const wallMs = Date.now()
    // Wall time: the monotonic clock stands still while the machine sleeps.
    const slept = wallMs - this.#tickedAtMs > TICK_MS + SLEPT_MS
    this.#tickedAtMs = wallMs
    const oldest = monotonicMs() - this.#parts.options.warmIdleMs
    this.#drop('recycled', (spare) => slept || spare.sinceMs < oldest)
    this.changed()
  }

  #drop(cause: ExitCause, isUseless: (spare: Spare) => boolean): void {
    for (const seat of this.#parts.seats().all) {
      if (seat.isFree && seat.spare !== undefined && isUseless(seat.spare)) seat.discard(cause)
    }
  }

  #refill(): void {
    if (this.#stopped || this.#parts.waiting() > 0) return
    const nowMs = monotonicMs()
    const { warm, concurrency } = this.#parts.options
    const target = Math.max(warm, Math.min(concurrency, this.#demand.peak(nowMs)))
    const shares = this.#demand.shares(target, nowMs, (profile) => this.#mayWarm(profile, nowMs))
    const seats = this.#parts
      .seats()
      .all.filter((seat) => seat.isFree && seat.isAttached && !seat.isReserved)
    const wanted = new Map<ProfileKey, number>()
    for (const [key, share] of shares) {
      const profile = this.#demand.profile(key)
      if (profile === undefined) continue
      const group = groupOf(profile, key)
      wanted.set(group, (wanted.get(group) ?? 0) + share)
    }
    for (const key of shares.keys()) {
      const profile = this.#demand.profile(key)
      if (profile === undefined) continue
      const group = groupOf(profile, key)
      while (count(seats, group) < (wanted.get(group) ?? 0)) {
        if (starting(seats, nowMs) >= STARTING_AT_ONCE) return
        const seat = this.#seatFor({ key, group }, seats, wanted, target)
        if (seat === undefined) break
        seat.order({ profile, key }, nowMs)
      }
    }
  }

  #mayWarm(profile: LaunchProfile, nowMs: number): boolean {
    const { remembered } = this.#parts
    return (
      // A spare would keep rule files in somebody's project for as long as nobody asks for it.
      (profile.folder.class === 'scratch' || profile.rules === undefined) &&
      this.#health.mayWarm(profile, nowMs) &&
      remembered.failure(profile.binary, nowMs) === undefined &&
      remembered.promptVia(profile.binary, profile.cliVersion) === 'stdin'
    )
  }

  /** An empty seat while there are too few spares, else one whose spare is surplus and clearly less likely. */
  #seatFor(
    { key, group }: { readonly key: ProfileKey; readonly group: ProfileKey },
    seats: readonly Seat[],
    wanted: ReadonlyMap<ProfileKey, number>,
    target: number,
  ): Seat | undefined {
    const held = seats.filter(({ spare }) => spare !== undefined)
    if (held.length < target) {
      return seats
        .filter(({ spare }) => spare === undefined)
        .sort((a, b) => a.children.size - b.children.size)[0]
    }
    // Each further spare of a profile is worth less than the one before.
    const gain = this.usefulness(key) / (count(held, group) + 1)
    const victim = held.find(({ spare }) => {
      if (spare === undefined) return false
      const others = groupOf(spare.profile, spare.key)
      const copies = count(held, others)
      if (copies <= (wanted.get(others) ?? 0)) return false
      return gain >= (CLEARLY_LIKELIER * this.usefulness(spare.key)) / copies
    })
    victim?.discard('discarded')
    return victim
  }
}

/** Spares of a group. */
function count(seats: readonly Seat[], group: ProfileKey): number {
  return seats.filter(({ spare }) => {
    return spare !== undefined && groupOf(spare.profile, spare.key) === group
  }).length
}

function starting(seats: readonly Seat[], nowMs: number): number {
  return seats.filter(({ spare }) => {
    return spare !== undefined && !spare.isReady && nowMs - spare.sinceMs < STARTING_MS
  }).length
}
