// The documented fallback for CLI versions that do not read their prompt from stdin: a POSIX shell reads our stdin to its
// end and then becomes the CLI (same process, same group) with the text as its last argument. Pure.
// So a child is still started, watched and ended the same way, and can even wait warm. Short prompts only: one argument
// may have 131,071 bytes on Linux; a longer one ends with "Argument list too long", which failure-rules.ts explains.

/** Keeps trailing newlines (a bare `$(cat)` would cut them) and gives the CLI an empty stdin, or it would wait for it. */
// biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's placeholder, not ours
const SCRIPT = 'prompt=$(cat; printf x); exec "$@" -- "${prompt%x}" </dev/null'

export interface Command {
  readonly command: string
  readonly args: readonly string[]
}

/** The command that reads a prompt from stdin and runs `command` with it in argv. Not for Windows: it has no `sh`. */
export function promptInArgv(command: string, args: readonly string[], node: string): Command {
  const program = /\.[cm]?js$/.test(command) ? [node, command] : [command]
  return { command: '/bin/sh', args: ['-c', SCRIPT, 'sh', ...program, ...args] }
}
