// The last thing a user said, from a prompt that may be one plain text or a whole rendered conversation.
// Pure and tolerant: it knows no particular format, only headings that name a speaker.

/** `=== user ===`, also with words after the speaker: `=== assistant: answer now ===`. */
const STRICT = /^={3,} *(user|human|assistant|system|tool|result)\b[^\n]*={3,} *$/gimu
/** `## User`, `[user]`, `<user>`, `**User:**`, `User:`, alone on a line. */
const LOOSE =
  /^ *(?:#{1,6} +|[[<]|\*\*)?(user|human|assistant|system|developer|tool)(?:[\]>]|:?\*\*|:)? *$/gimu
/** A line that is only the word is text. */
const BARE_WORD = /^ *[a-z]+ *$/iu

/** Blocks that clients put into user messages and that no person wrote. */
const CLIENT_BLOCKS =
  /<(system-reminder|command-[a-z-]+|local-command-[a-z-]+|environment_context|user_instructions)>[\s\S]*?<\/\1>/gu

/** What cursor-adapter says about tools at both ends of a prompt without headings (mode bridge). */
const GROUNDING =
  /^Your tools are those of the MCP server [\s\S]*?(?:\n\n|$(?![\s\S]))|^Remember: only the tools of [^\n]*$/gmu

const spokenIn = (text: string): string =>
  text.replaceAll(CLIENT_BLOCKS, '').replaceAll(GROUNDING, '').trim()

export interface Section {
  readonly speaker: 'user' | 'other'
  /** The line that names the speaker; '' where there is none. */
  readonly heading: string
  readonly text: string
}

/** '' when nobody said anything. */
export function lastUserText(prompt: string): string {
  const spoken = sectionsOf(prompt)
    .filter((section) => section.speaker === 'user')
    .map((section) => spokenIn(section.text))
    .filter((text) => text !== '')
  return spoken.at(-1) ?? ''
}

/** The prompt cut at its headings; one user section where there are none. */
export function sectionsOf(prompt: string): readonly Section[] {
  const headings = headingsIn(prompt, STRICT) ?? headingsIn(prompt, LOOSE)
  if (headings === undefined) return [{ speaker: 'user', heading: '', text: prompt }]
  return headings.map((heading, at) => {
    const start = heading.index + heading[0].length
    const end = headings[at + 1]?.index ?? prompt.length
    const speaker = isUser(heading[1]) ? 'user' : 'other'
    return { speaker, heading: heading[0], text: prompt.slice(start, end) }
  })
}

/** What tools said after the last thing a user said: a transcript is played anew in the middle of its turn. */
export function lastResults(prompt: string): readonly string[] {
  const sections = sectionsOf(prompt)
  const asked = sections.findLastIndex(({ speaker, text }) => {
    return speaker === 'user' && spokenIn(text) !== ''
  })
  return sections
    .slice(asked + 1)
    .filter(({ heading }) => /^=+ *result\b/iu.test(heading))
    .map(({ text }) => text.trim())
}

/** Undefined where no heading names a user: such lines are then just text. */
function headingsIn(prompt: string, form: RegExp): readonly RegExpExecArray[] | undefined {
  const headings = [...prompt.matchAll(form)].filter(([line]) => !BARE_WORD.test(line))
  return headings.some(([, speaker]) => isUser(speaker)) ? headings : undefined
}

function isUser(speaker: string | undefined): boolean {
  return /^(?:user|human)$/iu.test(speaker ?? '')
}
