// Signals that ask the service to stop. The first one is polite, any later one is not.

export interface StopSignals {
  /** Resolves with the first signal. */
  readonly first: Promise<NodeJS.Signals>
  /** Resolves with the second one. */
  readonly second: Promise<NodeJS.Signals>
  /** Gives the signals back to the system. */
  release(): void
}

const STOPS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const

export function stopSignals(): StopSignals {
  const waiting: ((signal: NodeJS.Signals) => void)[] = []
  const promise = () => new Promise<NodeJS.Signals>((resolve) => void waiting.push(resolve))
  const [first, second] = [promise(), promise()]
  const heard = (signal: NodeJS.Signals): void => waiting.shift()?.(signal)
  for (const signal of STOPS) process.on(signal, heard)
  return {
    first,
    second,
    release: () => {
      for (const signal of STOPS) process.off(signal, heard)
    },
  }
}
