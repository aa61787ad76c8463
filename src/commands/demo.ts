// `demo`: the same service with our scripted agent behind it, for a look without an account.
import { fileURLToPath } from 'node:url'
import { askItself } from './ask.ts'
import { type ConfigFlags, type Context, readConfig } from './context.ts'
import type { ExitName } from './exit-codes.ts'
import { serve } from './serve.ts'

export interface DemoOptions {
  /** Ask one question over HTTP and print the answer as it streams. */
  readonly ask: boolean
  /** End after that answer. */
  readonly once: boolean
}

const DEMO_AGENT = fileURLToPath(new URL('../demo-agent/main.js', import.meta.url))

export async function demo(
  context: Context,
  flags: ConfigFlags,
  options: DemoOptions,
): Promise<ExitName> {
  // A demo is looked at: lines for machines only when something is wrong, unless asked for.
  const level = flags.values?.['log.level'] ?? context.env.CURSOR_ADAPTER_LOG_LEVEL ?? 'warn'
  const values = { ...flags.values, cursor_cli_path: DEMO_AGENT, 'log.level': level }
  const loaded = readConfig(context, { ...flags, values })
  context.console.line(
    'This is a demo: a scripted agent answers, no account is used and nothing leaves this machine.',
  )
  return serve(context, loaded, {
    allowMissingCli: false,
    meanwhile: async (service, welcomed) => {
      await welcomed
      if (options.ask || options.once) {
        await askItself(context.console, service.url, loaded.config.api_key)
      }
      if (options.once) return
      context.console.line('The service stays up; stop it with Ctrl-C.')
      await new Promise<never>(() => undefined)
    },
  })
}
