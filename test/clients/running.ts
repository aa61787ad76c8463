// A client program at work: started in a group of its own, heard, signalled, ended.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'
import type { Ask, Env } from './client.ts'

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly ms: number
  /** JSON lines of standard output, in order. */
  readonly messages: readonly JsonObject[]
  readonly stdout: string
  readonly stderr: string
}

export interface Running {
  /** Signals the client and all it started, as a terminal does. */
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

const LONGEST_MS = 120_000

/** Runs a command; it is ended after two minutes. */
export function start(command: readonly string[], ask: Ask, env: Env): Running {
  const [program = '', ...args] = command
  mkdirSync(join(ask.home, 'tmp'), { recursive: true })
  const startedMs = performance.now()
  const child = spawn(program, args, {
    cwd: ask.project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), LONGEST_MS)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    // Not `close`: a helper in the background may hold the pipes.
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      setImmediate(() => {
        const ms = performance.now() - startedMs
        resolve({ code, signal, ms, messages: messagesIn(stdout), stdout, stderr })
      })
    })
  })
  return { signal: (name) => signalGroup(child, name), ended }
}

const messagesIn = (text: string): readonly JsonObject[] =>
  text
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)

/** The group may outlive its leader. */
function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, name)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
