// Waiting for a condition with a label and a deadline, instead of sleeping.
import { setTimeout as delay } from 'node:timers/promises'
import { processLives } from '../../src/lib/process-identity.ts'

/** Polls every few milliseconds; fails with the label when the predicate is still false after `timeoutMs`. */
export async function until(
  label: string,
  timeoutMs: number,
  predicate: () => boolean | Promise<boolean>,
): Promise<void> {
  const end = Date.now() + timeoutMs
  while (!(await predicate())) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms for ${label}`)
    await delay(5)
  }
}

/** True while a process with this pid exists and is not a zombie that somebody else must reap. */
export function isAlive(pid: number): boolean {
  return processLives(pid, undefined)
}
