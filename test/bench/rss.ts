// Resident memory of a process, in megabytes (10^6 bytes). Linux only; elsewhere NaN.
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { isErrno } from '../../src/lib/errno.ts'
import { median } from './stats.ts'

export function rssOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    return (Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024) / 1e6
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ESRCH')) return Number.NaN
    throw error
  }
}

/** Median of a second. */
export async function steadyRss(pid: number): Promise<number> {
  const samples: number[] = []
  for (let sample = 0; sample < 10; sample += 1) {
    samples.push(rssOf(pid))
    await delay(100)
  }
  return median(samples)
}

/** Watches from now on; `stop` tells the highest. */
export function watchRss(pid: number): { stop(): number } {
  let peak = rssOf(pid)
  const timer = setInterval(() => {
    peak = Math.max(peak, rssOf(pid))
  }, 50)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(peak, rssOf(pid))
    },
  }
}
