// History → prompt text. The only place that turns a conversation into words; pure, no clock, no disk, no network.
// Equal histories give equal beginnings: a message's text depends only on what came before it, and the closing cue is
// the heading under which the next turn's transcript continues.
import { assertNever } from '../core/events.ts'
import type { Prompt } from '../core/job.ts'
import type { Json, Message, Part, ResultPart, Turn } from '../core/turn.ts'
import { argumentLines, mainArgument } from './arguments.ts'
import type { Ground } from './ground.ts'
import {
  ASSISTANT,
  CONTINUE,
  headingText,
  PREAMBLE,
  quoteHeadings,
  SYSTEM,
  toolCallHeading,
  toolResultHeading,
  USER,
} from './headings.ts'
import { createImageCollector, type ImageCollector, type ImageWay } from './images.ts'
import { withoutAdverts } from './skills.ts'

export interface RenderOptions {
  readonly images: ImageWay
  /** Texts of ours to be said right after these messages. They stay there in later turns, so beginnings stay equal. */
  readonly notes?: ReadonlyMap<Message, string>
  /** Mode bridge: said before and after everything else. */
  readonly ground?: Ground
  /** `left-out`: what the client's texts say about tools that only the client could run (skills, agents, deferred ones). */
  readonly clientTools?: 'kept' | 'left-out'
}

/**
 * The whole transcript as one text. A single user message goes as it is (unless it imitates our headings); anything
 * more gets the preamble, one heading per speaker and the closing cue. Thinking and Claude Code's billing block are
 * left out; text is otherwise kept character for character. Never empty, never throws.
 */
export function renderPrompt(turn: Turn, options: RenderOptions): Prompt {
  const images = createImageCollector(options.images)
  const notes = options.notes ?? new Map<Message, string>()
  const bare = bareText(turn, images, notes)
  const { ground } = options
  if (bare !== undefined) {
    const text = ground === undefined ? bare : `${ground.head}\n\n${bare}\n\n${ground.tail}`
    return { text, images: images.images }
  }
  const plain =
    options.clientTools === 'left-out' ? turn.messages.map(withoutClientTools) : turn.messages
  const transcript: Transcript = { images, calls: new Map(), callCount: 0, speaker: undefined }
  const body = plain
    .map((message, at) => {
      const original = turn.messages[at]
      const note = original === undefined ? undefined : notes.get(original)
      const text = messageText(message, transcript)
      return note === undefined ? text : text + spoken('system', quoteHeadings(note), transcript)
    })
    .join('')
  const cue = turn.messages.at(-1)?.role === 'assistant' ? CONTINUE : ASSISTANT
  const head = ground === undefined ? '' : `${SYSTEM}\n${quoteHeadings(ground.head)}\n\n`
  const tail = ground === undefined ? '' : `${SYSTEM}\n${quoteHeadings(ground.tail)}\n\n`
  return { text: `${PREAMBLE}${head}${body}${tail}${cue}\n`, images: images.images }
}

/** What has been said so far, as far as later text depends on it. */
interface Transcript {
  readonly images: ImageCollector
  /** The latest call per client id: some clients use the same ids again in every turn. */
  readonly calls: Map<string, Call>
  callCount: number
  /** Who the last heading named; undefined where the next text needs a heading of its own. */
  speaker: 'assistant' | undefined
}

interface Call {
  readonly number: number
  readonly label: string
}

const EMPTY = '(empty message)'

function bareText(
  turn: Turn,
  images: ImageCollector,
  notes: ReadonlyMap<Message, string>,
): string | undefined {
  const [only, ...others] = turn.messages.filter((message) => !isBillingOnly(message))
  if (only?.role !== 'user' || others.length > 0) return undefined
  if (!only.parts.every((part) => part.type === 'text' || part.type === 'image')) return undefined
  const texts = only.parts.map((part) => (part.type === 'text' ? part.text : ''))
  if (texts.some((text) => quoteHeadings(text) !== text)) return undefined
  const lines = only.parts.flatMap((part) => {
    if (part.type === 'image') return [images.place(part.source)]
    return part.type === 'text' && part.text !== '' ? [part.text] : []
  })
  const text = joinTexts(lines)
  const note = notes.get(only)
  if (note !== undefined) return `${text}\n\n${quoteHeadings(note)}`
  return text.trim() === '' ? EMPTY : text
}

/** The message as it is rendered; a part that held nothing but such lists is left out. */
function withoutClientTools(message: Message): Message {
  if (message.role === 'assistant') return message
  const parts = message.parts.flatMap((part): readonly Part[] => {
    const mayAdvertise =
      part.type === 'text' &&
      (message.role === 'system' || part.text.startsWith('<system-reminder>'))
    if (!mayAdvertise) return [part]
    const text = withoutAdverts(part.text)
    if (text === part.text) return [part]
    return EMPTY_REMINDER.test(text) ? [] : [{ type: 'text', text }]
  })
  return { ...message, parts }
}

