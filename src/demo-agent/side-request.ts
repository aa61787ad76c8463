// Requests that want a bare word, a title or JSON: whatever is said goes straight into a window title or a parser, so
// the demo's notice has no place there. Pure.
import { lastUserText, sectionsOf } from './last-words.ts'

/**
 * Source: clients' own title requests (OpenCode: "Generate a title for this conversation:"; older Claude Code:
 * isNewTopic).
 */
const TITLE =
  /generate a (?:short |brief |concise )?title|you are a title generator|isNewTopic|summarize this coding conversation in under|title for (?:this|the) (?:conversation|chat|session)/iu
const JSON_WANTED =
  /\b(?:respond|reply|answer|return|output)\b[^\n]{0,60}\bjson\b|\bjson only\b|\bonly (?:valid )?json\b/iu
const BARE =
  /\b(?:one|a single|1)[ -]word\b|\b(?:number|yes or no|word) only\b|\bonly (?:the|a) (?:number|word)\b/iu
/** `say hello`, `Reply with exactly: OK`, but not `Explain it. Answer briefly.` */
const SAY =
  /(?:^(?:please )?(?:reply|respond|answer|say)|\b(?:reply|respond|answer|say)(?=:| ["'`]| (?:with|exactly|only|just)\b))(?: (?:with|exactly|only|just|the|single|word|text|nothing but|:))*:? ["'`]?([\p{L}\p{N}_-]{1,40})["'`]?(?: and nothing else)?[.!]?$/iu
const COUNT = /\bcount (?:from (?:1|one) )?(?:up )?to (\d{1,4})\b/iu

/** The bare answer, or undefined for an ordinary request. */
export function sideAnswer(prompt: string): string | undefined {
  const said = lastUserText(prompt)
  if (TITLE.test(prompt) && !isUnderWay(prompt)) {
    // The instruction is a line of its own; the rest is what the title is for.
    const title = titleOf(
      said
        .split('\n')
        .filter((line) => !TITLE.test(line))
        .join('\n'),
    )
    return /isNewTopic/u.test(prompt) ? JSON.stringify({ isNewTopic: true, title }) : title
  }
  if (JSON_WANTED.test(said)) return JSON.stringify({ answer: titleOf(said), demo: true })
  const counted = COUNT.exec(said)?.[1]
  if (counted !== undefined) return countTo(Number(counted))
  const word = SAY.exec(said)?.[1]
  if (word !== undefined) return word
  if (BARE.test(said)) return 'Demo'
  return /^warmup$/iu.test(said) ? 'Ready' : undefined
}

/** True once somebody has answered or a tool was used: a conversation that merely mentions titles. */
function isUnderWay(prompt: string): boolean {
  const sections = sectionsOf(prompt)
  const begun = sections.findIndex((section) => section.speaker === 'user')
  return sections
    .slice(begun)
    .some(({ speaker, text }) => speaker === 'other' && text.trim() !== '')
}

function titleOf(text: string): string {
  const words = text.match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? []
  return words.slice(0, 6).join(' ') || 'Demo conversation'
}

function countTo(last: number): string {
  return Array.from({ length: last }, (_entry, at) => String(at + 1)).join(' ')
}
