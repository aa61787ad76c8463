// Signals, and the one way out of the process.
import type { Journal } from './journal.ts'
import { flush } from './output.ts'

// Source: facts 3.1, killed by SIGTERM = exit code 143 (128 + number), seen as a code and not as a signal.
const CODES = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 } as const

export interface Life {
  /** Signals named here no longer end the process; they still go into the journal. */
  ignore(names: readonly string[]): void
  /** Dies by the signal itself (the parent sees a signal, no code). */
  dieBy(name: string): Promise<never>
  /** Waits until all output was taken, then exits. */
  leave(code: number): Promise<never>
}

export function watchLife(journal: Journal): Life {
  const ignored = new Set<string>()
  const listen = (name: string, code: number | undefined): void => {
    process.on(name, () => {
      journal.signal(name)
      if (code !== undefined && !ignored.has(name)) process.exit(code)
    })
  }
  for (const [name, code] of Object.entries(CODES)) listen(name, code)
  process.on('exit', (code) => journal.exit(code))
  return {
    ignore: (names) => {
      for (const name of names) {
        if (!(name in CODES) && !ignored.has(name)) listen(name, undefined)
        ignored.add(name)
      }
    },
    dieBy: async (name) => {
      await flush()
      process.removeAllListeners(name)
      process.kill(process.pid, name)
      return forever()
    },
    leave: async (code) => {
      await flush()
      process.exit(code)
    },
  }
}

/** Never resolves, and keeps the process alive meanwhile. */
export function forever(): Promise<never> {
  return new Promise(() => {
    setInterval(() => {}, 2 ** 30)
  })
}
