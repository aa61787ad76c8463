// The workspace trust gate of print mode.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Folders, slugOf } from './folders.ts'
import { Refused } from './refusal.ts'

export interface TrustFacts {
  readonly workspace: string
  readonly folders: Folders
  readonly trustFlag: boolean
  /** --force or --yolo, where the played version lets them cover trust. */
  readonly force: boolean
}

/** @throws Refused. Source: facts 1.9, the heading and the three names; Assumed: the words between them. */
export function requireTrust(facts: TrustFacts): void {
  if (facts.trustFlag || facts.force || existsSync(trustMarker(facts.folders, facts.workspace))) {
    return
  }
  throw new Refused(`Workspace Trust Required

Cursor Agent can run code in this folder: ${facts.workspace}
It has not been trusted yet, and nobody can be asked in print mode.

To go on, pass --trust, --yolo or -f.`)
}

/** Source: facts 1.9. */
export function trustMarker(folders: Folders, workspace: string): string {
  return join(folders.data, 'projects', slugOf(workspace), '.workspace-trusted')
}
