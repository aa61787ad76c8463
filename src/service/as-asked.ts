// A run whose reply keeps to what the request says of it: token limit, stop sequences, the form of the answer.
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
export function rewriting(job: Pick<Job, 'profile' | 'limits' | 'runId'>, text: string): Job {
  // Nor does it need the client's tools.
  const { offer: _, ...profile } = job.profile
  return { ...job, profile: { ...profile, mode: 'ask' }, prompt: { text, images: [] }, keep: false }
}
