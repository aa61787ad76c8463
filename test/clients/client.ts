// A real client program: one prompt, run without a terminal, its messages read as JSON lines.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'

export interface Ask {
  readonly prompt: string
  /** Root URL of the endpoint. */
  readonly url: string
  /** The folder the client works in, and hands to us as the workspace. */
  readonly project: string
  /** Home and temporary folder of this client; the same for a later turn of the same conversation. */
  readonly home: string
  /** Go on with the conversation before. */
  readonly goOn?: boolean
}

export interface Client {
  readonly name: string
  readonly package: string
  readonly version: string
  command(folder: string, ask: Ask): readonly string[]
}

export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly ms: number
  /** What the client said about its conversation, in order. */
  readonly messages: readonly JsonObject[]
  readonly stderr: string
}

export interface Running {
  readonly messages: readonly JsonObject[]
  /** Signals the client and all it started, as a terminal does. */
  signal(name: NodeJS.Signals): void
  readonly ended: Promise<Ended>
}

const LONGEST_MS = 120_000

/** Starts the client; it is ended after two minutes. */
export function start(client: Client, folder: string, ask: Ask): Running {
  const [program = '', ...args] = client.command(folder, ask)
  mkdirSync(join(ask.home, 'tmp'), { recursive: true })
  const startedMs = performance.now()
  const child = spawn(program, args, {
    cwd: ask.project,
    env: environment(ask),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const messages: JsonObject[] = []
  let rest = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop() ?? ''
    messages.push(...lines.map((line) => parseJson(line)).filter(isObject))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const timer = setTimeout(() => {
    signalGroup(child, 'SIGKILL')
  }, LONGEST_MS)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve({ code, signal, ms: performance.now() - startedMs, messages, stderr })
    })
  })
  return { messages, signal: (name) => signalGroup(child, name), ended }
}

export const runToEnd = (client: Client, folder: string, ask: Ask): Promise<Ended> =>
  start(client, folder, ask).ended

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  process.kill(-child.pid, name)
}

/** Source: the clients' own settings pages; nothing of the caller's environment but PATH goes in. */
function environment(ask: Ask): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH ?? '',
    HOME: ask.home,
    TMPDIR: join(ask.home, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ANTHROPIC_BASE_URL: ask.url,
    ANTHROPIC_AUTH_TOKEN: 'test-key',
    ANTHROPIC_MODEL: 'auto',
    ANTHROPIC_DEFAULT_HAIKU_MODEL: 'auto',
    ANTHROPIC_CUSTOM_HEADERS: `X-Cursor-Workspace: ${ask.project}`,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // As root it refuses to run without questions unless it is told that it is in a container.
    IS_SANDBOX: '1',
  }
}
