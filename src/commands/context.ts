// What every command is given, and the steps several of them begin with.
import { homedir } from 'node:os'
import { type Loaded, loadConfig } from '../config/load.ts'
import { ConfigError } from '../config/problem.ts'
import type { Config } from '../config/schema.ts'
import { redactor } from '../ops/redact.ts'
import type { Console } from './console.ts'
import { CommandError } from './exit-codes.ts'

export interface Context {
  readonly env: NodeJS.ProcessEnv
  readonly console: Console
  /** Our own version. */
  readonly version: string
  /** Absolute path of the running program's entry (dist/src/cli.js). */
  readonly entry: string
}

export interface ConfigFlags {
  readonly file?: string | undefined
  /** Setting key → text of its flag. */
  readonly values?: Readonly<Record<string, string | undefined>>
}

/** @throws CommandError `config` listing every problem. */
export function readConfig(context: Context, { file, values = {} }: ConfigFlags): Loaded {
  try {
    return loadConfig({ env: context.env, file, flags: values })
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    const lines = error.problems.map((problem) => `  ${problem}`)
    throw new CommandError('config', ['the configuration is not valid:', ...lines].join('\n'), {
      cause: error,
    })
  }
}

/** Takes every secret that this configuration and environment know out of a text. */
export function redactionFor(config: Config, env: NodeJS.ProcessEnv): (text: string) => string {
  // Short values of `cursor.env` are switches (`1`, `true`), not secrets; hiding them would garble every line.
  const extra = Object.values(config.cursor.env).filter((value) => value.length >= 8)
  const secrets = [config.api_key, config.sdk.api_key, env.CURSOR_API_KEY, env.CURSOR_AUTH_TOKEN]
  return redactor({ secrets: [...secrets, ...extra], home: homedir() })
}
