// A run whose events are changed on their way; everything else is the run's own.
import type { Run } from '../core/run.ts'

export function runWith(run: Run, changed: Pick<Run, 'next'> & Partial<Run>): Run {
  return {
    id: run.id,
    backend: run.backend,
    settled: run.settled,
    cancel: (cause) => run.cancel(cause),
    marks: () => run.marks(),
    toolToken: () => run.toolToken?.(),
    park: () => run.park?.() ?? false,
    unpark: async () => (await run.unpark?.()) ?? false,
    kept: () => run.kept?.(),
    ...changed,
  }
}
