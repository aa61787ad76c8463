// Options that change settings, taken from the list of settings itself.
import { type Command, Option } from 'commander'
import { SETTINGS } from '../config/settings.ts'
import { isObject } from '../lib/json.ts'
import type { ConfigFlags } from './context.ts'

const FLAGGED = SETTINGS.filter(({ flag }) => flag !== undefined)

/** Adds `--config` and, where the command starts a service, every flag of the list of settings. */
export function withConfigFlags(command: Command, which: 'all' | 'file'): Command {
  command.option('--config <file>', 'configuration file (default: ~/.cursor-adapter/config.yaml)')
  if (which === 'file') return command
  for (const { flag, meaning, form, initial } of FLAGGED) {
    const text = `${meaning} (${form}; default: ${String(initial)})`
    command.addOption(new Option(`${flag} <value>`, text))
  }
  return command
}

/** `--log-level x` → `log.level: x`. */
export function configFlags(options: unknown): ConfigFlags {
  const given = isObject(options) ? options : {}
  const text = (name: string): string | undefined => {
    const value = given[name]
    return typeof value === 'string' ? value : undefined
  }
  const values = FLAGGED.map(
    ({ key, flag }) => [key, text(new Option(`${flag} <value>`).attributeName())] as const,
  )
  return { file: text('config'), values: Object.fromEntries(values) }
}
