// The settings one by one, derived from the list in schema.ts: what file, environment, flags and documents go by.
import * as z from 'zod'
import { type Facts, facts } from './kinds.ts'
import { configSchema } from './schema.ts'

export interface Setting extends Facts {
  /** `port`, `pool.warm`, … */
  readonly key: string
  readonly initial: unknown
  /** Name of the environment variable. */
  readonly env: string
}

export const ENV_PREFIX = 'CURSOR_ADAPTER_'

function settingOf(key: string, schema: z.ZodType): Setting {
  const known = facts.get(schema)
  if (known === undefined) throw new Error(`setting ${key} has no description`)
  const env = ENV_PREFIX + key.toUpperCase().replaceAll('.', '_')
  return { ...known, key, env, initial: schema.parse(undefined) }
}

/** Every setting in the order of schema.ts. */
export const SETTINGS: readonly Setting[] = Object.entries(configSchema.shape).flatMap(
  ([key, schema]) =>
    schema instanceof z.ZodObject
      ? Object.entries(schema.shape).map(([inner, leaf]) => settingOf(`${key}.${inner}`, leaf))
      : [settingOf(key, schema)],
)

/** The parts of `pool.restarts`. */
export function restartLimit(restarts: string): { readonly count: number; readonly perS: number } {
  const [count = '', perS = ''] = restarts.split('/')
  return { count: Number(count), perS: Number(perS) }
}
