// The profile to warm before any request came: what a plain question with default settings would need.
import type { LaunchProfile } from '../core/job.ts'
import type { Turn } from '../core/turn.ts'
import type { AnswererParts } from './parts.ts'
import { chooseMode, plan } from './plan.ts'

const PLAIN_QUESTION: Turn = {
  api: 'chat',
  model: '',
  messages: [{ role: 'user', parts: [] }],
  tools: [],
  toolChoice: { kind: 'auto' },
  parallelToolCalls: true,
  effort: undefined,
  thinking: undefined,
  maxOutputTokens: undefined,
  stop: [],
  reply: { stream: true, usageChunk: false },
  bodyIds: {
    userId: undefined,
    promptCacheKey: undefined,
    conversation: undefined,
    previousResponseId: undefined,
  },
}

/** @throws Refusal where such a question would be refused (no CLI, a default workspace that does not exist). */
export async function firstProfile(
  parts: Pick<AnswererParts, 'cli' | 'chooseModel' | 'workspace' | 'settings' | 'backend'>,
): Promise<LaunchProfile> {
  const cli = await parts.cli()
  const { id: model } = await parts.chooseModel(PLAIN_QUESTION)
  const workspace = await parts.workspace(PLAIN_QUESTION, null)
  const { settings } = parts
  return plan(PLAIN_QUESTION, {
    settings,
    backend: parts.backend({ cli, inWorkspace: workspace !== undefined, before: undefined }),
    binary: cli.binary,
    cliVersion: cli.version,
    promptVia: cli.promptVia,
    model,
    workspace,
    mode: chooseMode(PLAIN_QUESTION, {
      header: null,
      setting: settings.mode,
      workspaceHeader: null,
    }),
  }).profile
}
