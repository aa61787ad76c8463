// All findings, in the order in which one builds on another.
import { binary } from './binary.ts'
import { config } from './config.ts'
import { configIsolation } from './config-isolation.ts'
import type { Finding } from './finding.ts'
import { login } from './login.ts'
import { models } from './models.ts'
import { nodeVersion } from './node-version.ts'
import { port } from './port.ts'
import { ps } from './ps.ts'
import { scratchRoot } from './scratch-root.ts'
import { stdinPrompt } from './stdin-prompt.ts'

export const FINDINGS: readonly Finding[] = [
  nodeVersion,
  config,
  binary,
  login,
  models,
  configIsolation,
  ps,
  scratchRoot,
  port,
  stdinPrompt,
]
