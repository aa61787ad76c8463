// Waiting for the operating system where it sends no event: a look soon, then less often.
import { monotonicMs } from '../lib/clock.ts'

const STEPS_MS = [1, 2, 3, 5, 5, 10]
const SLOW_STEP_MS = 20

/**
 * Looks at once, then after 1, 2, 3, 5 … ms, until `done` says true or `limitMs` have passed (one last look then).
 * `wake`, when it settles, brings the next look forward once. Resolves with the last answer of `done`.
 */
export async function pollUntil(
  done: () => boolean | Promise<boolean>,
  limitMs: number,
  wake?: Promise<unknown>,
): Promise<boolean> {
  const end = monotonicMs() + limitMs
  let nudge = wake
  for (let look = 0; ; look += 1) {
    if (await done()) return true
    const leftMs = end - monotonicMs()
    if (leftMs <= 0) return false
    const step = Math.min(STEPS_MS[look] ?? SLOW_STEP_MS, leftMs)
    if (await pause(step, nudge)) nudge = undefined
  }
}

/** True when `wake` ended the pause before its time. Never rejects. */
export function pause(ms: number, wake: Promise<unknown> | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(false), ms)
    const woken = (): void => {
      clearTimeout(timer)
      resolve(true)
    }
    wake?.then(woken, woken)
  })
}
