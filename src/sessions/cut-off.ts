// A client that does not repeat a broken request but asks to go on from where the reply broke off. Pure.
import type { Message } from '../core/turn.ts'

/**
 * Source: Claude Code 2.1.332 and the Claude Agent SDK 0.3.332. When a stream ends with an error after whole blocks were
 * shown, they send the conversation again with those blocks as the assistant's turn and one such user message, up to three
 * times, each time on top of the last; sub-agents have other words after this beginning (seen by `npm run test:clients`).
 */
const CUT_OFF = /^\s*<system-reminder>\s*Your response above was cut off mid-stream/

/** The messages of the request whose reply broke off; undefined where nobody asks to go on. */
export function beforeCutOff(messages: readonly Message[]): readonly Message[] | undefined {
  let end = messages.length
  for (;;) {
    const asked = lastSpoken(messages, end)
    const message = messages[asked]
    if (message === undefined || !asksToGoOn(message)) break
    end = asked
    for (let at = lastSpoken(messages, end); messages[at]?.role === 'assistant'; ) {
      end = at
      at = lastSpoken(messages, end)
    }
  }
  return end === messages.length ? undefined : messages.slice(0, end)
}

/** Index of the last message before `end` that is no system text; -1 for none. */
function lastSpoken(messages: readonly Message[], end: number): number {
  return messages.slice(0, end).findLastIndex(({ role }) => role !== 'system')
}

function asksToGoOn({ role, parts }: Message): boolean {
  return (
    role === 'user' &&
    parts.length > 0 &&
    parts.every((part) => part.type === 'text' && CUT_OFF.test(part.text))
  )
}
