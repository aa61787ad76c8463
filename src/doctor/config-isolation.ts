// Does the login survive a private configuration folder?
import { join } from 'node:path'
import { parseModelList } from '../models/list.ts'
import { seedConfig } from '../workspace/cursor-home.ts'
import type { Finding } from './finding.ts'
import { complaint } from './patient.ts'

export const configIsolation: Finding = {
  name: 'private config folder',
  why: "parallel agents rewrite Cursor's configuration, so each gets a copy; the login must come along",
  check: async (patient) => {
    if (patient.loaded.config.cursor.config_dir === 'shared') {
      return { at: 'skipped', text: 'cursor.config_dir is shared' }
    }
    return patient.inFolder(async (folder) => {
      const target = join(folder, 'config')
      await seedConfig(target, patient.env, { sealed: false })
      const output = await patient.ask(['models'], { CURSOR_CONFIG_DIR: target })
      const good = output.ok && parseModelList(output.stdout).length > 0
      const settled = { 'login-in-private-config': good }
      if (good) return { at: 'good', text: 'the login is found there', settled }
      // Without the usual login there is nothing to conclude.
      const usual = await patient.ask(['models'])
      if (!usual.ok) return { at: 'skipped', text: 'no login to carry over' }
      return {
        at: 'bad',
        text: `the login is not found there: ${complaint(output)}`,
        fix: 'set CURSOR_API_KEY for the service, or cursor.config_dir: shared',
        settled,
      }
    })
  },
}
