// Whether warming may go on: spares that spoil switch it off for their binary, failed launches in a row of seconds pause it.
// Restart intensity and period as in OTP; time comes in.
import type { LaunchProfile } from '../core/job.ts'

const SPOILED_IN_A_ROW = 2
/** A run that ends well this long after the switch-off gives the binary another chance (someone has logged in since). */
const SECOND_CHANCE_MS = 60_000

type BinaryHealth =
  | { readonly at: 'on'; readonly version: string; readonly spoiled: number }
  | {
      readonly at: 'off'
      readonly version: string
      readonly reason: string
      readonly sinceMs: number
    }

export class WarmHealth {
  #limit: { readonly count: number; readonly withinMs: number }
  #binaries = new Map<string, BinaryHealth>()
  #failedAtMs: number[] = []

  constructor(limit: { readonly count: number; readonly withinMs: number }) {
    this.#limit = limit
  }

  /** A spare died or spoke before it got a prompt. True when this switches warming off for its binary. */
  spoiled(profile: LaunchProfile, reason: string, nowMs: number): boolean {
    this.launchFailed(nowMs)
    const known = this.#of(profile)
    if (known.at === 'off') return false
    const spoiled = known.spoiled + 1
    const version = profile.cliVersion
    if (spoiled < SPOILED_IN_A_ROW) {
      this.#binaries.set(profile.binary, { at: 'on', version, spoiled })
      return false
    }
    this.#binaries.set(profile.binary, { at: 'off', version, reason, sinceMs: nowMs })
    return true
  }

  /** A spare took its prompt: the row of spoiled ones is broken. */
  proven(profile: LaunchProfile): void {
    if (this.#of(profile).at === 'on') this.#binaries.delete(profile.binary)
  }

  /** A run of this binary ended well. */
  succeeded(profile: LaunchProfile, nowMs: number): void {
    const known = this.#of(profile)
    if (known.at === 'off' && nowMs - known.sinceMs >= SECOND_CHANCE_MS) {
      this.#binaries.delete(profile.binary)
    }
  }

  launchFailed(nowMs: number): void {
    this.#failedAtMs.push(nowMs)
    if (this.#failedAtMs.length > this.#limit.count + 1) this.#failedAtMs.shift()
  }

  mayWarm(profile: LaunchProfile, nowMs: number): boolean {
    if (profile.promptVia === 'argv' || this.#of(profile).at === 'off') return false
    const oldest = this.#failedAtMs[0]
    const tooMany = this.#failedAtMs.length > this.#limit.count
    return !(tooMany && oldest !== undefined && nowMs - oldest < this.#limit.withinMs)
  }

  /** Reason by binary path. */
  off(): Readonly<Record<string, string>> {
    const reasons: Record<string, string> = {}
    for (const [binary, health] of this.#binaries) {
      if (health.at === 'off') reasons[binary] = health.reason
    }
    return reasons
  }

  #of(profile: LaunchProfile): BinaryHealth {
    const known = this.#binaries.get(profile.binary)
    if (known?.version === profile.cliVersion) return known
    return { at: 'on', version: profile.cliVersion, spoiled: 0 }
  }
}
