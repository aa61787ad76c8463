// Launch profile → argument vector of the CLI in ACP mode. Pure.
import type { LaunchProfile } from '../../core/job.ts'

/**
 * Global flags stand before `acp`. The model is always Auto here and set per session: the flag is only the process's
 * default, and without it the last choice of any other run would be taken. No `--workspace` (each session has its own
 * folder), no `--force` (it would also hold for sessions in read-only modes: permissions.ts answers each question
 * instead) and no `--trust` (ACP has no trust gate, and together with a scratch folder it broke the launch of 2026.09.02).
 * Source: `--help` of 2026.10.01; probes of 2026.08.11; reports of hosts.
 */
export function acpArgs(
  profile: Pick<LaunchProfile, 'approveMcps' | 'sandbox' | 'mode'>,
): string[] {
  return [
    // In mode bridge the only server there is is ours.
    ...(profile.approveMcps || profile.mode === 'bridge' ? ['--approve-mcps'] : []),
    ...(profile.sandbox === 'default' ? [] : ['--sandbox', profile.sandbox]),
    '--model',
    'auto',
    'acp',
  ]
}
