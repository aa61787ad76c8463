// What starting a child has in common, whatever the backend: the ledger, and the reason when it could not be started.
import { homedir } from 'node:os'
import type { LaunchProfile } from '../core/job.ts'
import { isErrno } from '../lib/errno.ts'
import { exists } from '../lib/files.ts'
import { type Ledger, openLedger } from '../process/ledger.ts'
import { removeScratch } from '../workspace/scratch.ts'
import { LaunchFailure, type WorkerSettings } from './backend.ts'
import { launchFailure } from './launch-failure.ts'

/** Private configuration, and no real workspace: that keeps the user's own data folder, with its approvals and chats. */
export const hasOwnData = (
  { folder }: Pick<LaunchProfile, 'folder'>,
  { configDir }: Pick<WorkerSettings, 'configDir'>,
): boolean => configDir === 'private' && folder.class === 'scratch'

const ledgers = new WeakMap<WorkerSettings, Ledger>()

/** This thread's ledger: opened once for the settings it was given. */
export function ledgerOf(settings: WorkerSettings): Ledger {
  const ledger = ledgers.get(settings) ?? openLedger(settings.ledgerDir, settings.instance)
  ledgers.set(settings, ledger)
  return ledger
}

/** Removes the folders of a conversation that is over; what resists is left to the sweep. */
export function removeFolders(root: string): void {
  removeScratch({ root }).catch((error: unknown) => {
    if (!isErrno(error)) throw error
  })
}

/** Whatever kept a child from starting, as what `launch` throws. */
export async function asLaunchFailure(
  error: unknown,
  profile: LaunchProfile,
): Promise<LaunchFailure> {
  if (error instanceof LaunchFailure) return error
  const { folder, binary } = profile
  const facts = {
    binary,
    binaryExists: await exists(binary),
    folderExists: folder.class === 'scratch' || (await exists(folder.path)),
    home: homedir(),
  }
  return new LaunchFailure(launchFailure(error, facts), { cause: error })
}