const EMPTY_REMINDER = /^\s*(?:<system-reminder>\s*<\/system-reminder>\s*)?$/

function messageText(message: Message, transcript: Transcript): string {
  if (isBillingOnly(message)) return ''
  const blocks: string[] = []
  let texts: string[] = []
  const flush = (): void => {
    if (texts.length === 0) return
    blocks.push(spoken(message.role, joinTexts(texts), transcript))
    texts = []
  }
  for (const part of message.parts) {
    if (part.type === 'tool-call' || part.type === 'tool-result') {
      flush()
      blocks.push(toolText(message, part, transcript))
    } else {
      const text = partText(part, message.role, transcript)
      if (text !== '') texts.push(text)
    }
  }
  flush()
  return blocks.length > 0 ? blocks.join('') : spoken(message.role, EMPTY, transcript)
}

/** A block of speech under its heading; an assistant that goes on after its own words or calls needs no second one. */
function spoken(role: Message['role'], text: string, transcript: Transcript): string {
  if (role !== 'assistant') {
    transcript.speaker = undefined
    return `${role === 'system' ? SYSTEM : USER}\n${text}\n\n`
  }
  const heading = transcript.speaker === 'assistant' ? '' : `${ASSISTANT}\n`
  transcript.speaker = 'assistant'
  return `${heading}${text}\n\n`
}

type ToolPart = Extract<Part, { type: 'tool-call' | 'tool-result' }>

function toolText(message: Message, part: ToolPart, transcript: Transcript): string {
  if (part.type === 'tool-result') {
    // Whoever speaks next says so anew.
    transcript.speaker = undefined
    const heading = toolResultHeading(transcript.calls.get(part.callId), part.isError)
    return `${heading}\n${resultText(part.content, part.isError, transcript)}\n\n`
  }
  const opening =
    message.role === 'assistant' && transcript.speaker === undefined ? `${ASSISTANT}\n` : ''
  transcript.speaker = 'assistant'
  const call = newCall(part.id, part.name, part.arguments, transcript)
  const heading = toolCallHeading(call.number, toolName(part.name))
  return `${opening}${heading}\n${quoteHeadings(argumentLines(part.arguments))}\n\n`
}

function newCall(id: string, name: string, argument: Json, transcript: Transcript): Call {
  transcript.callCount += 1
  const label = `${toolName(name)} ${mainArgument(argument)}`.trim()
  const call = { number: transcript.callCount, label }
  transcript.calls.set(id, call)
  return call
}

function toolName(name: string): string {
  const line = headingText(name, 128)
  return line === '' ? 'without a name' : line
}

function resultText(
  content: readonly ResultPart[],
  isError: boolean,
  transcript: Transcript,
): string {
  const texts = content.map((part) =>
    part.type === 'text' ? quoteHeadings(part.text) : transcript.images.place(part.source),
  )
  const text = joinTexts(texts.filter((entry) => entry !== ''))
  if (text.trim() !== '') return text
  return isError ? '(the tool failed and gave no message)' : '(the tool ran and gave no output)'
}

function partText(
  part: Exclude<Part, ToolPart>,
  role: Message['role'],
  transcript: Transcript,
): string {
  switch (part.type) {
    case 'text':
      return quoteHeadings(role === 'system' ? withoutBilling(part.text) : part.text)
    case 'thinking':
      return ''
    case 'image':
      return transcript.images.place(part.source)
    case 'past-activity':
      return quoteHeadings(`[already done: ${part.text}]`)
    case 'unsupported':
      return `[left out: a block of type ${headingText(part.kind, 64)}]`
    default:
      return assertNever(part)
  }
}

/** Blocks of one message stand on lines of their own. */
function joinTexts(texts: readonly string[]): string {
  return texts.reduce((all, text) => {
    if (all === '') return text
    return all.endsWith('\n') ? all + text : `${all}\n${text}`
  }, '')
}

// Source: client-requests claude-code-*.json (2.1.332): block 0 of `system`, one line, differs from session to session.
const BILLING = /^\s*x-anthropic-billing-header:[^\n]*\n?/

function withoutBilling(text: string): string {
  return text.replace(BILLING, '')
}

function isBillingOnly(message: Message): boolean {
  return (
    message.role === 'system' &&
    message.parts.length > 0 &&
    message.parts.every(
      (part) => part.type === 'text' && withoutBilling(part.text).trim() === '',
    ) &&
    message.parts.some((part) => part.type === 'text' && BILLING.test(part.text))
  )
}
