// The Claude Agent SDK, in a small program of its own that prints every message as a JSON line.
import { join } from 'node:path'
import { ROOT } from '../support/service.ts'
import type { Client } from './client.ts'

export const agentSdk: Client = {
  name: 'Claude Agent SDK',
  package: '@anthropic-ai/claude-agent-sdk',
  version: '0.3.332',
  command: (folder, { prompt, goOn, project }) => [
    process.execPath,
    join(ROOT, 'test/clients/agent-sdk-program.mjs'),
    join(folder, 'node_modules/@anthropic-ai/claude-agent-sdk'),
    JSON.stringify({ prompt, project, goOn: goOn === true }),
  ],
}
