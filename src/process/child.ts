// A child process leading its own group: lines out, text in, a bounded tail of stderr, exit facts, and its end.
// Knows nothing of agents. Installs no handlers on `process`: it runs inside worker threads.
import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Stream } from 'node:stream'
import { isErrno } from '../lib/errno.ts'
import { hasProc, readStat } from '../lib/process-identity.ts'
import { startTimeOf } from './descendants.ts'
import { giveWay } from './give-way.ts'
import type { Ledger, LedgerEntry } from './ledger.ts'
import { MARKER_NAME } from './marker.ts'
import { type LineBatch, Output } from './output.ts'
import { pause } from './poll.ts'
import { tailOf } from './stderr-tail.ts'
import { type EndOptions, endTree } from './terminate.ts'

export type { LineBatch } from './output.ts'
export type { EndOptions } from './terminate.ts'

export interface ChildSpec {
  /** Absolute; a .js, .mjs or .cjs file is run with this Node. */
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The complete environment: nothing is added. Its marker's value is made specific to this child. */
  readonly env: Readonly<Record<string, string>>
  readonly maxLineBytes: number
  /** How far it and what it starts step back where the processor is short (see give-way.ts); left out: not at all. */
  readonly nice?: number | undefined
  /** Records the group before anything else happens, forgets it when gone. */
  readonly ledger?: Ledger
  /** Folders of ours that live and die with this child; recorded for the sweep after a crash. */
  readonly folders?: readonly string[]
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Why a child was ended, in the caller's words. */
export type ExitCauseText = string

export interface Child {
  readonly pid: number
  /**
   * Single consumer. A batch per chunk read that completed a line; reading pauses while nobody pulls. Ends when stdout
   * ends, or 250 ms after the leader exited (time spent waiting for output, so a slow consumer loses nothing) even
   * though a grandchild holds stdout open. Leaving the loop early throws the rest away.
   */
  lines(): AsyncIterable<LineBatch>
  /** Resolves once a byte arrived on stdout although nobody called lines() yet (a spare that spoke). */
  readonly spoke: Promise<void>
  /** Writes text to stdin and ends it; a child that died early or closed its stdin is expected and not reported. */
  sendAndEnd(text: string): void
  endStdin(): void
  write(text: string): void
  /** The leader's exit (not its pipes). Never rejects. */
  readonly exited: Promise<ChildExit>
  /** Resolves after the exit when stderr has been read to its end, at most 250 ms later. Never rejects. */
  readonly stderrRead: Promise<void>
  /** The last 64 KiB as text; complete once `stderrRead` or `end()` resolved. */
  stderrTail(): string
  /**
   * Ends the whole tree; resolves when it is really gone (see terminate.ts). The first cause is kept. A later call
   * returns the same end; with exitGraceMs 0 it cuts a running exit grace short.
   */
  end(cause: ExitCauseText, options: EndOptions): Promise<void>
  readonly endCause: ExitCauseText | undefined
}

const SCRIPT = /\.[cm]?js$/
const PIPE_DRAIN_MS = 250

/** Resolves once the OS has the process; rejects with the spawn error (ENOENT, EACCES, E2BIG…) otherwise. */
export async function startChild(spec: ChildSpec): Promise<Child> {
  const [command, args] = SCRIPT.test(spec.command)
    ? [process.execPath, [spec.command, ...spec.args]]
    : [spec.command, [...spec.args]]
  const base = spec.env[MARKER_NAME]
  const marker = base === undefined ? undefined : `${base}.${randomBytes(6).toString('hex')}`
  const child = spawn(command, args, {
    cwd: spec.cwd,
    env: marker === undefined ? spec.env : { ...spec.env, [MARKER_NAME]: marker },
    stdio: ['pipe', 'pipe', 'pipe'],
    // A group of its own; on Windows that would be a console of its own instead.
    detached: process.platform !== 'win32',
    windowsHide: true,
  })
  if (child.pid === undefined) throw await spawnError(child)
  const owned = new OwnedChild(child, child.pid, marker, spec)
  try {
    owned.record()
  } catch (error) {
    // A child that a crash of ours would orphan must not be: better none.
    await owned.end('unrecorded', { exitGraceMs: 0, killGraceMs: 0, hasPs: false })
    throw error
  }
  giveWay(owned.pid, spec.nice ?? 0, () => child.exitCode === null && child.signalCode === null)
  return owned
}

function spawnError(child: ChildProcess): Promise<Error> {
  return new Promise((resolve) => {
    child.once('error', resolve)
  })
}

class OwnedChild implements Child {
  readonly pid: number
  readonly exited: Promise<ChildExit>
  readonly stderrRead: Promise<void>
  readonly #child: ChildProcessWithoutNullStreams
  readonly #output: Output
  readonly #tail = tailOf()
  readonly #marker: string | undefined
  readonly #ledger: Ledger | undefined
  readonly #folders: readonly string[]
  #startTime: string | undefined
  #endCause: ExitCauseText | undefined
  #ending: Promise<void> | undefined
  #hurry: () => void = () => undefined

