// The last thing a user said, from a prompt that may be one plain text or a whole rendered conversation. Pure, tolerant:
// it knows no particular format, only headings that name a speaker.

/** `=== user ===`, `## User`, `[user]`, `<user>`, `User:` and the like, alone on a line. */
const HEADING =
  /^[ \t]*(?:={3,}|#{1,6}|[[<*_]{1,2})?[ \t]*(user|human|assistant|system|developer|(?:result of )?(?:an unknown )?tool[^\n=]*)\b[^\n]{0,160}?(?:={3,}|[\]>*_]{1,2}|:)?[ \t]*$/gimu
const MARKED = /^[ \t]*(?:[=#[<*_]|[a-z]+:[ \t]*$)/iu

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
  const headings = [...prompt.matchAll(HEADING)].filter(([line]) => MARKED.test(line))
  const users = headings.filter(([, speaker]) => isUser(speaker))
  if (users.length === 0) return [{ speaker: 'user', text: prompt }]
  return headings.map((heading, at) => {
    const start = heading.index + heading[0].length
    const end = headings[at + 1]?.index ?? prompt.length
    const speaker = isUser(heading[1]) ? 'user' : 'other'
    return { speaker, text: prompt.slice(start, end) }
  })
}

function isUser(speaker: string | undefined): boolean {
  return /^(?:user|human)$/iu.test(speaker ?? '')
}
