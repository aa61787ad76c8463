// The real service as a process of its own, on a free port, in folders of its own, with the demo agent behind it.
import { type ChildProcess, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'
import { within } from './pace.ts'
import { isAlive, until } from './until.ts'

/** The checkout, also for the compiled copy of this file below dist/. */
export const ROOT = resolve(import.meta.dirname, '../..').replace(/[\\/]dist$/, '')
export const CLI = join(ROOT, 'dist/src/cli.js')
export const DEMO_AGENT = join(ROOT, 'dist/src/demo-agent/main.js')

/** What services run on unless a test says otherwise: the suites of test/suites.ts that say so are run with both. */
export const BACKEND = process.env.ADAPTER_TEST_BACKEND === 'acp' ? 'acp' : 'print'

export const OVER_ACP = BACKEND === 'acp'

export interface ServiceOptions {
  /** Settings by key (`pool.warm`); given as environment variables. */
  readonly settings?: Readonly<Record<string, string | number | boolean>>
  /** A script of the demo agent: an object (written as JSON) or the path of a recorded stream. */
  readonly script?: object | string
  /** Further environment, e.g. CURSOR_ADAPTER_DEMO_BOOT_MS. */
  readonly env?: Readonly<Record<string, string>>
  /** Another agent than the demo one. */
  readonly agent?: string
  /** Another program than the command line: a compiled file of this folder that says where it listens. */
  readonly program?: string
  readonly args?: readonly string[]
  /** Reuse the folders of an earlier service (restart). */
  readonly folder?: string
}

export interface PostInit {
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface Service {
  readonly url: string
  readonly pid: number
  /** Everything this service may write below: home, temporary folder, journal. */
  readonly folder: string
  readonly scratchRoot: string
  readonly process: ChildProcess
  /** The demo agent's journal so far. */
  journal(): JsonObject[]
  /** Prompts the agents received so far, in order. */
  prompts(): string[]
  stdout(): string
  stderr(): string
  /** Swap the script for agents that start from now on. */
  setScript(script: object): void
  metrics(): Promise<string>
  /** Value of one series, e.g. `cursor_adapter_runs_active`; undefined when there is none. */
  metric(series: string): Promise<number | undefined>
  post(path: string, body: unknown, init?: PostInit): Promise<Response>
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** SIGTERM, then asserts that exit code is 0 and that no agent and no scratch folder is left. */
  stop(): Promise<void>
  /** For drills that end the service in their own way: removes the folders. */
  discard(): void
}

/** A test that failed never got to `stop()`; the runner ends its workers with SIGTERM. */
const running = new Set<ChildProcess>()
for (const end of ['exit', 'SIGTERM', 'disconnect'] as const) {
  process.once(end, () => {
    for (const child of running) child.kill('SIGTERM')
    // Listening took the signal's own effect away.
    if (end === 'SIGTERM') process.kill(process.pid, end)
  })
}

export async function startService(options: ServiceOptions = {}): Promise<Service> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'adapter-test-'))
  const home = join(folder, 'home')
  const temporary = join(folder, 'tmp')
  const journalFile = join(folder, 'journal.jsonl')
  const scriptFile = join(folder, 'script.json')
  mkdirSync(home, { recursive: true })
  mkdirSync(temporary, { recursive: true })
  const setScript = (script: object): void => {
    writeFileSync(scriptFile, JSON.stringify(script))
  }
  if (typeof options.script === 'object') setScript(options.script)
  const script = typeof options.script === 'string' ? options.script : scriptFile
  const settings = {
    cursor_cli_path: options.agent ?? DEMO_AGENT,
    // A test says which backend it is about; `auto` would depend on when its self-test ends.
    backend: BACKEND,
    ...options.settings,
  }
  const program = options.program === undefined ? [CLI, 'serve', '--port', '0'] : [options.program]
  const child = spawn(process.execPath, [...program, ...(options.args ?? [])], {
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      TMPDIR: temporary,
      CURSOR_ADAPTER_HOME: join(folder, 'adapter'),
      CURSOR_ADAPTER_DEMO_JOURNAL: journalFile,
      CURSOR_ADAPTER_DEMO_PACE_MS: '0',
      ...(options.script === undefined ? {} : { CURSOR_ADAPTER_DEMO_SCRIPT: script }),
      ...environmentOf(settings),
      ...options.env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done) => {
    child.on('exit', (code, signal) => {
      done({ code, signal })
    })
  })
  let url = ''
  await until('the service to listen', within(15_000), () => {
    if (child.exitCode !== null || child.signalCode !== null) {
      throw new Error(
        `the service ended at once (${child.exitCode}): ${output.stdout}${output.stderr}`,
      )
    }
    url = /listening on (http:\/\/\S+)/.exec(output.stdout)?.[1] ?? ''
    return url !== ''
  })
  const journal = (): JsonObject[] => (existsSync(journalFile) ? readLines(journalFile) : [])
  const metrics = async (): Promise<string> => (await fetch(`${url}/metrics`)).text()
  const scratchRoot = join(temporary, scratchName())
  return {
    url,
    pid: child.pid ?? 0,
    folder,
    scratchRoot,
    process: child,
    journal,
    prompts: () =>
      journal().flatMap((fact) =>
        fact.event === 'prompt' && typeof fact.prompt === 'string' ? [fact.prompt] : [],
      ),
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    setScript,
    metrics,
    async metric(series) {
      return seriesValue(await metrics(), series)
    },
    post: (path, body, init = {}) =>
      fetch(url + path, {
        method: 'POST',
        body: JSON.stringify(body),
        signal: init.signal ?? null,
        headers: { 'content-type': 'application/json', ...init.headers },
      }),
    exited,
    async stop() {
      child.kill('SIGTERM')
      const { code, signal } = await exited
      if (code !== 0) throw new Error(`the service ended with ${code ?? signal}: ${output.stderr}`)
      await nothingLeft(journal(), scratchRoot)
      rmSync(folder, { recursive: true, force: true })
    },
    discard() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** Asserts that every agent and helper the journal knows is gone, and that the scratch root is empty. */
export async function nothingLeft(
  journal: readonly JsonObject[],
  scratchRoot: string,
): Promise<void> {
  const pids = journal.flatMap((fact) =>
    (fact.event === 'start' || fact.event === 'grandchild') && typeof fact.pid === 'number'
      ? [fact.pid]
      : [],
  )
  await until('every agent to be gone', within(5000), () => !pids.some(isAlive))
  await until(
    'the scratch root to be empty',
    within(2000),
    () => scratchFolders(scratchRoot).length === 0,
  )
}

export function scratchFolders(scratchRoot: string): string[] {
  return existsSync(scratchRoot) ? readdirSync(scratchRoot) : []
}

/** Value of a series in the text format; the series is given with its labels as printed. */
export function seriesValue(text: string, series: string): number | undefined {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
  return line === undefined ? undefined : Number(line.slice(series.length + 1))
}

function scratchName(): string {
  return `cursor-adapter-${process.getuid?.() ?? 'user'}`
}

function environmentOf(
  settings: Readonly<Record<string, string | number | boolean>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      `CURSOR_ADAPTER_${key.toUpperCase().replaceAll('.', '_')}`,
      String(value),
    ]),
  )
}

function readLines(file: string): JsonObject[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => parseJson(line))
    .filter(isObject)
}
