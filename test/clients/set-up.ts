// Sets clients up with what the product itself prints or writes, so that the suite proves those texts too.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Facts, Part } from '../../src/clients/client.ts'
import { clientNamed } from '../../src/clients/clients.ts'
import { runCli } from '../support/cli.ts'
import { type Ask, type Env, KEY_ENV } from './client.ts'

/** As `setup` prints it for a service at that address. */
export function printed(name: string, { url, key }: Ask): readonly Part[] {
  const client = clientNamed(name)
  if (client === undefined) throw new Error(`setup knows no ${name}`)
  const models: Facts['models'] = [{ id: 'auto', label: 'Auto', contextWindow: undefined }]
  return client.parts({
    url,
    keyEnv: key === undefined ? undefined : KEY_ENV,
    model: undefined,
    models,
  })
}

/** The `export A=1 B=2` lines of the printed shell texts, read as a shell would. */
export function exported(name: string, ask: Ask): Env {
  const parts = printed(name, ask)
  const lines = parts
    .filter(({ language }) => language === 'sh')
    .flatMap(({ text }) => text.split('\n'))
  const pairs = lines
    .filter((line) => line.startsWith('export '))
    .flatMap((line) => [...line.matchAll(/(\w+)=(\S+)/g)])
  const read = (value: string): string => (value === `"$${KEY_ENV}"` ? (ask.key ?? '') : value)
  return Object.fromEntries(pairs.map(([, variable = '', value = '']) => [variable, read(value)]))
}

/** The printed text of that language, put where the client looks for it. */
export async function put(
  path: string,
  parts: readonly Part[],
  language: Part['language'],
): Promise<void> {
  const text = parts.find((part) => part.language === language)?.text
  if (text === undefined) throw new Error(`setup prints no ${language} for ${path}`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

/** `cursor-adapter setup …` in the client's home, for a service at the address asked for. @throws when it fails. */
export async function setup(args: readonly string[], { url, home, key }: Ask): Promise<void> {
  const run = await runCli(['setup', ...args], {
    home,
    env: {
      CURSOR_ADAPTER_HOME: join(home, 'adapter'),
      CURSOR_ADAPTER_PORT: new URL(url).port,
      ...(key === undefined ? {} : { [KEY_ENV]: key }),
    },
  })
  if (run.code !== 0) throw new Error(`setup ${args.join(' ')} failed: ${run.stderr}`)
}
