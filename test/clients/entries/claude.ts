// Claude Code and the Claude Agent SDK in both languages: print mode, every message as a JSON line.
import { join } from 'node:path'
import type { Ask, Client, Env } from '../client.ts'
import { npm, python } from '../install.ts'
import { exported, setup } from '../set-up.ts'

const PROGRAMS = join(import.meta.dirname, '../programs').replace(/[\\/]dist(?=[\\/]test)/, '')

/** Source: the clients' own settings pages. */
const env = ({ project, handsOver }: Ask): Env => ({
  ...(handsOver ? { ANTHROPIC_CUSTOM_HEADERS: `X-Cursor-Workspace: ${project}` } : {}),
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  // As root it refuses to run without questions unless it is told that it is in a container.
  IS_SANDBOX: '1',
})

const SAY = ['--output-format', 'stream-json', '--verbose']
const UNASKED = '--dangerously-skip-permissions'
const READ = { tool: 'Read', input: (file: string) => ({ file_path: file }) }

export const claudeCode: Client = {
  name: 'Claude Code',
  version: '2.1.332',
  packages: [npm('@anthropic-ai/claude-code', '2.1.332')],
  quick: 'all',
  prepare: (ask) => setup(['claude-code', '--write'], ask),
  command: ({ prompt, goOn, careful }) => [
    'claude',
    ...(goOn ? ['--continue'] : []),
    '-p',
    prompt,
    ...SAY,
    ...(careful ? [] : [UNASKED]),
  ],
  env,
  printsMessages: true,
  canAsk: true,
  setup: {
    name: 'claude-code',
    writes: true,
    file: {
      path: '.claude/settings.json',
      text: '{\n  "includeCoAuthoredBy": false,\n  "env": { "FOO": "1" }\n}\n',
    },
    runArgs: ({ prompt }) => ['-p', prompt, ...SAY, UNASKED],
  },
  toolLoop: READ,
}

export const agentSdk: Client = {
  name: 'Claude Agent SDK (TypeScript)',
  version: '0.3.332',
  packages: [npm('@anthropic-ai/claude-agent-sdk', '0.3.332')],
  command: ({ prompt, goOn, project, readsProject }, [folder = '']) => [
    process.execPath,
    join(PROGRAMS, 'agent-sdk.mjs'),
    join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk'),
    JSON.stringify({ prompt, project, goOn, readsProject }),
  ],
  env: (ask) => ({ ...env(ask), ...exported('anthropic-sdk', ask) }),
  printsMessages: true,
  toolLoop: READ,
}

export const agentSdkPython: Client = {
  name: 'Claude Agent SDK (Python)',
  version: '0.2.189',
  packages: [python('claude-agent-sdk', '0.2.189'), npm('@anthropic-ai/claude-code', '2.1.332')],
  command: ({ prompt, goOn, project }) => [
    'python3',
    join(PROGRAMS, 'agent_sdk.py'),
    JSON.stringify({ prompt, project, goOn }),
  ],
  env: (ask) => ({ ...env(ask), ...exported('anthropic-sdk', ask) }),
  toolLoop: READ,
}
