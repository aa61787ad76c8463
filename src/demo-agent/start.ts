// argv and environment → which way of running, and what a refusal becomes. Loads only what that way needs.
import { parseArguments } from './argv.ts'
import { COMMANDS, OPTIONS } from './flags.ts'
import { type Life, openJournal, watchLife } from './life.ts'
import { write, writeError } from './pipes.ts'
import type { Program } from './print.ts'
import { Refused } from './refusal.ts'
import { readSettings } from './settings.ts'

async function main(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const settings = readSettings(env)
  const journal = openJournal(settings.journal)
  // In this order: whoever has seen the start in the journal may send signals.
  const life = watchLife(journal)
  journal.start(argv, env)
  try {
    const parsed = parseArguments(argv, OPTIONS, COMMANDS)
    if (parsed.at === 'error') throw new Refused(parsed.text)
    await dispatch({ settings, arguments: parsed.arguments, env, journal, life })
  } catch (error) {
    await refuse(error, life)
  }
}

async function dispatch(program: Program): Promise<void> {
  const { options, command } = program.arguments
  if (options.has('version')) {
    await write(`${program.settings.version}\n`)
    return program.life.leave(0)
  }
  if (command === 'acp' && !options.has('help')) {
    const { runAcp } = await import('./acp.ts')
    return runAcp(program)
  }
  // `agent agent …` is `agent …`.
  const runsCommand = command !== undefined && command !== 'agent'
  if (runsCommand || options.has('help') || options.has('list-models')) {
    const { runCommand } = await import('./commands.ts')
    return runCommand(program)
  }
  // Source: runs of 2026.10.01: headless also where stdin or stdout is no terminal.
  if (!options.has('print') && process.stdin.isTTY && process.stdout.isTTY) {
    throw new Refused(
      options.has('output-format')
        ? 'Error: --output-format can only be used with --print'
        : 'The demo agent has no interactive mode: pass -p and a prompt.',
    )
  }
  const { runPrint } = await import('./print.ts')
  return runPrint(program)
}

/** A refusal is printed and becomes the exit code; anything else is a bug and crashes loudly. */
async function refuse(error: unknown, life: Life): Promise<void> {
  if (!(error instanceof Refused)) throw error
  const print = error.stream === 'stderr' ? writeError : write
  await print(`${error.message}\n`)
  await life.leave(error.exitCode)
}

/** Runs the demo agent; the process is about to exit when this resolves. */
export async function start(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  try {
    await main(argv, env)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    // The settings themselves were wrong: there is no journal yet.
    await writeError(`${error.message}\n`)
    process.exitCode = error.exitCode
  }
}
