// What of a turn's user messages a person really wrote: reminders, environment and interrupt notes are the client's. Pure.
import type { Message, Turn } from '../core/turn.ts'

/** Blocks that clients put into user messages by themselves. */
const CLIENT_BLOCKS: readonly { readonly open: string; readonly close: string }[] = [
  // Source: Claude Code 2.1.332, first user message and after tool results.
  { open: '<system-reminder>', close: '</system-reminder>' },
  // Source: Codex CLI 0.171.0, user items before the prompt.
  { open: '<environment_context>', close: '</environment_context>' },
  { open: '<user_instructions>', close: '</user_instructions>' },
]

// Source: Claude Code 2.1.332 after Esc in the middle of an answer.
const INTERRUPTED = '[Request interrupted by user'

/** The text of a message's text parts without what the client added; '' when nothing is left. */
export function realText(message: Message): string {
  const texts = message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return texts
    .map((text) => withoutClientBlocks(text).trim())
    .filter((text) => text !== '' && !text.startsWith(INTERRUPTED))
    .join('\n')
}

/** The first thing that the user said, '' when the turn holds no user text. */
export function firstRealText(turn: Turn): string {
  for (const message of turn.messages) {
    const text = message.role === 'user' ? realText(message) : ''
    if (text !== '') return text
  }
  return ''
}

/** A block that holds only what the client itself put there: the words, '' for interrupt notes. Undefined = a person wrote. */
export function clientWords(text: string): string | undefined {
  const written = withoutClientBlocks(text).replaceAll(INTERRUPT_NOTE, '').trim()
  return written === '' ? text.replaceAll(INTERRUPT_NOTE, '').trim() : undefined
}

/** Source: as above; `for tool use` when a tool was running or asked for. */
const INTERRUPT_NOTE = /^[ \t]*\[Request interrupted by user(?: for tool use)?\][ \t]*$/gm

/** Cuts out the blocks; linear, and an opening without its end is kept as text. */
function withoutClientBlocks(text: string): string {
  let rest = text
  for (const { open, close } of CLIENT_BLOCKS) {
    if (!rest.includes(open)) continue
    const kept: string[] = []
    let at = 0
    for (;;) {
      const start = rest.indexOf(open, at)
      const end = start < 0 ? -1 : rest.indexOf(close, start)
      if (end < 0) break
      kept.push(rest.slice(at, start))
      at = end + close.length
    }
    kept.push(rest.slice(at))
    rest = kept.join('')
  }
  return rest
}
