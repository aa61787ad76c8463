// All clients of the suite, in the order of the table, and those that cannot be part of it.
import type { Client } from './client.ts'
import {
  aider,
  claudeCodeRouter,
  cline,
  codex,
  codexChat,
  hermes,
  opencode,
  pi,
  qwenCode,
} from './entries/agents.ts'
import { agentSdk, agentSdkPython, claudeCode } from './entries/claude.ts'
import { LIBRARIES } from './entries/libraries.ts'

export const CLIENTS: readonly Client[] = [
  claudeCode,
  agentSdk,
  agentSdkPython,
  opencode,
  codex,
  codexChat,
  hermes,
  qwenCode,
  cline,
  pi,
  aider,
  claudeCodeRouter,
  ...LIBRARIES,
]

/** Clients that cannot be run by the suite, each with the reason. */
export const NOT_RUN: readonly { readonly name: string; readonly reason: string }[] = [
  {
    name: 'Crush 0.96.1',
    reason:
      'its npm package downloads a program from outside the registry when it is installed; it speaks chat completions as OpenCode does',
  },
]
