// Runs the compiled command line in folders of its own.
import { spawn } from 'node:child_process'
import { CLI, DEMO_AGENT } from './service.ts'

export interface CliRun {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

export interface CliInit {
  /** HOME of the run; also where its own folder goes. */
  readonly home: string
  readonly env?: Readonly<Record<string, string>>
}

/** Environment of a run that sees nothing of the user's: no CLI on the PATH, its own home. */
export function ownEnv({ home, env = {} }: CliInit): Record<string, string> {
  return { PATH: '/nowhere', HOME: home, TMPDIR: home, ...env }
}

export const DEMO_ENV = { CURSOR_ADAPTER_CURSOR_CLI_PATH: DEMO_AGENT }

export function runCli(args: readonly string[], init: CliInit): Promise<CliRun> {
  const child = spawn(process.execPath, [CLI, ...args], {
    env: ownEnv(init),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output.stderr += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve({ code, ...output }))
  })
}
