// `--help`: the visible flags and the commands.
import { COMMANDS, OPTIONS } from './flags.ts'

export function helpText(): string {
  const visible = OPTIONS.filter((rule) => rule.hidden !== true)
  const width = Math.max(...visible.map((rule) => rule.spec.length))
  const options = visible.map((rule) => `  ${rule.spec.padEnd(width)}  ${rule.meaning}`)
  // Source: help of 2026.10.01, runs of 2026.08: `acp` is hidden.
  const commands = COMMANDS.filter((name) => name !== 'acp').map((name) => `  ${name}`)
  return [
    'Usage: agent [options] [command] [prompt...]',
    '',
    'The cursor-adapter demo agent: a stand-in for Cursor Agent that needs no account.',
    '',
    'Options:',
    ...options,
    '',
    'Commands:',
    ...commands,
  ].join('\n')
}
