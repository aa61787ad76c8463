// `service install|uninstall|status`: the service as systemd user unit or launchd agent. Says every command it runs.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { UNIT_MARK } from '../ops/units.ts'
import { type Context, readConfig } from './context.ts'
import { CommandError, type ExitName } from './exit-codes.ts'
import { type Manager, managerFor, readIfThere, runStep } from './manager.ts'

export interface InstallOptions {
  readonly config: string | undefined
  readonly dryRun: boolean
}

/** Writes the unit, enables and (re)starts it. Doing it twice changes nothing more. */
export async function install(context: Context, options: InstallOptions): Promise<ExitName> {
  const config = options.config === undefined ? undefined : resolve(options.config)
  readConfig(context, { file: config })
  const manager = managerFor(context, config)
  const { console } = context
  if (options.dryRun) {
    console.line(`would write ${manager.path}:\n\n${manager.text}\nwould run:`)
    for (const step of [...manager.afterWrite, ...manager.start])
      console.line(`  ${step.join(' ')}`)
    return 'ok'
  }
  const before = readIfThere(manager.path)
  refuseForeign(manager, before)
  if (before === manager.text) console.line(`${manager.path} is up to date`)
  else {
    mkdirSync(dirname(manager.path), { recursive: true })
    writeFileSync(manager.path, manager.text, { mode: 0o600 })
    console.line(`wrote ${manager.path}`)
  }
  await run(context, [...manager.afterWrite, ...manager.start])
  for (const hint of manager.hints) console.line(hint)
  return 'ok'
}

/** Stops the service and removes its unit; nothing to do is fine. */
export async function uninstall(context: Context): Promise<ExitName> {
  const manager = managerFor(context, undefined)
  const before = readIfThere(manager.path)
  if (before === undefined) {
    context.console.line(`not installed (no ${manager.path})`)
    return 'ok'
  }
  refuseForeign(manager, before)
  await run(context, manager.stop)
  rmSync(manager.path, { force: true })
  context.console.line(`removed ${manager.path}`)
  await run(context, manager.afterRemove)
  return 'ok'
}

export async function serviceStatus(context: Context): Promise<ExitName> {
  const manager = managerFor(context, undefined)
  const installed = readIfThere(manager.path) !== undefined
  context.console.line(
    installed ? `installed: ${manager.path}` : `not installed (no ${manager.path})`,
  )
  if (!installed) return 'notRunning'
  const results = []
  for (const step of manager.ask) results.push(await runStep(context, step))
  return results.includes('failed') ? 'notRunning' : 'ok'
}

function refuseForeign(manager: Manager, text: string | undefined): void {
  if (text === undefined || text.includes(UNIT_MARK)) return
  throw new CommandError(
    'failed',
    `${manager.path} was not written by this command; move it away first`,
  )
}

/** All steps in order; the first that fails ends the command. */
async function run(context: Context, steps: Manager['start']): Promise<void> {
  for (const step of steps) {
    if ((await runStep(context, step)) === 'failed') {
      throw new CommandError('failed', `${step.join(' ')} did not succeed`)
    }
  }
}
