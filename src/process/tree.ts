// What belongs to one child: its group, its session, its descendants, and what carries its mark. Linux answers from
// /proc; elsewhere `ps` and the group are all there is.
import { isErrno } from '../lib/errno.ts'
import { hasProc, pidExists, readStat } from '../lib/process-identity.ts'
import { descendantsOf, hasChildren, listProcesses, type ProcessFact } from './descendants.ts'
import { markerOf } from './marker.ts'

export interface TreeFacts {
  /** The leader, whose pid is also the number of its group and session. */
  readonly pid: number
  /** The leader's start time, where known: guards against a pid that went to somebody else. */
  readonly startTime: string | undefined
  /** The marker only this child's processes carry. */
  readonly marker: string | undefined
}

export class Tree {
  readonly #facts: TreeFacts
  /** Everything ever seen of this tree: pid → start time. The leader is in it when it was seen alive. */
  readonly #known = new Map<number, string>()
  #leaderExited = false
  #reused = false
  /** False while nothing could be listed, which must not be taken for "nothing is there". */
  #listed = false

  constructor(facts: TreeFacts) {
    this.#facts = facts
  }

  /** Told by whoever owns the leader; elsewhere than Linux the only sure sign. */
  leaderExited(): void {
    this.#leaderExited = true
  }

  leaderLives(): boolean {
    if (this.#leaderExited) return false
    if (!hasProc) return pidExists(this.#facts.pid)
    return lives(this.#facts.pid, this.#facts.startTime)
  }

  /** Lists anew when the living leader has a child, as far as can be told cheaply; see hasChildren for what that misses. */
  async glance(): Promise<void> {
    if (hasChildren(this.#facts.pid) !== false) await this.refresh()
  }

  /** Lists anew and remembers; returns the members alive now. */
  async refresh(): Promise<readonly ProcessFact[]> {
    const all = await listedOrNothing()
    this.#listed = all.length > 0
    const members = this.#members(all)
    for (const member of members) this.#known.set(member.pid, member.startTime)
    return members
  }

  /** The members that group signals do not reach, alive now and surely the same as when they were listed. */
  async strays(): Promise<readonly ProcessFact[]> {
    return (await this.refresh()).filter((member) => member.group !== this.#facts.pid)
  }

  /**
   * True when leader, everything ever listed, and the group are gone; zombies count as gone. Cheap while something
   * known still lives.
   */
  async gone(): Promise<boolean> {
    if (this.leaderLives()) return false
    if (hasProc) for (const [pid, startTime] of this.#known) if (lives(pid, startTime)) return false
    if (!hasProc && this.#known.size > 0) return (await this.refresh()).length === 0
    if (!groupExists(this.#facts.pid)) return true
    // The group exists although nothing known lives: zombies, newcomers, or somebody else's group by now.
    const members = await this.refresh()
    return this.#listed && members.length === 0
  }

  /** False when the pid is known to be somebody else's by now: then nothing of ours is left in that group. */
  groupIsOurs(): boolean {
    const { pid, startTime } = this.#facts
    if (!hasProc || startTime === undefined) return !this.#reused
    const now = readStat(pid)
    return now === undefined || now.startTime === startTime
  }

  #members(all: readonly ProcessFact[]): ProcessFact[] {
    const { pid, startTime, marker } = this.#facts
    const leader = all.find((fact) => fact.pid === pid)
    // While the group has members its number is not given away. So a different process with the leader's pid
    // proves that our group is gone.
    const reused = leader !== undefined && startTime !== undefined && leader.startTime !== startTime
    this.#reused = reused
    const found = new Set<ProcessFact>()
    const roots = all.filter((fact) => this.#known.get(fact.pid) === fact.startTime)
    if (!reused) {
      if (leader !== undefined) roots.push(leader)
      roots.push(...all.filter((fact) => fact.group === pid || fact.session === pid))
    }
    for (const root of roots) {
      found.add(root)
      for (const fact of descendantsOf(root.pid, all)) found.add(fact)
    }
    if (marker !== undefined) {
      for (const fact of all) {
        if (!found.has(fact) && notOlder(fact, startTime) && markerOf(fact.pid) === marker) {
          found.add(fact)
        }
      }
    }
    return [...found].filter((fact) => !fact.zombie && fact.pid !== process.pid)
  }
}

/** Out of file descriptors nothing can be listed; the group is still signalled, and the next round looks again. */
async function listedOrNothing(): Promise<readonly ProcessFact[]> {
  try {
    return await listProcesses()
  } catch (error) {
    if (isErrno(error, 'EMFILE', 'ENFILE')) return []
    throw error
  }
}

/** Start times on Linux begin with clock ticks, so most processes need not be looked into. */
function notOlder(fact: ProcessFact, startTime: string | undefined): boolean {
  if (startTime === undefined) return true
  return Number.parseInt(fact.startTime, 10) >= Number.parseInt(startTime, 10)
}

function lives(pid: number, startTime: string | undefined): boolean {
  try {
    const stat = readStat(pid)
    if (stat === undefined || stat.zombie) return false
    return startTime === undefined || stat.startTime === startTime
  } catch (error) {
    // Out of file descriptors: no look inside, but no reason to call it gone.
    if (isErrno(error, 'EMFILE', 'ENFILE')) return pidExists(pid)
    throw error
  }
}

/** True while the group has a member, zombies included. macOS answers EPERM for a group of zombies only. */
function groupExists(group: number): boolean {
  try {
    process.kill(-group, 0)
    return true
  } catch (error) {
    if (isErrno(error, 'ESRCH')) return false
    if (isErrno(error, 'EPERM')) return hasProc
    throw error
  }
}
