// Folders of one run of the service: scratch root, ledger, and what earlier runs left in them.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Logger, Telemetry } from './core/telemetry.ts'
import { hasPs } from './process/descendants.ts'
import { instanceIsLive, openLedger, sweepLedger } from './process/ledger.ts'
import type { ServiceInput } from './serve.ts'
import { sweepRules } from './workspace/rule-files.ts'
import { prepareScratchRoot, sweepScratch } from './workspace/scratch.ts'

export interface Folders {
  /** Names this run of the service; part of scratch names, ledger entries and the children's marker variable. */
  readonly instance: string
  readonly scratchRoot: string
  readonly ledger: string
  /** Records of rule files in workspaces: who needs them, what we made. */
  readonly rules: string
  /** `ps` was found: tree-kill takes the process down without it. */
  readonly hasPs: boolean
}

export async function prepareFolders({ config, home }: ServiceInput): Promise<Folders> {
  const root = config.workspace.scratch_root
  const folders = {
    instance: randomBytes(6).toString('hex'),
    scratchRoot: await prepareScratchRoot(root === 'auto' ? undefined : root),
    ledger: join(home, 'run', 'ledger'),
    rules: join(home, 'run', 'rules'),
    hasPs: await hasPs(),
  }
  openLedger(folders.ledger, folders.instance)
  return folders
}

/** Ends processes and removes folders of services that died; never those of a live one. Never rejects. */
export async function sweep(
  folders: Folders,
  { config, logger }: ServiceInput,
  telemetry: Telemetry,
): Promise<void> {
  try {
    const { groupsEnded } = await sweepLedger(folders.ledger, folders.instance, {
      exitGraceMs: 0,
      killGraceMs: config.pool.kill_grace * 1000,
      hasPs: folders.hasPs,
    })
    const isLive = (instance: string): boolean => instanceIsLive(folders.ledger, instance)
    const removed = await sweepScratch(folders.scratchRoot, isLive)
    // After the processes: an agent that still lives needs its rules.
    const rules = await sweepRules(folders.rules)
    for (let ended = 0; ended < groupsEnded; ended += 1) telemetry.childExited('swept')
    telemetry.orphansReaped(groupsEnded)
    if (groupsEnded + removed + rules > 0) {
      logger.info('swept what an earlier service left', {
        processes: groupsEnded,
        folders: removed,
        rules,
      })
    }
  } catch (error) {
    logger.warn('sweep failed', { reason: String(error) })
  }
}

/** At the end of the service: rule files that a lost thread never gave back. Never rejects. */
export async function endRules({ rules }: Folders, logger: Logger): Promise<void> {
  try {
    await sweepRules(rules, 'gone')
  } catch (error) {
    logger.warn('rule files were left in a workspace until the next start', {
      reason: String(error),
    })
  }
}
