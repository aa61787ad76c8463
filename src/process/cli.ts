// Finds Cursor's command line program and asks it things that need no prompt. Whatever it starts is ended as a whole.
import { accessSync, constants, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { type Child, startChild } from './child.ts'

export type FoundCli =
  | { readonly path: string }
  /** For people: what was looked for, and what is wrong with it. */
  | { readonly missing: string }

/** Source: Cursor installs its program under both names; other products use `agent` too, so it comes second. */
const NAMES = ['cursor-agent', 'agent']
const SCRIPT = /\.[cm]?js$/

/**
 * Absolute path of the program. `auto` looks on the PATH, then in `~/.local/bin` (where Cursor installs it, and which
 * service managers leave out of the PATH); a name without a slash is looked up on the PATH; a path is taken as it is.
 * Links are kept: the program updates itself by moving them.
 */
export function findCli(configured: string, env: NodeJS.ProcessEnv): FoundCli {
  if (configured !== 'auto' && /[/\\]/.test(configured)) {
    const path = resolve(configured)
    const fault = faultOf(path)
    return fault === undefined ? { path } : { missing: `cursor_cli_path ${configured} ${fault}` }
  }
  const names = configured === 'auto' ? NAMES : [configured]
  const folders = (env.PATH ?? env.Path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
  if (configured === 'auto' && env.HOME !== undefined) folders.push(join(env.HOME, '.local', 'bin'))
  for (const name of names) {
    for (const folder of folders) {
      for (const suffix of SUFFIXES) {
        const path = join(folder, name + suffix)
        if (faultOf(path) === undefined) return { path }
      }
    }
  }
  return { missing: `no ${names.join(' or ')} on the PATH` }
}

const SUFFIXES = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']

/** Why a path cannot be run, or undefined when it can. */
function faultOf(path: string): string | undefined {
  try {
    if (!statSync(path).isFile()) return 'is not a file'
    accessSync(path, SCRIPT.test(path) ? constants.R_OK : constants.X_OK)
    return undefined
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return 'does not exist'
    if (isErrno(error, 'EACCES', 'EPERM')) return 'is not executable'
    if (isErrno(error, 'ELOOP', 'ENAMETOOLONG')) return 'is not a usable path'
    throw error
  }
}

export interface CliOptions {
  /** From the start of the process; then its whole group is killed. */
  readonly timeoutMs: number
  /** The complete environment, see environment.ts. */
  readonly env: Readonly<Record<string, string>>
  /** Default: the system's temporary folder, where no project configuration is found. */
  readonly cwd?: string
}

export interface CliText {
  readonly stdout: string
  /** Its last 64 KiB. */
  readonly stderr: string
}

export type CliOutput =
  | ({ readonly ok: true } & CliText)
  /** `reason`: `cannot be started (EACCES)`, `gave no answer within 10 s`, `ended with exit code 1`, … */
  | ({ readonly ok: false; readonly reason: string } & CliText)

const MAX_LINE_BYTES = 1 << 20
const MAX_OUTPUT = 8 << 20

/** Runs the program with empty stdin until it exits. Never rejects for what the program does; nothing of it is left. */
export async function cliOutput(
  path: string,
  args: readonly string[],
  { timeoutMs, env, cwd = tmpdir() }: CliOptions,
): Promise<CliOutput> {
  let child: Child
  try {
    child = await startChild({ command: path, args, cwd, env, maxLineBytes: MAX_LINE_BYTES })
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
    if (code === undefined) throw error
    return { ok: false, reason: `cannot be started (${code})`, stdout: '', stderr: '' }
  }
  child.endStdin()
  const end = (cause: string) =>
    child.end(cause, { exitGraceMs: 0, killGraceMs: 250, hasPs: false })
  let late = false
  const timer = setTimeout(() => {
    late = true
    void end('timeout')
  }, timeoutMs)
  try {
    const stdout = await collect(child)
    const exit = await child.exited
    await child.stderrRead
    const text = { stdout, stderr: child.stderrTail() }
    if (late) return { ok: false, reason: `gave no answer within ${timeoutMs / 1000} s`, ...text }
    if (exit.code === 0) return { ok: true, ...text }
    const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`
    return { ok: false, reason: `ended with ${how}`, ...text }
  } finally {
    clearTimeout(timer)
    await end('done')
  }
}

async function collect(child: Child): Promise<string> {
  const lines: string[] = []
  let size = 0
  for await (const batch of child.lines()) {
    for (const line of batch.lines) {
      size += line.length + 1
      if (size <= MAX_OUTPUT) lines.push(line)
    }
  }
  return lines.join('\n')
}

export type CliVersion =
  /** `usual` is false when the text does not look like Cursor's versions; that only deserves a warning. */
  | { readonly ok: true; readonly version: string; readonly usual: boolean }
  | { readonly ok: false; readonly reason: string }

/** Source: versions are `YYYY.MM.DD-<hash>` (all recorded CLI versions). */
const VERSION = /^\d{4}\.\d{2}\.\d{2}-[0-9A-Za-z.-]+$/

/** What `--version` says. A hang, an error exit or a failed start counts as a missing program, with that reason. */
export async function cliVersion(path: string, options: CliOptions): Promise<CliVersion> {
  const output = await cliOutput(path, ['--version'], options)
  if (!output.ok) {
    const said = output.stderr.trim().split('\n').at(-1)?.slice(0, 200) ?? ''
    return { ok: false, reason: `--version ${output.reason}${said === '' ? '' : `: ${said}`}` }
  }
  const lines = output.stdout.split('\n').map((line) => line.trim())
  const usual = lines.find((line) => VERSION.test(line))
  if (usual !== undefined) return { ok: true, version: usual, usual: true }
  const version = lines.find((line) => line !== '')?.slice(0, 80) ?? ''
  return { ok: true, version, usual: false }
}
