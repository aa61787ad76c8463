#!/usr/bin/env node
// argv → command. The only file that sets an exit code.
import { fileURLToPath } from 'node:url'
import { type Command, CommanderError } from 'commander'
import { createConsole } from './commands/console.ts'
import type { Context } from './commands/context.ts'
import { CommandError, EXIT } from './commands/exit-codes.ts'
import { createProgram } from './commands/program.ts'
import { nearest } from './config/problem.ts'
import { ownVersion } from './lib/package-info.ts'

const context: Context = {
  env: process.env,
  console: createConsole(process.stdout, process.stderr, process.env),
  version: ownVersion(),
  entry: fileURLToPath(import.meta.url),
}

process.exitCode = await run(process.argv.slice(2))
// Whatever still holds the process (an idle socket of a client, a worker thread) has had its chance.
setTimeout(() => process.exit(), 1000).unref()

async function run(args: readonly string[]): Promise<number> {
  let code: number = EXIT.ok.code
  const program = createProgram(
    context,
    (exit) => {
      code = EXIT[exit].code
    },
    (exitCode) => {
      code = exitCode
    },
  )
  const unknown = unknownCommand(program, args[0])
  if (unknown !== undefined) {
    context.console.note(unknown)
    return EXIT.usage.code
  }
  try {
    await program.parseAsync([...args], { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? EXIT.ok.code : EXIT.usage.code
    if (!(error instanceof CommandError)) throw error
    context.console.note(`cursor-adapter: ${error.message}`)
    return EXIT[error.exit].code
  }
}

/** `serve` is the default, so commander would take a misspelt command for an argument of it. */
function unknownCommand(program: Command, first: string | undefined): string | undefined {
  if (first === undefined || first.startsWith('-')) return undefined
  const names = [...program.commands.map((command) => command.name()), 'help']
  if (names.includes(first)) return undefined
  const meant = nearest(first, names)
  const hint = meant === undefined ? `commands: ${names.join(', ')}` : `did you mean ${meant}?`
  return `cursor-adapter: unknown command '${first}'; ${hint} (see cursor-adapter --help)`
}
