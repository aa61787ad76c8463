// `setup <client>`: prints what to put where; for some clients puts it there, and takes it back.

import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Client, ConfigFile, Facts } from '../clients/client.ts'
import { CLIENTS, clientNamed } from '../clients/clients.ts'
import { applySettings } from '../clients/edit/apply.ts'
import { guideText } from '../clients/guide.ts'
import { diffText } from '../clients/line-diff.ts'
import { FileProblem, plan, type Target, undo, write } from '../clients/own-file.ts'
import { nearest } from '../config/problem.ts'
import { type ConfigFlags, type Context, readConfig } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import { factsOf, KEY_ENV } from './facts.ts'

export interface SetupOptions {
  readonly act: 'print' | 'write' | 'dry-run' | 'undo'
  readonly model: string | undefined
}

/** @throws CommandError */
export async function setup(
  context: Context,
  flags: ConfigFlags,
  name: string | undefined,
  options: SetupOptions,
): Promise<ExitName> {
  const { console } = context
  if (name === undefined) {
    for (const line of clientLines()) console.line(line)
    return 'ok'
  }
  const client = known(name)
  const loaded = readConfig(context, flags)
  if (options.act === 'print') {
    const facts = await factsOf(loaded, options.model)
    console.line(guideText(client, facts, (text) => console.paint.strong(text)))
    if (facts.keyEnv !== undefined) {
      console.note(`\nThe service asks for a key: set ${KEY_ENV} to it where the client runs.`)
    }
    return 'ok'
  }
  const { file } = client
  if (file === undefined) {
    throw new CommandError(
      'usage',
      `${client.title} has no file that this command writes; cursor-adapter setup ${name} prints what to do`,
    )
  }
  const target = targetOf(context, client, file, loaded.home)
  try {
    if (options.act === 'undo') return takeBack(context, target)
    const facts = await factsOf(loaded, options.model)
    return put(context, { client, file, target, facts, isDry: options.act === 'dry-run' })
  } catch (error) {
    if (!(error instanceof FileProblem)) throw error
    throw new CommandError('failed', error.message, { cause: error })
  }
}

/** @throws CommandError `usage` naming the nearest one. */
export function known(name: string): Client {
  const client = clientNamed(name)
  if (client !== undefined) return client
  const all = CLIENTS.map((one) => one.name)
  const meant = nearest(name, all)
  const hint = meant === undefined ? `clients: ${all.join(', ')}` : `did you mean ${meant}?`
  throw new CommandError('usage', `unknown client '${name}'; ${hint}`)
}

interface Put {
  readonly client: Client
  readonly file: ConfigFile
  readonly target: Target
  readonly facts: Facts
  readonly isDry: boolean
}

function put({ console }: Context, { client, file, target, facts, isDry }: Put): ExitName {
  const edit = (text: string): string => applySettings(file.format, text, file.settings(facts))
  if (isDry) {
    const { hunks, path } = plan(target, edit)
    console.line(hunks.length === 0 ? `${path} would stay as it is` : `would change ${path}:`)
    console.write(diffText(hunks))
    return 'ok'
  }
  const { hunks, path, backup } = write(target, edit)
  if (hunks.length === 0) console.line(`${path} is up to date`)
  else {
    console.line(`wrote ${path}`)
    if (backup !== undefined) console.line(`as it was: ${backup}`)
  }
  console.line(`take it back: cursor-adapter setup ${client.name} --undo`)
  if (facts.keyEnv !== undefined) {
    console.note(`The service asks for a key: set ${KEY_ENV} to it where ${client.title} runs.`)
  }
  return 'ok'
}

function takeBack({ console }: Context, target: Target): ExitName {
  const { how, path } = undo(target)
  const said = {
    restored: `${path} is as it was before`,
    removed: `removed ${path}, which was not there before`,
    'taken-back': `took our settings out of ${path}; what you changed since stays`,
    nothing: `nothing to take back in ${path}`,
  }
  console.line(said[how])
  return 'ok'
}

function targetOf(context: Context, client: Client, file: ConfigFile, home: string): Target {
  const { env } = context
  const paths = file.paths({ env, home: env.HOME ?? homedir() }).map((path) => resolve(path))
  const path = paths.find((one) => existsSync(one)) ?? paths.at(-1)
  if (path === undefined) throw new Error(`${client.name} has no place for its file`)
  return { client: client.name, path, memory: join(home, 'setup') }
}

function clientLines(): readonly string[] {
  const width = Math.max(...CLIENTS.map(({ name }) => name.length))
  return CLIENTS.map(({ name, title, file, run }) => {
    const can = [...(file === undefined ? [] : ['--write']), ...(run === undefined ? [] : ['run'])]
    return `${name.padEnd(width)}  ${title}${can.length === 0 ? '' : ` (${can.join(', ')})`}`
  })
}
