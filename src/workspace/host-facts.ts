// What a denied tool is told of the client's machine: a file beside the sealed room's hooks, which print it. Written anew
// before each prompt, because the room is sealed before anybody knows whose turn it will be.
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'

export const hostFactsFile = (work: string): string => join(work, '.cursor', 'host-facts')

/**
 * `facts` replaces what the turn before said; '' leaves nothing of it. A disk that is full, or a folder that went away with
 * its agent, costs the facts and not the denial.
 */
export function stateHostFacts(work: string, facts: string): void {
  const file = hostFactsFile(work)
  const fresh = `${file}.new`
  try {
    // First, so that nothing old is left when the rest fails.
    rmSync(file, { force: true })
    if (facts === '') return
    // Stands inside a JSON string; half of it would spoil the hook's answer, so it comes into place whole.
    writeFileSync(fresh, JSON.stringify(` ${facts}`).slice(1, -1), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    if (!isErrno(error)) throw error
  }
}
