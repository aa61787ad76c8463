// Runs the compiled demo agent as a process, with an environment of its own.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'

export const AGENT = fileURLToPath(new URL('../../dist/src/demo-agent/main.js', import.meta.url))
export const STREAM = ['-p', '--trust', '--output-format', 'stream-json', '--stream-partial-output']

export interface AgentCall {
  readonly args?: readonly string[]
  /** Names without CURSOR_ADAPTER_DEMO_ for those variables; others as they are. */
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
  /** Text for stdin, which is then ended; undefined leaves the pipe open. */
  readonly stdin?: string | undefined
  /** Content of a script file. */
  readonly script?: unknown
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: Buffer
  readonly stderr: string
}

export interface Finished extends Ended {
  readonly journal: readonly JsonObject[]
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  readonly ended: Promise<Ended>
  readonly stdout: () => string
  readonly journal: () => readonly JsonObject[]
}

/** A folder that is gone after the test. Not for concurrent tests (onTestFinished knows only one at a time). */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'demo-agent-test-'))
  onTestFinished(() => removeFolder(folder))
  return folder
}

function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}

const DEMO = /^(?:SCRIPT|JOURNAL|.*_MS|LOGIN|VERSION|MODELS|STDIN|QUIRKS)$/u

/** Started, and killed after the test if it still lives. Not for concurrent tests. */
export function startAgent(call: AgentCall): Running {
  const running = launch(call)
  onTestFinished(() => running.dispose())
  return running
}

/** Runs to the end with `stdin` (default: a short prompt). */
export async function runAgent(call: AgentCall = {}): Promise<Finished> {
  const running = launch({ stdin: 'hello', ...call })
  try {
    const ended = await running.ended
    return { ...ended, journal: running.journal() }
  } finally {
    running.dispose()
  }
}

/** The environment has nothing but PATH, a private HOME and `env`. */
function launch(call: AgentCall): Running & { readonly dispose: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'demo-agent-test-'))
  const journal = join(folder, 'journal.ndjson')
  const script = join(folder, 'script.json')
  if (call.script !== undefined) writeFileSync(script, JSON.stringify(call.script))
  const given = Object.entries(call.env ?? {}).map(([name, value]) => [
    DEMO.test(name) ? `CURSOR_ADAPTER_DEMO_${name}` : name,
    value,
  ])
  const child = spawn(process.execPath, [AGENT, ...(call.args ?? STREAM)], {
    cwd: call.cwd ?? folder,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: folder,
      CURSOR_ADAPTER_DEMO_JOURNAL: journal,
      CURSOR_ADAPTER_DEMO_PACE_MS: '0',
      ...(call.script === undefined ? {} : { CURSOR_ADAPTER_DEMO_SCRIPT: script }),
      ...Object.fromEntries(given),
    },
  })
  const out: Buffer[] = []
  const err: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk))
  child.stdin.on('error', () => {
    // EPIPE of an agent that refused before reading: the exit says the rest.
  })
  if ('stdin' in call && call.stdin !== undefined) child.stdin.end(call.stdin)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString() })
    })
  })
  return {
    child,
    ended,
    stdout: () => Buffer.concat(out).toString(),
    journal: () => (existsSync(journal) ? linesOf(readFileSync(journal, 'utf8')) : []),
    dispose: () => {
      child.kill('SIGKILL')
      removeFolder(folder)
    },
  }
}

/** The JSON objects of a stream; lines that are none are left out. */
export function linesOf(text: string | Buffer): readonly JsonObject[] {
  return text
    .toString()
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}

/** The text of an assistant or user line. */
export function textOf(line: JsonObject): string {
  const message = isObject(line.message) ? line.message : {}
  const content: readonly unknown[] = Array.isArray(message.content) ? message.content : []
  return content.map((part) => (isObject(part) ? String(part.text) : '')).join('')
}
