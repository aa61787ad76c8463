// Launch profile → argument vector of the CLI. Pure. No key ever stands in it, and no prompt: see argv-prompt.ts.
import type { LaunchProfile } from '../../core/job.ts'

/** `--mode agent` is refused by the CLI: agent is what it does without the flag. Source: 2026.08.25, exit 1. */
function modeFlag(profile: LaunchProfile): readonly string[] {
  // The client's tools do the work, whatever it is; Cursor's own are denied one by one.
  if (profile.mode === 'bridge') return []
  if (profile.mode === 'plan') return ['--mode', 'plan']
  if (profile.mode === 'ask' || profile.permissions === 'read-only') return ['--mode', 'ask']
  return []
}

/**
 * Arguments for one run; `folder` is the absolute path of the folder it works in. `--model` is always there, because the
 * CLI stores the last choice for all its users; `--trust` too, because it refuses unknown folders without it.
 * Source: `--help` of 2026.10.01 and captures of that version.
 */
export function printArgs(profile: LaunchProfile, folder: string): string[] {
  const mode = modeFlag(profile)
  // Assumed: force would let a read-only mode run commands. Not worth finding out on somebody's project.
  const mayBeForced = mode.length === 0 && profile.mode !== 'bridge'
  const isForced = profile.permissions === 'full' && mayBeForced
  return [
    '-p',
    '--output-format',
    'stream-json',
    '--stream-partial-output',
    '--trust',
    '--model',
    profile.model,
    '--workspace',
    folder,
    ...(profile.resume === undefined ? [] : ['--resume', profile.resume.chatId]),
    ...mode,
    ...(isForced ? ['--force'] : []),
    ...(profile.sandbox === 'default' ? [] : ['--sandbox', profile.sandbox]),
    // In mode bridge the only server there is is ours.
    ...(profile.approveMcps || profile.mode === 'bridge' ? ['--approve-mcps'] : []),
  ]
}
