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

export interface Section {
  readonly speaker: 'user' | 'other'
  readonly text: string
}

/** '' when nobody said anything. */
export function lastUserText(prompt: string): string {
  const spoken = sectionsOf(prompt)
    .filter((section) => section.speaker === 'user')
    .map((section) => section.text.replaceAll(CLIENT_BLOCKS, '').trim())
    .filter((text) => text !== '')
  return spoken.at(-1) ?? ''
}

/** The prompt cut at its headings; one user section where there are none. */
export function sectionsOf(prompt: string): readonly Section[] {
  const headings = headingsIn(prompt, STRICT) ?? headingsIn(prompt, LOOSE)
  if (headings === undefined) return [{ speaker: 'user', text: prompt }]
  return headings.map((heading, at) => {
    const start = heading.index + heading[0].length
    const end = headings[at + 1]?.index ?? prompt.length
    const speaker = isUser(heading[1]) ? 'user' : 'other'
    return { speaker, text: prompt.slice(start, end) }
  })
}

/** Undefined where no heading names a user: such lines are then just text. */
function headingsIn(prompt: string, form: RegExp): readonly RegExpExecArray[] | undefined {
  const headings = [...prompt.matchAll(form)].filter(([line]) => !BARE_WORD.test(line))
  return headings.some(([, speaker]) => isUser(speaker)) ? headings : undefined
}

function isUser(speaker: string | undefined): boolean {
  return /^(?:user|human)$/iu.test(speaker ?? '')
}
