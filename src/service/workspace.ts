// Which folder a turn works in: the header, else the setting. Undefined = a scratch folder of its own.
import { Refusal } from '../core/failure.ts'
import type { Logger } from '../core/telemetry.ts'
import type { Turn } from '../core/turn.ts'
import { clientFolder } from '../sessions/identity.ts'
import { locateWorkspace } from '../workspace/locate.ts'

export type WorkspaceRules = Parameters<typeof locateWorkspace>[1]

export interface WorkspaceChooserParts {
  /** Setting `workspace.default`: `scratch`, `client` or an absolute path. */
  readonly standard: string
  readonly rules: WorkspaceRules
  readonly logger: Logger
}

/** The client's own folder where requests may work in it, undefined where it names none or another one. */
export async function readableClientFolder(
  turn: Turn,
  rules: WorkspaceRules,
  onRefused: (reason: string) => void = () => undefined,
): Promise<string | undefined> {
  const named = clientFolder(turn)
  if (named === undefined) return undefined
  try {
    return await locateWorkspace(named, rules)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    onRefused(error.message)
    return undefined
  }
}

/** @throws Refusal (from the chooser) for a folder that was asked for and must not be used. */
export function createWorkspaceChooser(
  parts: WorkspaceChooserParts,
): (turn: Turn, header: string | null) => Promise<string | undefined> {
  return async (turn, header) => {
    if (header !== null && header !== '') return locateWorkspace(header, parts.rules)
    if (parts.standard === 'scratch') return undefined
    if (parts.standard !== 'client') return locateWorkspace(parts.standard, parts.rules)
    // The client did not ask us to work there; a folder outside the roots only means an empty one instead.
    return readableClientFolder(turn, parts.rules, (reason) => {
      parts.logger.info('client folder not used', { reason })
    })
  }
}
