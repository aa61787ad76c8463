// Starting the small programs of test/fixtures/programs, and looking at what is left of them.
import { mkdtempSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { processLives } from '../../src/lib/process-identity.ts'
import { type Child, type ChildSpec, startChild } from '../../src/process/child.ts'
import { markerOf } from '../../src/process/marker.ts'
import type { EndOptions } from '../../src/process/terminate.ts'

const PROGRAMS = join(import.meta.dirname, '../fixtures/programs')

export const program = (name: string): string => join(PROGRAMS, `${name}.mjs`)

export const temporaryFolder = (): string => mkdtempSync(join(tmpdir(), 'process-test-'))

/** An instance as the service mints them, different for each test file run. */
export const instance = `t${process.pid.toString(36)}`.padEnd(12, 'x')

export const AT_ONCE: EndOptions = { exitGraceMs: 0, killGraceMs: 300, hasPs: true }

export function start(name: string, args: string[] = [], more: Partial<ChildSpec> = {}) {
  return startChild({
    command: program(name),
    args,
    cwd: tmpdir(),
    env: { PATH: process.env.PATH ?? '', CURSOR_ADAPTER_CHILD: instance },
    maxLineBytes: 1 << 20,
    ...more,
  })
}

/** Pulls lines from the child one by one; the iterator stays open. */
export function reader(child: Child): {
  line(): Promise<string | undefined>
  rest(): Promise<string[]>
} {
  const batches = child.lines()[Symbol.asyncIterator]()
  const waiting: string[] = []
  const line = async (): Promise<string | undefined> => {
    while (waiting.length === 0) {
      const step = await batches.next()
      if (step.done === true) return undefined
      waiting.push(...step.value.lines)
    }
    return waiting.shift()
  }
  const rest = async (): Promise<string[]> => {
    const lines: string[] = []
    for (let next = await line(); next !== undefined; next = await line()) lines.push(next)
    return lines
  }
  return { line, rest }
}

/** A zombie is gone: who must reap it is not us. */
export const lives = (pid: number): boolean => processLives(pid, undefined)

/** The number after the word in `grandchild 123`. */
export function pidIn(line: string | undefined): number {
  const pid = Number(line?.split(' ')[1])
  if (!Number.isInteger(pid)) throw new Error(`no pid in ${JSON.stringify(line)}`)
  return pid
}

/** Living processes that carry the marker of these tests. */
export function leftOvers(of = instance): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => lives(pid) && (markerOf(pid)?.startsWith(of) ?? false))
}

/** Open descriptors of this process. */
export const descriptors = (): number => readdirSync('/proc/self/fd').length
