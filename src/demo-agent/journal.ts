// What happened to this process, for tests: one JSON object a line, each appended with one write.
import { appendFileSync } from 'node:fs'

export interface Journal {
  start(argv: readonly string[], env: NodeJS.ProcessEnv): void
  prompt(text: string, bytes: number): void
  grandchild(pid: number): void
  signal(name: string): void
  exit(code: number): void
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
