// Puts a profile's rule files where the agent will look for them, before it starts.
import type { LaunchProfile } from '../../core/job.ts'
import { isErrno } from '../../lib/errno.ts'
import { type SharedRules, shareRules, writeScratchRules } from '../../workspace/rule-files.ts'
import type { WorkerSettings } from '../backend.ts'

export interface PlacedRules extends SharedRules {
  /** False when the profile has rules that could not be written: the prompt must then say what they say. */
  readonly arePlaced: boolean
}

/** `work` is the scratch folder's own working folder. Never throws for a workspace that cannot be written to. */
export async function placeRules(
  profile: LaunchProfile,
  settings: WorkerSettings,
  work: string,
): Promise<PlacedRules> {
  const { rules = [], folder } = profile
  if (rules.length === 0) return { ...NOTHING, arePlaced: true }
  if (folder.class === 'scratch') {
    await writeScratchRules(work, rules)
    return { ...NOTHING, arePlaced: true }
  }
  if (settings.rulesDir === undefined) return { ...NOTHING, arePlaced: false }
  try {
    const shared = await shareRules(settings.rulesDir, folder.path, rules)
    return {
      bind: (pid) => shared.bind(pid),
      release: () => tolerant(shared.release()),
      arePlaced: true,
    }
  } catch (error) {
    // Not writable, full, or busy: the run goes on without them.
    if (!isErrno(error)) throw error
    return { ...NOTHING, arePlaced: false }
  }
}

const NOTHING: SharedRules = {
  bind: () => undefined,
  release: () => Promise.resolve(),
}

async function tolerant(released: Promise<void>): Promise<void> {
  try {
    await released
  } catch (error) {
    // The records stay, so the next run in that workspace or the next sweep finishes it.
    if (!isErrno(error)) throw error
  }
}
