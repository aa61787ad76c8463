// Can scratch folders be made?
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { prepareScratchRoot } from '../workspace/scratch.ts'
import type { Finding } from './finding.ts'

export const scratchRoot: Finding = {
  name: 'scratch folder',
  why: 'each agent without a workspace works in a folder of its own there',
  check: async ({ loaded }) => {
    const configured = loaded.config.workspace.scratch_root
    try {
      const root = await prepareScratchRoot(configured === 'auto' ? undefined : configured)
      const folder = await mkdtemp(join(root, 'doctor-'))
      await writeFile(join(folder, 'file'), 'x')
      await rm(folder, { recursive: true })
      return { at: 'good', text: root }
    } catch (error) {
      if (!(error instanceof Error)) throw error
      return {
        at: 'bad',
        text: error.message,
        fix: 'make it a folder of your own with mode 0700, or set workspace.scratch_root to one',
      }
    }
  },
}
