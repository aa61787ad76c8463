// What ends a running service: signals (the first one is polite, any later one is not) and a fault of its own.
import { monotonicMs } from '../lib/clock.ts'

export interface StopSignals {
  /** Resolves with the first signal. */
  readonly first: Promise<NodeJS.Signals>
  /** Resolves with the second one. */
  readonly second: Promise<NodeJS.Signals>
  /** Rejects with an error that nobody caught: the service must end, but not without its children. */
  readonly crash: Promise<never>
  /** Gives signals and errors back to the system. */
  release(): void
}

const ECHO_MS = 200
const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export function stopSignals(): StopSignals {
  const waiting: ((signal: NodeJS.Signals) => void)[] = []
  const promise = () => new Promise<NodeJS.Signals>((resolve) => void waiting.push(resolve))
  const [first, second] = [promise(), promise()]
  let interruptedMs = Number.NEGATIVE_INFINITY
  const heard = (signal: NodeJS.Signals): void => {
    // One Ctrl-C can arrive twice: from the terminal and, passed on, from a parent such as npm.
    const echo = signal === 'SIGINT' && monotonicMs() - interruptedMs < ECHO_MS
    if (signal === 'SIGINT') interruptedMs = monotonicMs()
    if (!echo) waiting.shift()?.(signal)
  }
  let crashed: (error: unknown) => void = () => undefined
  const crash = new Promise<never>((_resolve, reject) => {
    crashed = reject
  })
  for (const signal of STOPS) process.on(signal, heard)
  process.on('uncaughtException', crashed)
  return {
    first,
    second,
    crash,
    release: () => {
      process.off('uncaughtException', crashed)
      for (const signal of STOPS) process.off(signal, heard)
    },
  }
}
