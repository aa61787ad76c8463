// A worker thread whose agents are plain shells: the prompt is a script, its output lines are text. Real processes that
// start in a few milliseconds and can be told to do anything; the pool under test does not know the difference.
import { workerData } from 'node:worker_threads'
import type {
  Agent,
  AgentHooks,
  Backend,
  ExitFacts,
  WorkerSettings,
} from '../../../src/backends/backend.ts'
import { LaunchFailure } from '../../../src/backends/backend.ts'
import type { AgentEvent, Batch } from '../../../src/core/events.ts'
import { callId } from '../../../src/core/ids.ts'
import type { Job, LaunchProfile } from '../../../src/core/job.ts'
import type { ExitCause } from '../../../src/core/telemetry.ts'
import { monotonicMs } from '../../../src/lib/clock.ts'
import { type Child, type LineBatch, startChild } from '../../../src/process/child.ts'
import { type Ledger, openLedger } from '../../../src/process/ledger.ts'
import { createScratch, removeScratch, type ScratchFolder } from '../../../src/workspace/scratch.ts'
import { serveSeat } from '../../../workers/serve-seat.ts'

const settings: WorkerSettings = workerData
const ledger = openLedger(settings.ledgerDir, settings.instance)
const END_MARK = '__end_of_script__'
/** Exit codes a script may use to fail in a certain way. */
const FAILURES: Readonly<Record<number, AgentEvent>> = {
  70: { type: 'failure', code: 'agent-failed', message: 'the script failed' },
  75: { type: 'failure', code: 'agent-failed', message: 'a race', again: 'same' },
  76: { type: 'failure', code: 'agent-failed', message: 'stdin was not read', again: 'argv' },
  77: { type: 'failure', code: 'cursor-not-logged-in', message: 'log in first' },
}

const shells: Backend = {
  async launch(profile, _settings, hooks) {
    if (profile.model === 'unlaunchable') {
      const message = 'cannot be started'
      throw new LaunchFailure({ type: 'failure', code: 'cli-missing', message })
    }
    const folder = await createScratch(settings.scratchRoot, settings.instance)
    // A session with the client's tools that nobody closes: only the end of the thread does.
    if (profile.offer !== undefined)
      hooks.tools?.opened(profile.offer.endpoint, profile.offer.tools)
    return new Shell(await spawnShell(profile, folder, ledger), profile, folder, hooks)
  },
}

function spawnShell(profile: LaunchProfile, folder: ScratchFolder, ledger: Ledger): Promise<Child> {
  const first = profile.model === 'spoils' ? 'echo I speak first;' : ''
  return startChild({
    command: '/bin/sh',
    args: ['-c', `${first} exec /bin/sh -s`],
    cwd: folder.work,
    env: { PATH: process.env.PATH ?? '', VIA: profile.promptVia, ...settings.env },
    maxLineBytes: settings.maxLineBytes,
    ledger,
    folders: [folder.root],
  })
}

class Shell implements Agent {
  readonly pid: number
  readonly ready = Promise.resolve()
  readonly reusable: boolean
  readonly ended: Promise<ExitFacts>
  readonly spoiled: Promise<string>
  #child: Child
  #lines: AsyncIterator<LineBatch> | undefined
  #hooks: AgentHooks

  constructor(child: Child, profile: LaunchProfile, folder: ScratchFolder, hooks: AgentHooks) {
    this.pid = child.pid
    this.reusable = profile.backend === 'acp'
    this.#child = child
    this.#hooks = hooks
    this.spoiled = Promise.race([
      child.spoke.then(() => 'it spoke'),
      child.exited.then(() => 'it exited'),
    ])
    this.ended = child.exited.then(async (exit) => {
      await this.#end('crashed', 0)
      await removeScratch(folder)
      return { ...exit, stderrTail: child.stderrTail() }
    })
  }

  async *run(job: Job, onPrompted: () => void): AsyncIterable<Batch> {
    const script = job.prompt.text
    if (script === '#throw') setImmediate(() => fail('a bug in a worker'))
    if (script === '#freeze') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
    if (script === '#calm') await noFirstWordsAwaited()
    if (script === '#backend-throws') throw new Error('a bug in a backend')
    if (this.reusable) this.#child.write(`${script}\necho ${END_MARK}\n`)
    else this.#child.sendAndEnd(script)
    onPrompted()
    // Pulled by hand: leaving a for-await loop would close the output, which a reusable shell still needs.
    this.#lines ??= this.#child.lines()[Symbol.asyncIterator]()
    for (let step = await this.#lines.next(); !step.done; step = await this.#lines.next()) {
      const events = step.value.lines.map(eventOf)
      yield { events, readAtMs: step.value.readAtMs }
      if (events.at(-1)?.type === 'finish') return
    }
    const { code, signal } = await this.#child.exited
    const failure = FAILURES[code ?? -1] ?? {
      type: 'failure',
      code: 'agent-failed',
      message: `exit ${code ?? signal ?? ''}`,
    }
    const finish: AgentEvent = { type: 'finish', reason: 'stop', cursorUsage: undefined }
    yield { events: [code === 0 ? finish : failure], readAtMs: monotonicMs() }
  }

  async close(cause: ExitCause): Promise<ExitFacts> {
    await this.#end(cause, cause === 'done' ? settings.exitGraceMs : 0)
    return this.ended
  }

  #end(cause: string, exitGraceMs: number): Promise<void> {
    const { killGraceMs, hasPs } = settings
    const { onKilled } = this.#hooks
    return this.#child.end(cause, { exitGraceMs, killGraceMs, hasPs, onKilled })
  }
}

/** As the end of a real agent waits (lib/first-words.ts), without its patience. */
async function noFirstWordsAwaited(): Promise<void> {
  if (settings.firstWords !== undefined) await Atomics.waitAsync(settings.firstWords, 0, 1).value
}

function fail(message: string): never {
  throw new Error(message)
}

function eventOf(line: string): AgentEvent {
  if (line === END_MARK) return { type: 'finish', reason: 'stop', cursorUsage: undefined }
  if (line.startsWith('tool+')) {
    return {
      type: 'tool-start',
      callId: callId(line.slice(5)),
      kind: 'shell',
      host: 'cursor',
      name: 'Bash',
      input: {},
      title: '',
    }
  }
  if (line.startsWith('tool-')) {
    return {
      type: 'tool-end',
      callId: callId(line.slice(5)),
      isError: false,
      outcome: 'success',
      summary: '',
      durationMs: undefined,
    }
  }
  if (line === 'quiet sign') return { type: 'activity', kind: 'other' }
  return { type: 'text-delta', text: line }
}

export default serveSeat(settings, () => shells)
