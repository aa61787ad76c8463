// How a process tree is ended: grace, end of stdin, TERM, grace, KILL; done when it is really gone.
// Knows nothing of pipes or of why.
import { monotonicMs } from '../lib/clock.ts'
import { hasProc, processLives } from '../lib/process-identity.ts'
import { pause, pollUntil } from './poll.ts'
import { Tree } from './tree.ts'
import { type EndSignal, signalGroup, signalOne, signalTree } from './tree-signals.ts'

export { signalGroup } from './tree-signals.ts'

export interface EndOptions {
  /** How long the leader may still exit by itself, ms from the call; 0 = it is told at once. */
  readonly exitGraceMs: number
  /** SIGTERM → SIGKILL, ms. */
  readonly killGraceMs: number
  /** Whether `ps` was found at start. */
  readonly hasPs: boolean
  /**
   * Others need the processor more: one glance at the leader's children before its own exit instead of a look at all
   * processes, and the look at what it left behind waits for this, unless there is a hurry.
   */
  readonly calm?: (hurry: Promise<unknown>) => Promise<void>
  /** Called once per signal that was sent to something alive. */
  readonly onKilled?: (signal: EndSignal) => void
}

export interface GroupOptions extends EndOptions {
  readonly endStdin?: () => void
  /** Settles when the leader exited, where the caller knows. */
  readonly exited?: Promise<unknown>
  /** Cuts the exit grace short when it settles. */
  readonly hurry?: Promise<unknown>
  /** The leader's start time as recorded at its start: without it a reused pid cannot be told apart. */
  readonly startTime?: string | undefined
  /** Marker only this child's processes carry (see marker.ts). */
  readonly marker?: string | undefined
}

/** SIGKILL → giving up, ms: only a process stuck inside the kernel outlives this. */
const LAST_LOOK_MS = 5_000

/**
 * exitGraceMs for the leader to exit by itself → end stdin → SIGTERM to the group and to what left it → killGraceMs →
 * SIGKILL to the group and to every descendant listed at any time whose pid and start time still match, newcomers
 * included, until nothing is left. Zombies count as gone. Works without `ps` on Linux. Never throws for a process that
 * is already gone. Resolves when all is gone; at the latest 5 s after SIGKILL.
 */
export async function endGroup(pid: number, options: GroupOptions): Promise<void> {
  await endTree(pid, options)
}

/** As endGroup; the result says whether everything is gone (false: stuck in the kernel, or not ours to signal). */
export async function endTree(pid: number, options: GroupOptions): Promise<boolean> {
  if (process.platform === 'win32') return endOnWindows(pid, options)
  const { startTime, marker } = options
  const tree = new Tree({ pid, startTime, marker })
  whenSettled(options.exited, () => {
    tree.leaderExited()
  })
  if (options.exitGraceMs > 0 && tree.leaderLives()) {
    // Listed while the leader lives: once it is dead, little ties it to a helper that left its group.
    if (options.calm === undefined) await tree.refresh()
    else await tree.glance()
    await exitGrace(tree, options)
    if (!tree.leaderLives()) await options.calm?.(options.hurry ?? new Promise(() => undefined))
  }
  if (await nothingLeft(tree)) return true
  options.endStdin?.()
  await signalAll(pid, tree, 'SIGTERM', options)
  const heeded = await pollUntil(() => tree.gone(), options.killGraceMs, options.exited)
  // Whatever was forked between the listing and the signal shows up now.
  if (heeded && (await nothingLeft(tree))) return true
  return killUntilGone(pid, tree, options)
}

function whenSettled(promise: Promise<unknown> | undefined, then: () => void): void {
  void promise?.then(then, then)
}

async function exitGrace(tree: Tree, options: GroupOptions): Promise<void> {
  const { exited, hurry, exitGraceMs } = options
  let hurried = false
  whenSettled(hurry, () => {
    hurried = true
  })
  if (exited !== undefined) {
    await pause(exitGraceMs, hurry === undefined ? exited : Promise.race([exited, hurry]))
    return
  }
  await pollUntil(() => hurried || !tree.leaderLives(), exitGraceMs, hurry)
}

/** After the leader exited, one more listing finds what it left behind meanwhile. */
async function nothingLeft(tree: Tree): Promise<boolean> {
  if (tree.leaderLives()) return false
  const members = await tree.refresh()
  return members.length === 0 && (await tree.gone())
}

async function killUntilGone(pid: number, tree: Tree, options: GroupOptions): Promise<boolean> {
  const end = monotonicMs() + LAST_LOOK_MS
  let { onKilled } = options
  let roundMs = 40
  while (monotonicMs() < end) {
    await signalAll(pid, tree, 'SIGKILL', { ...options, onKilled: onKilled ?? ignore })
    onKilled = undefined
    const gone = await pollUntil(() => tree.gone(), roundMs, options.exited)
    if (gone && (await nothingLeft(tree))) return true
    roundMs = 200
  }
  return nothingLeft(tree)
}

async function signalAll(
  pid: number,
  tree: Tree,
  signal: EndSignal,
  options: GroupOptions,
): Promise<void> {
  const strays = await tree.strays()
  let sent = tree.groupIsOurs() && signalGroup(pid, signal)
  // Without /proc the list of strays is older than `ps` took to start: let tree-kill look for itself while it can.
  if (!hasProc && strays.length > 0 && options.hasPs && tree.leaderLives()) {
    await signalTree(pid, signal)
  }
  for (const stray of strays) sent = (await signalOne(stray, signal)) || sent
  if (sent) options.onKilled?.(signal)
}

function ignore(): void {
  // Further rounds of the same signal are not counted again.
}

/** Windows has no groups and no polite signal for a console-less child: stdin ends, then taskkill /T /F. */
async function endOnWindows(pid: number, options: GroupOptions): Promise<boolean> {
  let left = false
  const { exited } = options
  whenSettled(exited, () => {
    left = true
  })
  const gone = (): boolean => left || !processLives(pid, undefined)
  if (options.exitGraceMs > 0) {
    const wake = options.hurry === undefined ? exited : Promise.race([exited, options.hurry])
    await pause(options.exitGraceMs, wake ?? options.hurry)
  }
  if (gone()) return true
  options.endStdin?.()
  if (await pollUntil(gone, options.killGraceMs, exited)) return true
  await signalTree(pid, 'SIGKILL')
  options.onKilled?.('SIGKILL')
  return pollUntil(gone, LAST_LOOK_MS, exited)
}
