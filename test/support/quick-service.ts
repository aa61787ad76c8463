// The service as a program, with a shorter time between signs of life than any setting allows.
// Arguments: keep-alive time in milliseconds. Otherwise configured like `serve`, by its environment.

import { stopSignals } from '../../src/commands/signals.ts'
import { loadConfig } from '../../src/config/load.ts'
import { createLogger } from '../../src/ops/log.ts'
import { startService } from '../../src/serve.ts'

const { config, home } = loadConfig({ env: process.env, flags: { port: '0' } })
const signals = stopSignals()
const service = await startService({
  config,
  home,
  env: process.env,
  logger: createLogger({ level: config.log.level, redact: (text) => text }),
  redact: (text) => text,
  version: '0.0.0',
  timing: { keepAliveMs: Number(process.argv[2]) },
})
process.stdout.write(`listening on ${service.url}\n`)
await signals.first
await service.close(1000)
process.exit()
