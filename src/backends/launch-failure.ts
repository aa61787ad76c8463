// Why a child could not be started → failure event. Pure.
import type { Failure } from '../core/events.ts'
import { isErrno } from '../lib/errno.ts'
import { redact } from './redact.ts'

export interface LaunchFacts {
  /** Absolute path of the CLI. */
  readonly binary: string
  readonly binaryExists: boolean
  /** Whether the folder it should work in exists. */
  readonly folderExists: boolean
  readonly home: string
}

const NO_ROOM = ['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM']
const NOT_EXECUTABLE = ['EACCES', 'EPERM', 'ENOEXEC', 'ENOTDIR', 'ELOOP', 'EISDIR']

/** Source for the codes: posix_spawn and execve; Node reports a missing working folder as ENOENT of the command. */
export function launchFailure(error: unknown, facts: LaunchFacts): Failure {
  const binary = redact(facts.binary, facts.home)
  const code = isErrno(error) ? (error.code ?? '') : ''
  const failure = (code: Failure['code'], message: string): Failure => ({
    type: 'failure',
    code,
    message,
  })
  const mend = 'Install it again, or set cursor_cli_path.'
  if (!facts.folderExists) {
    return failure('invalid-request', 'The workspace folder does not exist any more.')
  }
  if (!facts.binaryExists || code === 'ENOENT') {
    return failure('cli-missing', `cursor-agent was not found at ${binary}. ${mend}`)
  }
  if (NOT_EXECUTABLE.includes(code)) {
    return failure('cli-missing', `cursor-agent at ${binary} cannot be run (${code}). ${mend}`)
  }
  if (NO_ROOM.includes(code)) {
    return failure('agent-failed', `The system has no room for another process (${code}).`)
  }
  const label = code || (error instanceof Error ? error.name : 'unknown error')
  return failure('agent-failed', `cursor-agent could not be started (${label}).`)
}
