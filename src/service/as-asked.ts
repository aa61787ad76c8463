// A run whose reply keeps to what the request says of it: token limit, stop sequences, the form of the answer.
import type { RunId } from '../core/ids.ts'
import type { Job } from '../core/job.ts'
import type { Run } from '../core/run.ts'
import type { Turn } from '../core/turn.ts'
import { formattedRun } from './answer-format.ts'
import { limitedRun } from './reply-limits.ts'

/** `again`: submits another run of the same kind with this prompt. The very run where the request asks for nothing of it. */
export function asAsked(turn: Turn, run: Run, again: (prompt: string) => Run): Run {
  return formattedRun(limitedRun(run, turn), turn.format, (prompt) =>
    limitedRun(again(prompt), turn),
  )
}

/** The job of asking for the same answer in another form. It only writes text: read-only, so that no work is done twice. */
export function rewriting(
  { profile, limits }: Pick<Job, 'profile' | 'limits'>,
  runId: RunId,
  text: string,
): Job {
  const { offer: _offer, rules: _rules, resume: _resume, ...bare } = profile
  return {
    runId,
    profile: { ...bare, mode: 'ask', digest: '' },
    prompt: { text, images: [] },
    limits,
  }
}
