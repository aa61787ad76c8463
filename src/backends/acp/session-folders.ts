// The folders of one ACP child's scratch sessions: one for each session, made before it is opened, given back when it is over.
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { isErrno } from '../../lib/errno.ts'
import { removeFolder } from '../../workspace/scratch.ts'

/** Folders that are not used again go together, so long after the first of them at most: others may look into them. */
const TIDY_MS = 1000
const MOST_CLEAN = 32

export class SessionFolders {
  readonly #parent: string
  /** In which nothing ever happened, as far as we know; looked into once more before they are used. */
  readonly #clean: string[] = []
  readonly #left: string[] = []
  #timer: NodeJS.Timeout | undefined

  /** They go with `parent`, at the latest. */
  constructor(parent: string) {
    this.#parent = parent
  }

  /**
   * An empty folder of a new name, 0700. Made and removed in turn, folders cost a third of a seat's time at a thousand runs
   * a second (measured; ext4 looks past all that were removed in the last five seconds), so an untouched one is renamed.
   * @throws a system error
   */
  make(): string {
    const folder = join(this.#parent, randomBytes(6).toString('hex'))
    const clean = this.#clean.pop()
    if (clean !== undefined && isEmpty(clean)) renameSync(clean, folder)
    else {
      if (clean !== undefined) this.#remove(clean)
      mkdirSync(folder, { mode: 0o700 })
    }
    return folder
  }

  /**
   * Its session is over. `isUntouched`: no tool ran there, so that no process can have stayed in it. Assumed: whatever else
   * Cursor starts with a session (the user's own MCP servers) finds nothing by its working folder. To find out: `lsof +d`.
   */
  giveBack(folder: string, isUntouched: boolean): void {
    const isClean = isUntouched && this.#clean.length < MOST_CLEAN && isEmpty(folder)
    if (isClean) this.#clean.push(folder)
    else this.#remove(folder)
  }

  /** The child is gone. */
  over(): void {
    clearTimeout(this.#timer)
  }

  #remove(folder: string): void {
    this.#left.push(folder)
    this.#timer ??= setTimeout(() => void this.#tidy(), TIDY_MS).unref()
  }

  async #tidy(): Promise<void> {
    this.#timer = undefined
    for (const folder of this.#left.splice(0)) {
      try {
        await removeFolder(folder)
      } catch (error) {
        // Read-only folders of a module cache, for example: they go with the parent.
        if (!isErrno(error)) throw error
      }
    }
  }
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0
  } catch (error) {
    if (isErrno(error)) return false
    throw error
  }
}
