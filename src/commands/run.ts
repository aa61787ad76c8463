// `run <client>`: the client with the right environment for this one run. No file of the user is changed.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Client, NO_KEY } from '../clients/client.ts'
import { CLIENTS } from '../clients/clients.ts'
import type { Loaded } from '../config/load.ts'
import { isErrno } from '../lib/errno.ts'
import { get, reachable } from '../ops/inquiry.ts'
import { findCli } from '../process/cli.ts'
import { liveService } from '../process/service-file.ts'
import { type ConfigFlags, type Context, readConfig } from './context.ts'
import { CommandError } from './exit-codes.ts'
import { factsFor } from './facts.ts'
import { type Lent, lendService } from './lent-service.ts'
import { known } from './setup.ts'

export interface RunOptions {
  readonly model: string | undefined
}

/** The client's own exit code, or 128 + n after signal n. @throws CommandError when it cannot be started. */
export async function run(
  context: Context,
  flags: ConfigFlags,
  name: string,
  args: readonly string[],
  options: RunOptions,
): Promise<number> {
  const client = known(name)
  const program = programOf(context, client)
  const loaded = readConfig(context, flags)
  const service = (await running(loaded)) ?? (await lendService(context, loaded))
  try {
    const facts = await factsFor(loaded, service.url, options.model)
    const key = loaded.config.api_key ?? NO_KEY
    const launch = client.run?.launch(facts, args, key)
    if (launch === undefined) throw new Error(`${client.name} has no way to be run`)
    const env = Object.fromEntries(
      Object.entries(context.env).filter(([variable]) => !launch.unset.includes(variable)),
    )
    const given = { ...env, ...launch.env }
    if (launch.folder === undefined) return await untilExit(program, launch.args, given)
    const { variable, file, text } = launch.folder
    const folder = mkdtempSync(join(tmpdir(), 'cursor-adapter-run-'))
    try {
      writeFileSync(join(folder, file), text, { mode: 0o600 })
      return await untilExit(program, launch.args, { ...given, [variable]: folder })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  } finally {
    await service.giveBack()
  }
}

function programOf({ env }: Context, client: Client): string {
  if (client.run === undefined) {
    const able = CLIENTS.filter((one) => one.run !== undefined).map((one) => one.name)
    throw new CommandError(
      'usage',
      `${client.title} cannot be started from here, only ${able.join(', ')}; cursor-adapter setup ${client.name} says what to do`,
    )
  }
  const { program, install } = client.run
  const found = findCli(program, env)
  if ('path' in found) return found.path
  throw new CommandError(
    'clientMissing',
    `${client.title} is not installed (no ${program} on the PATH); install it with: ${install}`,
  )
}

/** A service of this user that is up and answers. */
async function running({ home, config }: Loaded): Promise<Lent | undefined> {
  const service = liveService(home)
  if (service === undefined) return undefined
  const health = await get(service.url, '/health', config.api_key)
  if (!health.reached) return undefined
  return { url: reachable(service.url), giveBack: async () => undefined }
}

const PASSED_ON = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'] as const

/** Starts it on our terminal and passes signals on until it ends. */
async function untilExit(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const child = spawn(program, args, { env, stdio: 'inherit' })
  const passOn = (signal: NodeJS.Signals): void => {
    // From a terminal, Ctrl-C and Ctrl-\ reach the client without us: it is of the same group.
    const fromKeyboard = signal === 'SIGINT' || signal === 'SIGQUIT'
    if (fromKeyboard && process.stdin.isTTY) return
    child.kill(signal)
  }
  for (const signal of PASSED_ON) process.on(signal, passOn)
  try {
    return await exitCode(child, program)
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn)
  }
}

function exitCode(child: ChildProcess, program: string): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => {
      const why = isErrno(error) ? error.code : error.message
      reject(new CommandError('failed', `${program} cannot be started (${why})`, { cause: error }))
    })
    child.on('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]))
    })
  })
}
