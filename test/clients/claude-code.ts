// Claude Code in print mode. Source: its command line help; every message as a JSON line.
import { join } from 'node:path'
import type { Client } from './client.ts'

export const claudeCode: Client = {
  name: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  version: '2.1.332',
  command: (folder, { prompt, goOn }) => [
    join(folder, 'node_modules/.bin/claude'),
    ...(goOn === true ? ['--continue'] : []),
    '-p',
    prompt,
    '--output-format',
    'stream-json',
    '--verbose',
    '--dangerously-skip-permissions',
  ],
}
