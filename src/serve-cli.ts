// The CLI as the service sees it: where it is, its version, its model list, what /health says of it.
import { cliOutput, cliVersion, findCli } from './process/cli.ts'
import { childEnvironment } from './process/environment.ts'
import type { ServiceInput } from './serve.ts'
import type { Folders } from './serve-folders.ts'
import { type CliState, type CliWatch, createCliWatch } from './service/cli-watch.ts'
import { seedConfig } from './workspace/cursor-home.ts'
import { createScratch, removeScratch } from './workspace/scratch.ts'

const VERSION_MS = 10_000
const LIST_MS = 20_000

export function watchCli({ config, env, logger }: ServiceInput): CliWatch {
  return createCliWatch({
    find: async () => findCli(config.cursor_cli_path, env),
    async version(path) {
      const childEnv = childEnvironment(env, config.cursor.env, '')
      const version = await cliVersion(path, { timeoutMs: VERSION_MS, env: childEnv })
      if (!version.ok) throw new Error(`${path} ${version.reason}`)
      if (!version.usual) logger.warn('unusual CLI version', { version: version.version })
      return version.version
    },
    logger,
    now: Date.now,
  })
}

/**
 * Output of the CLI's model list, run in a configuration folder of its own.
 * Source: `agent models` and `agent --list-models` print the same; builds are assumed to know at least one of them.
 */
export async function listModels(
  watch: CliWatch,
  folders: Folders,
  { config, env }: ServiceInput,
): Promise<string> {
  const { binary } = watch.require()
  const scratch = await createScratch(folders.scratchRoot, folders.instance)
  try {
    const childEnv = childEnvironment(env, config.cursor.env, folders.instance)
    if (config.cursor.config_dir === 'private') {
      await seedConfig(scratch.config, env, { sealed: false })
      childEnv.CURSOR_CONFIG_DIR = scratch.config
    }
    const options = { timeoutMs: LIST_MS, env: childEnv, cwd: scratch.work }
    const first = await cliOutput(binary, ['models'], options)
    if (first.ok && first.stdout.includes(' - ')) return first.stdout
    const second = await cliOutput(binary, ['--list-models'], options)
    if (!second.ok) throw new Error(`the model list command ${second.reason}`)
    return second.stdout
  } finally {
    await removeScratch(scratch)
  }
}

export function health(cli: CliState): { readonly available: boolean; readonly reason?: string } {
  return cli.at === 'available' ? { available: true } : { available: false, reason: cli.reason }
}
