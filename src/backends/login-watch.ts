// Notices a CLI that asks for a login and then waits for a person: nobody sits there, it would wait until the deadline.
import { asksForLogin } from './classify.ts'

const LOOK_EVERY_MS = 250
/** A login hint followed by this much silence is a wait; a hint before an exit ends the run by the exit. */
const QUIET_MS = 2_500

/**
 * Calls `onWaiting` once when what the child wrote as plain text asks for a login and nothing was added for 2.5 s.
 * `read` gives that text, undefined once the child speaks its protocol (then the watch is over). Returns the stop.
 */
export function watchForLogin(read: () => string | undefined, onWaiting: () => void): () => void {
  let before = ''
  let quietMs = 0
  const timer = setInterval(() => {
    const text = read()
    if (text === undefined) {
      clearInterval(timer)
      return
    }
    quietMs = text === before ? quietMs + LOOK_EVERY_MS : 0
    before = text
    if (quietMs < QUIET_MS || !asksForLogin(text)) return
    clearInterval(timer)
    onWaiting()
  }, LOOK_EVERY_MS)
  return () => clearInterval(timer)
}
