// What Cursor has to know in mode bridge: that the tools it calls are the client's and run on the client's side. Stated at head
// and tail of every prompt, and where it tries a tool of its own. Pure; a fact that the client did not state is never guessed.
import { TOOL_SERVER } from '../core/tool-names.ts'

export interface HostFacts {
  /** The client's working folder; undefined when it names none. */
  readonly folder: string | undefined
  /** Further facts of its machine by name, in order: `Platform` → `linux`. */
  readonly facts: readonly (readonly [name: string, value: string])[]
  readonly hasTools: boolean
}

export interface GroundFacts extends HostFacts {
  /** Words for the call that the client insists on; undefined for none. */
  readonly demanded: string | undefined
  /** Cursor ended its turn without that call once. */
  readonly isReminder?: boolean
}

export interface Ground {
  readonly head: string
  readonly tail: string
}

export function groundOf(ground: GroundFacts): Ground {
  return { head: headOf(ground), tail: tailOf(ground) }
}

const MAX_FACT_CHARS = 512
const MAX_LINE_CHARS = 2_000

/**
 * The head's facts in its words, as one line without control characters, for whoever tells Cursor of them later; '' where
 * there is nothing to tell. What does not fit is left out whole: half a path would be another one.
 */
export function hostFactsOf(host: HostFacts): string {
  if (!host.hasTools) return ''
  let line = ''
  for (const fact of factsOf(host)) {
    const plain = fact.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    const longer = line === '' ? plain : `${line}; ${plain}`
    if (longer.length <= MAX_LINE_CHARS) line = longer
  }
  return line
}

const factsOf = ({ folder, facts }: HostFacts): string[] => [
  ...(folder === undefined ? [] : [`The user's working directory: ${folder}`]),
  ...facts.map(([name, value]) => `${name}: ${value.slice(0, MAX_FACT_CHARS)}`),
]

function headOf(ground: GroundFacts): string {
  if (!ground.hasTools) return 'You have no tools in this conversation: answer in words only.'
  return [
    `Your tools are those of the MCP server "${TOOL_SERVER}", and no others. They belong to the program that the user works with and run on the user's machine, not where you were started. Call them whenever the task needs them; never write a call as text.`,
    ...factsOf(ground),
    pathRule(ground.folder),
  ].join('\n')
}

function pathRule(folder: string | undefined): string {
  const never =
    'The folder you were started in is an empty scratch folder of no meaning to the user: never name it in a tool call.'
  return folder === undefined
    ? `The user's program does not say where it works: use only absolute paths that stand in the conversation. ${never}`
    : `All paths in tool calls are absolute ones of the user's machine, below that directory unless the user says otherwise. ${never}`
}

function tailOf({ folder, hasTools, demanded, isReminder }: GroundFacts): string {
  if (!hasTools) return 'Remember: answer in words only, without tools.'
  const where =
    folder === undefined ? "on the user's machine" : `on the user's machine, in ${folder}`
  const remember = `Remember: only the tools of "${TOOL_SERVER}", which run ${where}.`
  if (demanded === undefined) return remember
  const ask =
    isReminder === true
      ? `You ended your turn without ${demanded}, which the user's program insists on. Make the call now.`
      : `The user's program insists on ${demanded} now: make it before you end your turn.`
  return `${remember} ${ask}`
}
