// The life of this process: its journal, its signals, waiting, and the one way out.
import { appendFileSync } from 'node:fs'
import { flush } from './pipes.ts'

/** What happened, for tests: one JSON object a line, each appended with one write. */
export interface Journal {
  start(argv: readonly string[], env: NodeJS.ProcessEnv): void
  prompt(text: string, bytes: number): void
  grandchild(pid: number): void
  signal(name: string): void
  exit(code: number): void
  /** A fact of ACP mode; the pid is added. */
  fact(event: string, fact: Readonly<Record<string, unknown>>): void
}

/** Without a path every call does nothing. Appends are synchronous, so that several agents can share a file. */
export function openJournal(path: string | undefined): Journal {
  const append = (fact: Readonly<Record<string, unknown>>): void => {
    if (path !== undefined) appendFileSync(path, `${JSON.stringify(fact)}\n`)
  }
  const pid = process.pid
  return {
    start: (argv, env) => {
      if (path === undefined) return
      const cwd = process.cwd()
      const atMs = Date.now()
      append({ event: 'start', pid, ppid: process.ppid, argv, cwd, env: withoutValues(env), atMs })
    },
    prompt: (prompt, bytes) => append({ event: 'prompt', pid, prompt, bytes, atMs: Date.now() }),
    grandchild: (child) => append({ event: 'grandchild', pid: child, of: pid }),
    signal: (signal) => append({ event: 'signal', pid, signal }),
    exit: (code) => append({ event: 'exit', pid, code }),
    fact: (event, fact) => append({ event, pid, ...fact }),
  }
}

/** Values of CURSOR_* only; the others are there with `null`, so that a leak of a name can be tested too. */
function withoutValues(env: NodeJS.ProcessEnv): Record<string, string | null> {
  return Object.fromEntries(
    Object.entries(env).map(([name, value]) => [
      name,
      name.startsWith('CURSOR_') ? (value ?? '') : null,
    ]),
  )
}

// Source: refusals seen in 2026: killed by SIGTERM = exit code 143 (128 + number), seen as a code and not as a
// signal.
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

/** At least `ms`; not at all for zero or less. */
export function pause(ms: number): Promise<void> | undefined {
  if (ms <= 0) return undefined
  return new Promise((resolve) => {
    setTimeout(resolve, ms)
  })
}
