// All findings, in the order in which one builds on another.
import { acp } from './acp.ts'
import { binary } from './binary.ts'
import { config } from './config.ts'
import { configIsolation } from './config-isolation.ts'
import type { Finding } from './finding.ts'
import { login } from './login.ts'
import { models } from './models.ts'
import { nodeVersion } from './node-version.ts'
import { port } from './port.ts'
import { ps } from './ps.ts'
import { resume } from './resume.ts'
import { scratchRoot } from './scratch-root.ts'
import { stdinPrompt } from './stdin-prompt.ts'
import { toolWait } from './tool-wait.ts'

export const FINDINGS: readonly Finding[] = [
  nodeVersion,
  config,
  binary,
  login,
  models,
  configIsolation,
  acp,
  ps,
  scratchRoot,
  port,
  stdinPrompt,
  resume,
  toolWait,
]
