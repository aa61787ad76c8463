// `setup` and `run` as commands: names, options, help.
import { type Command, Option } from 'commander'
import type { Context } from './context.ts'
import type { ExitName } from './exit-codes.ts'
import { configFlags, withConfigFlags } from './flags.ts'

const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`

const MODEL = 'model the client shall ask for (default: auto, or its own names where they work)'

interface SetupWishes {
  readonly write?: boolean
  readonly dryRun?: boolean
  readonly undo?: boolean
  readonly model?: string
}

export function addSetup(program: Command, context: Context, done: (exit: ExitName) => void): void {
  const command = program
    .command('setup')
    .description('print what to put into a client, or put it there; without a name: the clients')
    .argument('[client]', 'claude-code, opencode, codex, hermes, …')
    .addOption(
      new Option('--write', "put it into the client's own file, keeping a copy").conflicts('undo'),
    )
    .option('--dry-run', 'show what --write would change, and change nothing')
    .option('--undo', 'take back what --write did')
    .option('--model <name>', MODEL)
    .addHelpText(
      'after',
      examples(
        'cursor-adapter setup claude-code',
        'cursor-adapter setup codex --dry-run',
        'cursor-adapter setup opencode --write',
        'cursor-adapter setup opencode --undo',
      ),
    )
  withConfigFlags(command, 'file').action(
    async (name: string | undefined, options: SetupWishes) => {
      const { setup } = await import('./setup.ts')
      const { model } = options
      done(await setup(context, configFlags(options), name, { act: actOf(options), model }))
    },
  )
}

function actOf({ write, dryRun, undo }: SetupWishes): 'print' | 'write' | 'dry-run' | 'undo' {
  if (undo === true) return 'undo'
  if (dryRun === true) return 'dry-run'
  return write === true ? 'write' : 'print'
}

export function addRun(program: Command, context: Context, done: (code: number) => void): void {
  const command = program
    .command('run')
    .description('start a client on this service for one run; no file of yours is changed')
    .argument('<client>', 'claude-code, codex, opencode, qwen-code, hermes')
    .argument('[args...]', "the client's own arguments")
    .option('--model <name>', MODEL)
    // Options behind the client's name are the client's.
    .passThroughOptions()
    .addHelpText(
      'after',
      examples(
        'cursor-adapter run claude-code',
        'cursor-adapter run codex exec "explain this folder"',
        'cursor-adapter run --model gpt-5.5 opencode',
      ),
    )
    .addHelpText('after', "\nThe exit code is the client's. A service is started if none runs.")
  withConfigFlags(command, 'file').action(
    async (name: string, args: readonly string[], options: { readonly model?: string }) => {
      const { run } = await import('./run.ts')
      done(await run(context, configFlags(options), name, args, { model: options.model }))
    },
  )
}
