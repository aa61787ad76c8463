// What a client's own texts say about the machine it runs on. Pure; a guess is never made.
import type { Message, Turn } from '../core/turn.ts'

interface Marker {
  readonly client: string
  readonly role: 'system' | 'user'
  /** Stands before the value, on its line. */
  readonly before: string
  /** Stands behind the value; undefined = the line's end. */
  readonly after?: string
  /** Must stand earlier in the same text. */
  readonly within?: string
}

// Source: clients.md 3, "where the working directory stands", clients of November 2026.
const FOLDER_MARKERS: readonly Marker[] = [
  { client: 'Claude Code 2.1', role: 'system', before: 'Primary working directory:' },
  {
    client: 'Claude Code 1.0 and 2.0, OpenCode 1.18',
    role: 'system',
    before: 'Working directory:',
    within: '<env>',
  },
  {
    client: 'Codex 0.171',
    role: 'user',
    before: '<cwd>',
    after: '</cwd>',
    within: '<environment_context>',
  },
  {
    client: 'Qwen Code 0.24',
    role: 'user',
    before: "I'm currently working in the directory:",
  },
  { client: 'Cline 3.0', role: 'system', before: '4. Working Directory:' },
  { client: 'pi 1.6', role: 'system', before: '<cwd>', after: '</cwd>' },
  { client: 'pi 0.73', role: 'system', before: 'Current working directory:' },
]

/**
 * The working folder that the client names, as an absolute path of its own machine (which need not exist here);
 * undefined when it names none. System texts may name a new one later in a conversation: the last one counts. In user
 * messages only the opening ones are believed, because files and pages that a user pastes in may hold the same words.
 */
export function clientFolder(turn: Turn): string | undefined {
  const system = turn.messages.filter((message) => message.role === 'system')
  const opening = openingUserMessages(turn)
  for (const marker of FOLDER_MARKERS) {
    const texts = (marker.role === 'system' ? system : opening).flatMap(textsOf)
    for (const text of texts.toReversed()) {
      const folder = valueIn(text, marker)
      if (folder !== undefined && isAbsolute(folder)) return folder
    }
  }
  return undefined
}

export interface ClientFacts {
  readonly folder: string | undefined
  readonly platform: string | undefined
  readonly osVersion: string | undefined
  readonly date: string | undefined
  /** Whether the folder is a git repository, in the client's own word (`Yes`, `true`). */
  readonly git: string | undefined
  readonly shell: string | undefined
}

const FACT_MARKERS = {
  platform: ['Platform:', 'My operating system is:'],
  osVersion: ['OS Version:'],
  date: ["Today's date:", "Today's date is", 'Current date:', '<current_date>'],
  git: ['Is directory a git repo:', 'Is a git repository:'],
  shell: ['Shell:', '<shell>'],
} as const

/** Environment facts for grounding, each one undefined where the client says nothing of it. */
export function clientFacts(turn: Turn): ClientFacts {
  const texts = [
    ...turn.messages.filter((message) => message.role === 'system').flatMap(textsOf),
    ...openingUserMessages(turn).flatMap(textsOf),
  ]
  const find = (markers: readonly string[]): string | undefined => {
    for (const before of markers) {
      for (const text of texts) {
        const tag = before.startsWith('<') ? { after: '<', within: '<environment_context>' } : {}
        const value = valueIn(text, { client: '', role: 'system', before, ...tag })
        if (value !== undefined) return value
      }
    }
    return undefined
  }
  return {
    folder: clientFolder(turn),
    platform: find(FACT_MARKERS.platform),
    osVersion: find(FACT_MARKERS.osVersion),
    date: find(FACT_MARKERS.date),
    git: find(FACT_MARKERS.git),
    shell: find(FACT_MARKERS.shell),
  }
}

function openingUserMessages(turn: Turn): readonly Message[] {
  const firstAnswer = turn.messages.findIndex((message) => message.role === 'assistant')
  const opening = firstAnswer < 0 ? turn.messages : turn.messages.slice(0, firstAnswer)
  return opening.filter((message) => message.role === 'user')
}

function textsOf(message: Message): string[] {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
}

/** The value at the marker's last place in the text. Linear in the text, whatever it holds. */
function valueIn(text: string, marker: Marker): string | undefined {
  const opened = marker.within === undefined ? 0 : text.indexOf(marker.within)
  if (opened < 0) return undefined
  let at = text.lastIndexOf(marker.before)
  while (at >= opened) {
    const value = startsItsLine(text, at) ? valueAt(text, at, marker) : ''
    if (value !== '') return value
    at = at === 0 ? -1 : text.lastIndexOf(marker.before, at - 1)
  }
  return undefined
}

const MAX_VALUE_CHARS = 4_096

function valueAt(text: string, at: number, marker: Marker): string {
  const rest = text.slice(at + marker.before.length, at + marker.before.length + MAX_VALUE_CHARS)
  const trimmed = marker.after === undefined ? rest.replace(/^[ \t]+/, '') : rest.trimStart()
  const end = trimmed.search(marker.after === undefined ? /[\r\n]/ : /[\r\n<]/)
  return (end < 0 ? trimmed : trimmed.slice(0, end)).trim()
}

/** Before the marker only blanks, a bullet or tags stand on its line. */
function startsItsLine(text: string, at: number): boolean {
  const lineStart = Math.max(text.lastIndexOf('\n', at - 1) + 1, at - 200)
  return at === 0 || /^[\s\-*]*(?:<[a-z_]+>\s*)*$/.test(text.slice(lineStart, at))
}

/** On any system: the client's need not be ours. */
export function isAbsolute(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/]|\\\\)/.test(path) && !/\p{Cc}/u.test(path)
}
