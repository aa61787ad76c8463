// What a started service tells the person who started it.
import type { Logger } from '../core/telemetry.ts'
import type { Model } from '../models/catalogue.ts'
import type { RunningService } from '../serve.ts'
import type { Console } from './console.ts'

/** Addresses and keys for clients. */
export function clientLines(facts: {
  readonly url: string
  readonly needsKey: boolean
}): readonly string[] {
  const { url, needsKey } = facts
  const key = needsKey ? 'the configured api_key' : 'any text'
  return [
    'what to put into clients:',
    `  OpenAI style     base URL ${url}/v1   (OPENAI_BASE_URL), key: ${key}`,
    `  Anthropic style  base URL ${url}      (ANTHROPIC_BASE_URL), key: ${key} (ANTHROPIC_AUTH_TOKEN)`,
    `  Claude Code      ANTHROPIC_BASE_URL=${url} ANTHROPIC_AUTH_TOKEN=KEY ENABLE_TOOL_SEARCH=false claude`,
    `  by hand          curl ${url}/v1/models`,
    '  step by step     cursor-adapter setup <client>, or at once: cursor-adapter run <client>',
  ]
}

export function versionLine(facts: {
  readonly version: string
  readonly cli: string
  readonly backend: string
}): string {
  const { version, cli, backend } = facts
  const known = cli === '' ? 'version unknown' : cli
  return `cursor-adapter ${version}, Cursor CLI ${known}, backend ${backend}`
}

/** Ids and names in two columns; more than `max` are cut with a count of the rest. */
export function modelLines(
  models: readonly Pick<Model, 'id' | 'label' | 'isDefault'>[],
  max = 12,
): readonly string[] {
  const shown = models.length > max + 1 ? models.slice(0, max) : models
  const width = Math.max(...shown.map(({ id }) => id.length), 0)
  const rest = models.length - shown.length
  return [
    `models (${models.length}):`,
    ...shown.map(({ id, label, isDefault }) =>
      `  ${id.padEnd(width)}  ${label}${isDefault ? ' (default)' : ''}`.trimEnd(),
    ),
    ...(rest === 0 ? [] : [`  … and ${rest} more: cursor-adapter models`]),
  ]
}

export interface WelcomeInput {
  readonly service: RunningService
  readonly version: string
  /** As set: `auto` decides per request. */
  readonly backend: string
  readonly needsKey: boolean
}

/** The part of the start that nobody waits for: model list, hints, first spares. Never rejects. */
export async function welcome(
  console: Console,
  logger: Logger,
  input: WelcomeInput,
): Promise<void> {
  const { service, version, backend, needsKey } = input
  const { url, cli } = service
  const cliVersion = cli.at === 'available' ? cli.version : ''
  logger.info('listening', { url, version, cli: cliVersion })
  if (cli.at === 'missing') {
    console.note(`Cursor's CLI cannot be used yet: ${cli.reason}; requests fail until it is there`)
    return
  }
  const models = await service.models().catch((error: unknown) => {
    logger.warn('no model list', { reason: error instanceof Error ? error.message : String(error) })
    return []
  })
  const lines = [
    versionLine({ version, cli: cliVersion, backend }),
    ...(models.length === 0 ? ['models: none listed (see the log)'] : modelLines(models)),
    ...clientLines({ url, needsKey }),
  ]
  console.line(lines.join('\n'))
  await service.prewarm()
}
