// Signs of life on a streamed reply.
import { monotonicMs } from '../lib/clock.ts'

export interface KeepAlive {
  /** Bytes went out: the silence starts anew. Costs one clock read, no timer. */
  touch(): void
  stop(): void
}

/** Calls `beat` whenever `everyMs` passed since `sinceMs` or the last `touch()`. */
export function keepAlive(everyMs: number, sinceMs: number, beat: () => void): KeepAlive {
  let lastMs = sinceMs
  const tick = (): void => {
    const silentMs = monotonicMs() - lastMs
    // Timers count whole milliseconds and may be early by a fraction.
    if (silentMs + 1 >= everyMs) {
      beat()
      lastMs = monotonicMs()
    }
    timer = setTimeout(tick, Math.max(1, lastMs + everyMs - monotonicMs()))
  }
  let timer = setTimeout(tick, Math.max(1, lastMs + everyMs - monotonicMs()))
  return {
    touch: () => {
      lastMs = monotonicMs()
    },
    stop: () => clearTimeout(timer),
  }
}