  constructor(
    child: ChildProcessWithoutNullStreams,
    pid: number,
    marker: string | undefined,
    spec: ChildSpec,
  ) {
    this.#child = child
    this.pid = pid
    this.#marker = marker
    this.#ledger = spec.ledger
    this.#folders = spec.folders ?? []
    this.#startTime = readStat(pid)?.startTime
    this.#output = new Output(child.stdout, spec.maxLineBytes)
    child.stderr.on('data', (chunk: Buffer) => this.#tail.push(chunk))
    for (const stream of [child.stdin, child.stderr, child]) {
      stream.on('error', (error: Error) => this.#pipeFailed(error))
    }
    this.exited = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.#output.leaderExited()
        resolve({ code, signal })
      })
    })
    this.stderrRead = this.exited.then(() => closedOrLate(child.stderr))
  }

  get spoke(): Promise<void> {
    return this.#output.spoke
  }

  get endCause(): ExitCauseText | undefined {
    return this.#endCause
  }

  record(): void {
    this.#ledger?.record(this.#entry())
    // Without /proc the start time costs a run of `ps`: it is added as soon as it is known.
    if (!hasProc) void this.#recordStartTime()
  }

  lines(): AsyncIterable<LineBatch> {
    return this.#output.open()
  }

  sendAndEnd(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.end(text, 'utf8')
  }

  endStdin(): void {
    if (this.#child.stdin.writable) this.#child.stdin.end()
  }

  write(text: string): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(text, 'utf8')
  }

  stderrTail(): string {
    return this.#tail.text()
  }

  end(cause: ExitCauseText, options: EndOptions): Promise<void> {
    this.#endCause ??= cause
    if (options.exitGraceMs === 0) this.#hurry()
    this.#ending ??= this.#end(options)
    return this.#ending
  }

  async #end(options: EndOptions): Promise<void> {
    const hurry = new Promise<void>((resolve) => {
      this.#hurry = resolve
    })
    this.#output.ending()
    const gone = await endTree(this.pid, {
      ...options,
      hurry,
      exited: this.exited,
      endStdin: () => this.endStdin(),
      startTime: this.#startTime,
      marker: this.#marker,
    })
    this.#output.settle()
    this.#child.stdin.destroy()
    await closedOrLate(this.#child.stderr)
    this.#child.stderr.destroy()
    // What is stuck stays in the ledger: the next start tries again.
    if (!gone) return
    await this.exited
    this.#ledger?.forget(this.pid)
  }

  async #recordStartTime(): Promise<void> {
    this.#startTime = await startTimeOf(this.pid)
    if (this.#startTime === undefined || this.#ending !== undefined) return
    this.#ledger?.record(this.#entry())
  }

  #entry(): LedgerEntry {
    return {
      pid: this.pid,
      startTime: this.#startTime,
      folders: this.#folders,
      marker: this.#marker,
    }
  }

  /** A child may die or stop reading before it took its whole prompt: its exit tells the story, not the pipe. */
  #pipeFailed(error: Error): void {
    if (isErrno(error, 'EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED')) return
    this.#tail.push(Buffer.from(`\n[pipe to the child failed: ${error.message}]\n`))
  }
}

/** Resolves when the stream is closed; after a limit when something out of reach still holds it. */
async function closedOrLate(stream: Stream & { readonly destroyed: boolean }): Promise<void> {
  if (stream.destroyed) return
  const closed = new Promise<void>((resolve) => {
    stream.once('close', resolve)
  })
  await pause(PIPE_DRAIN_MS, closed)
}
