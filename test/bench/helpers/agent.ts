// The agent program run directly, the way a person or a script would: prompt on stdin, answer on stdout.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const AGENT = fileURLToPath(new URL('../../../src/demo-agent/main.js', import.meta.url))
const ARGS = ['-p', '--output-format', 'stream-json', '--stream-partial-output', '--trust']

/** The same flags that the service passes. */
export function agentArgs(): string[] {
  return [AGENT, ...ARGS, '--model', 'auto', '--workspace', process.cwd()]
}

export function startAgent(): ChildProcessWithoutNullStreams {
  return spawn(process.execPath, agentArgs(), { stdio: ['pipe', 'pipe', 'pipe'] })
}
