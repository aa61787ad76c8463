// What is likely to be asked for next, from what was asked for lately. Knows no seats; time comes in.
import type { ProfileKey } from '../core/ids.ts'
import type { LaunchProfile } from '../core/job.ts'

const HALF_LIFE_MS = 20_000
const PEAK_WINDOW_S = 60
/** Below this a profile counts as forgotten: about 90 s after a single use. */
const FORGOTTEN = 0.05

interface Use {
  readonly profile: LaunchProfile
  readonly score: number
  readonly atMs: number
}

export class Demand {
  #uses = new Map<ProfileKey, Use>()
  #last: ProfileKey | undefined
  /** Highest number of active runs per second of the last minute. */
  #peaks = new Map<number, number>()

  used(profile: LaunchProfile, key: ProfileKey, nowMs: number): void {
    this.#uses.set(key, { profile, score: this.score(key, nowMs) + 1, atMs: nowMs })
    this.#last = key
    this.#prune(nowMs)
  }

  /** A profile that was not asked for yet but will be: counts less than any real use. */
  expect(profile: LaunchProfile, key: ProfileKey, nowMs: number): void {
    if (this.#uses.has(key)) return
    this.#uses.set(key, { profile, score: 2 * FORGOTTEN, atMs: nowMs })
    this.#last ??= key
  }

  active(count: number, nowMs: number): void {
    const second = Math.floor(nowMs / 1000)
    this.#peaks.set(second, Math.max(count, this.#peaks.get(second) ?? 0))
    for (const old of this.#peaks.keys()) {
      if (old >= second - PEAK_WINDOW_S) break
      this.#peaks.delete(old)
    }
  }

  /** Most runs active at once in the last minute. */
  peak(nowMs: number): number {
    const oldest = Math.floor(nowMs / 1000) - PEAK_WINDOW_S
    let peak = 0
    for (const [second, count] of this.#peaks) if (second >= oldest) peak = Math.max(peak, count)
    return peak
  }

  /** Uses, each halved every 20 s. */
  score(key: ProfileKey, nowMs: number): number {
    const use = this.#uses.get(key)
    return use === undefined ? 0 : use.score * 2 ** ((use.atMs - nowMs) / HALF_LIFE_MS)
  }

  profile(key: ProfileKey): LaunchProfile | undefined {
    return this.#uses.get(key)?.profile
  }

  /** How many of `count` spares each profile should have (highest averages), likeliest first. */
  shares(
    count: number,
    nowMs: number,
    eligible: (profile: LaunchProfile) => boolean,
  ): ReadonlyMap<ProfileKey, number> {
    const scores = [...this.#uses]
      .filter(([, use]) => eligible(use.profile))
      .map(([key]) => ({ key, score: this.score(key, nowMs), share: 0 }))
      .sort((a, b) => b.score - a.score)
    for (let given = 0; given < count && scores.length > 0; given += 1) {
      const next = scores.reduce((a, b) =>
        b.score / (b.share + 1) > a.score / (a.share + 1) ? b : a,
      )
      next.share += 1
    }
    return new Map(scores.filter(({ share }) => share > 0).map(({ key, share }) => [key, share]))
  }

  /** Forgets profiles of other versions of this binary. */
  onlyVersion(binary: string, version: string): void {
    this.#forget((use) => use.profile.binary === binary && use.profile.cliVersion !== version)
  }

  #prune(nowMs: number): void {
    this.#forget((_use, key) => key !== this.#last && this.score(key, nowMs) < FORGOTTEN)
  }

  #forget(isOld: (use: Use, key: ProfileKey) => boolean): void {
    for (const [key, use] of this.#uses) if (isOld(use, key)) this.#uses.delete(key)
  }
}
