// The agent program run directly, the way a person or a script would: prompt on stdin, answer on stdout.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const AGENT = fileURLToPath(new URL('../../../src/demo-agent/main.js', import.meta.url))
const ARGS = ['-p', '--output-format', 'stream-json', '--stream-partial-output', '--trust']

/** The same flags that the service passes. */
export function agentArgs(): string[] {
  return [AGENT, ...ARGS, '--model', 'auto', '--workspace', process.cwd()]
}

/** Folders as the service gives them: the program keeps its chats there, between prompt and first word. */
export function agentFolders(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'agent-'))
  return { CURSOR_CONFIG_DIR: join(folder, 'config'), CURSOR_DATA_DIR: join(folder, 'data') }
}

export function startAgent(folders: NodeJS.ProcessEnv): ChildProcessWithoutNullStreams {
  const env = { ...process.env, ...folders }
  return spawn(process.execPath, agentArgs(), { stdio: ['pipe', 'pipe', 'pipe'], env })
}
