// One exchange's view of a reply that it may share with others.
import type { Answer } from '../core/answer.ts'
import type { SessionId } from '../core/ids.ts'
import type { Start } from '../core/telemetry.ts'
import type { Reply } from './reply.ts'

export interface Handed {
  readonly reply: Reply
  /** How this exchange got its reply, when not by a run of its own. */
  readonly start: Start | undefined
  readonly session: SessionId | undefined
  readonly graceMs: number
  readonly settle: () => void
}

/** The Answer that http reads; its release decides whether the run goes on. */
export async function handOut(handed: Handed): Promise<Answer> {
  const { reply, graceMs } = handed
  const reader = reply.read()
  const inputTokens = await reply.inputTokens
  let released = false
  return {
    mode: reply.mode,
    backend: reply.backend,
    model: reply.model,
    session: handed.session,
    inputTokens,
    start: () => handed.start ?? reply.run.marks().start ?? 'cold',
    marks: () => reply.run.marks(),
    next: () => reader.next(),
    release(delivered) {
      if (released) return
      released = true
      reply.release(reader, delivered)
      if (reply.terminal !== undefined) {
        if (reply.readers > 0) return
        handed.settle()
        if (!delivered && reply.awaitsClient) leave(reply, graceMs)
        return
      }
      if (reply.readers === 0) leave(reply, graceMs)
    },
  }
}

/** The last reader is gone: the run goes on for the grace, so that a client that comes back finds it. */
function leave(reply: Reply, graceMs: number): void {
  if (graceMs === 0) {
    reply.cancel('client-gone')
    return
  }
  void reply.drain()
  setTimeout(() => {
    if (reply.readers === 0) reply.cancel('client-gone')
  }, graceMs).unref()
}
