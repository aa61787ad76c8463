// Which of Cursor's models runs, from what the client asked and the catalogue as far as it is known.
import { Refusal } from '../core/failure.ts'
import type { Logger } from '../core/telemetry.ts'
import type { Turn } from '../core/turn.ts'
import type { Catalogue, Model } from '../models/catalogue.ts'
import { resolveModel } from '../models/resolve.ts'

export interface ModelSettings {
  readonly aliases: Readonly<Record<string, string>>
  readonly familyAliases: boolean
  readonly defaultModel: string
}

export interface ModelChoice {
  readonly id: string
  readonly contextWindow: number | undefined
}

/** After a failed list the next try is made in the background at the earliest after this time. */
const RETRY_LIST_MS = 30_000

export interface ModelChooserParts {
  readonly catalogue: Catalogue
  readonly settings: ModelSettings
  readonly logger: Logger
  readonly now: () => number
}

/**
 * The first requests wait for the first list; when it failed, names pass through to Cursor, whose own refusal then
 * becomes the 404, and the list is asked for again in the background.
 */
export function createModelChooser(parts: ModelChooserParts): (turn: Turn) => Promise<ModelChoice> {
  const said = new Set<string>()
  let failedAtMs: number | undefined

  const known = async (): Promise<readonly Model[] | undefined> => {
    const models = parts.catalogue.peek()
    if (models !== undefined) {
      // Asks for a refresh when the list is old; answers from what is there.
      void parts.catalogue.get().catch(() => undefined)
      return models
    }
    const waitForIt = failedAtMs === undefined
    if (failedAtMs !== undefined && parts.now() - failedAtMs < RETRY_LIST_MS) return undefined
    const listed = parts.catalogue.get().then(
      (list) => {
        failedAtMs = undefined
        return list
      },
      (error: unknown) => {
        failedAtMs = parts.now()
        parts.logger.warn('model list failed, names pass through', { reason: String(error) })
        return undefined
      },
    )
    if (!waitForIt) failedAtMs = parts.now()
    return waitForIt ? listed : undefined
  }

  return async (turn) => {
    const models = await known()
    const resolved = resolveModel({
      asked: turn.model,
      effort: turn.effort,
      thinking: turn.thinking,
      catalogue: models,
      ...parts.settings,
    })
    if (!resolved.ok) {
      const near = resolved.nearest.join(', ')
      throw new Refusal(
        'model-not-found',
        `model ${JSON.stringify(turn.model)} is not one of Cursor's models${near === '' ? '' : `; the nearest are: ${near}`}. GET /v1/models lists them all; the setting models.aliases can give this name a meaning`,
      )
    }
    const guessed =
      resolved.how === 'family' ||
      (resolved.how === 'default' && !['', 'auto', 'default', resolved.id].includes(turn.model))
    if (guessed && !said.has(turn.model) && said.size < 100) {
      said.add(turn.model)
      parts.logger.info('model name stands for another', {
        asked: turn.model,
        model: resolved.id,
        how: resolved.how,
      })
    }
    return {
      id: resolved.id,
      contextWindow: models?.find((model) => model.id === resolved.id)?.contextWindow,
    }
  }
}
