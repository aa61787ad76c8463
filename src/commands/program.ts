// The command line as a tree of commands: names, options, help. What a command does is in its own file, loaded when
// it is called, so that `--help` and `status` do not load the service.
import { Command, InvalidArgumentError } from 'commander'
import { addRun, addSetup } from './clients-program.ts'
import type { Context } from './context.ts'
import { EXIT, type ExitName } from './exit-codes.ts'
import { configFlags, withConfigFlags } from './flags.ts'

/** Told how the command ended. */
type Done = (exit: ExitName) => void
/** Told the exit code of a client that the command stood in for. */
type DoneAs = (code: number) => void

/** More than the minute after which MCP clients give up by habit. */
const USUAL_WAIT_S = 75
const LONGEST_WAIT_S = 3600

const EXIT_LINES = Object.values(EXIT)
  .map(({ code, meaning }) => `  ${code}  ${meaning}`)
  .join('\n')

const examples = (...lines: readonly string[]): string =>
  `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`

export function createProgram(context: Context, done: Done, doneAs: DoneAs): Command {
  const program = new Command('cursor-adapter')
  program
    .description(
      "One Cursor plan behind every command-line AI tool: a local service that runs Cursor's agent.",
    )
    .version(context.version, '-v, --version', 'print the version')
    .showHelpAfterError('(see cursor-adapter --help)')
    .enablePositionalOptions()
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        'cursor-adapter',
        'cursor-adapter --port 8976',
        'cursor-adapter demo --once',
        'cursor-adapter doctor',
        'cursor-adapter setup claude-code',
      ),
    )
    .addHelpText('after', '\nOptions of the service: cursor-adapter serve --help')
    .addHelpText('after', `\nExit codes:\n${EXIT_LINES}`)
  addServe(program, context, done)
  addDemo(program, context, done)
  addDoctor(program, context, done)
  addQuestions(program, context, done)
  addSetup(program, context, done)
  addRun(program, context, doneAs)
  addService(program, context, done)
  return program
}

function addServe(program: Command, context: Context, done: Done): void {
  const command = program
    .command('serve', { isDefault: true })
    .description('start the service (what cursor-adapter without a command does)')
    .option(
      '--allow-missing-cli',
      "start even if Cursor's CLI is missing; requests fail until it is there",
    )
    .addHelpText(
      'after',
      examples(
        'cursor-adapter serve',
        'cursor-adapter --port 0 --log-level debug',
        'CURSOR_ADAPTER_POOL_WARM=2 cursor-adapter',
      ),
    )
  withConfigFlags(command, 'all').action(async (options: { allowMissingCli?: boolean }) => {
    const { readConfig } = await import('./context.ts')
    const loaded = readConfig(context, configFlags(options))
    const { serve } = await import('./serve.ts')
    done(await serve(context, loaded, { allowMissingCli: options.allowMissingCli === true }))
  })
}

function addDemo(program: Command, context: Context, done: Done): void {
  const command = program
    .command('demo')
    .description('the same service with a scripted agent behind it; no account needed')
    .option('--ask', 'ask one question over HTTP and print the answer as it streams')
    .option('--once', 'as --ask, then end')
    .addHelpText('after', examples('cursor-adapter demo', 'cursor-adapter demo --once --port 0'))
  withConfigFlags(command, 'all').action(async (options: { ask?: boolean; once?: boolean }) => {
    const { demo } = await import('./demo.ts')
    const wishes = { ask: options.ask === true, once: options.once === true }
    done(await demo(context, configFlags(options), wishes))
  })
}

function addDoctor(program: Command, context: Context, done: Done): void {
  const command = program
    .command('doctor')
    .description('check everything the service needs and name the fix for what is missing')
    .option('--prompt', 'also send one tiny prompt (costs a few tokens of the plan)')
    .option(
      '--tool-wait [seconds]',
      `also send one prompt whose tool is held back, to see whether Cursor waits for it (without a number: ${USUAL_WAIT_S})`,
      secondsOf,
    )
    .addHelpText(
      'after',
      examples(
        'cursor-adapter doctor',
        'cursor-adapter doctor --prompt',
        'cursor-adapter doctor --tool-wait 300',
      ),
    )
  type Options = { readonly prompt?: boolean; readonly toolWait?: number | true }
  withConfigFlags(command, 'file').action(async (options: Options) => {
    const { doctor } = await import('./doctor.ts')
    const toolWaitS = options.toolWait === true ? USUAL_WAIT_S : options.toolWait
    done(
      await doctor(context, configFlags(options), { prompt: options.prompt === true, toolWaitS }),
    )
  })
}

/** @throws InvalidArgumentError, which commander tells with the option's name. */
function secondsOf(text: string): number {
  const seconds = Number(text)
  if (seconds > 0 && seconds <= LONGEST_WAIT_S) return seconds
  throw new InvalidArgumentError(`expected seconds, more than 0 and at most ${LONGEST_WAIT_S}`)
}

function addQuestions(program: Command, context: Context, done: Done): void {
  const models = program
    .command('models')
    .description('list the models, from the running service or from the CLI')
    .addHelpText('after', examples('cursor-adapter models'))
  withConfigFlags(models, 'file').action(async (options: unknown) => {
    const { models } = await import('./models.ts')
    done(await models(context, configFlags(options)))
  })
  const status = program
    .command('status')
    .description('tell whether a service is running, where, and how it is')
    .addHelpText('after', examples('cursor-adapter status'))
  withConfigFlags(status, 'file').action(async (options: unknown) => {
    const { status } = await import('./status.ts')
    done(await status(context, configFlags(options)))
  })
}

function addService(program: Command, context: Context, done: Done): void {
  const service = program
    .command('service')
    .description(
      'run the service in the background: systemd user unit (Linux) or launchd agent (macOS)',
    )
    .addHelpText(
      'after',
      examples(
        'cursor-adapter service install --dry-run',
        'cursor-adapter service install',
        'cursor-adapter service status',
        'cursor-adapter service uninstall',
      ),
    )
  const install = service
    .command('install')
    .description('write the unit, enable and start it')
    .option('--config <file>', 'configuration file the service is started with')
    .option('--dry-run', 'print what would be written and run, and change nothing')
  install.action(async (options: { config?: string; dryRun?: boolean }) => {
    const { install } = await import('./service.ts')
    done(await install(context, { config: options.config, dryRun: options.dryRun === true }))
  })
  service
    .command('uninstall')
    .description('stop it and remove the unit')
    .action(async () => {
      const { uninstall } = await import('./service.ts')
      done(await uninstall(context))
    })
  service
    .command('status')
    .description('tell whether the unit is installed and running')
    .action(async () => {
      const { serviceStatus } = await import('./service.ts')
      done(await serviceStatus(context))
    })
}
