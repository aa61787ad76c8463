// A client's set-up as text: for the terminal, and for the README. Pure.
import type { Client, Facts } from './client.ts'

/** For a terminal; `strong` marks the sentences. */
export function guideText(client: Client, facts: Facts, strong: (text: string) => string): string {
  const blocks = client.parts(facts).map(({ say, text }) => `${strong(say)}\n\n${indented(text)}`)
  return [...blocks, ...hints(client), ...(client.notes ?? [])]
    .map((text) => text.replaceAll('`', ''))
    .join('\n\n')
}

/** The same for the README, under a heading of its own. */
export function guideMarkdown(client: Client, facts: Facts): string {
  const blocks = client
    .parts(facts)
    .map(({ say, language, text }) => `${say}\n\n\`\`\`${language}\n${text}\n\`\`\``)
  return [`#### ${client.title}`, ...blocks, ...hints(client), ...(client.notes ?? [])].join('\n\n')
}

/** What the command line can do instead. */
function hints({ name, file, run }: Client): readonly string[] {
  const write = `\`cursor-adapter setup ${name} --write\` puts this in (\`--undo\` takes it back)`
  const start = `\`cursor-adapter run ${name}\` starts it so once`
  const both = [...(file === undefined ? [] : [write]), ...(run === undefined ? [] : [start])]
  return both.length === 0 ? [] : [`${both.join('; ')}.`]
}

const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ')
