// All clients, in the order in which they are listed.
import { claudeCode } from './claude-code.ts'
import type { Client } from './client.ts'
import { codex } from './codex.ts'
import { hermes } from './hermes.ts'
import { anthropicSdk, curl, litellm, openaiSdk, vercelAi } from './libraries.ts'
import { opencode } from './opencode.ts'
import { aider, claudeCodeRouter, cline, crush, pi } from './other-agents.ts'
import { qwenCode } from './qwen-code.ts'

export const CLIENTS: readonly Client[] = [
  claudeCode,
  opencode,
  codex,
  hermes,
  qwenCode,
  crush,
  cline,
  pi,
  aider,
  claudeCodeRouter,
  litellm,
  openaiSdk,
  anthropicSdk,
  vercelAi,
  curl,
]

export const clientNamed = (name: string): Client | undefined =>
  CLIENTS.find((client) => client.name === name)
