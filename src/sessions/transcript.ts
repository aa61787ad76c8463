// A conversation as a chain of digests: what was said, by role and text only. Two transcripts that a client may write in
// different shapes (string or blocks, with or without thinking, ids, cache marks) have equal chains. Pure; keeps no text.
import type { ImageSource, Json, Message, Part, ResultPart } from '../core/turn.ts'
import { sha256 } from '../lib/digest.ts'
import { squeeze, TextDigest } from './text-digest.ts'

/** Digest of everything said so far. */
export type Chain = string & { readonly brand: 'Chain' }

export interface Transcript {
  /** Chain after the last assistant turn; undefined where nothing was answered yet, or nothing new follows. */
  readonly answered: Chain | undefined
  /** Chain after everything, for the reply to be added to. */
  readonly whole: Chain
  /** User and assistant turns. */
  readonly turns: number
  /** Chains after each turn, oldest first: an older transcript of the same conversation ends in one of them. */
  readonly chains: readonly Chain[]
  /** The messages after the last assistant turn, system texts among them. */
  readonly fresh: readonly Message[]
}

const START = chainOf('')

/** Reads a whole transcript; system messages are not part of the chain (changed ones are sent again instead). */
export function readTranscript(messages: readonly Message[]): Transcript {
  const calls = new Map<string, number>()
  const chains: Chain[] = []
  let chain = START
  let answered: Chain | undefined
  let freshFrom = 0
  for (const group of groups(messages)) {
    chain = link(chain, digestTurn(group.role, group.messages, calls))
    chains.push(chain)
    if (group.role === 'assistant') {
      answered = chain
      freshFrom = group.end
    }
  }
  const fresh = messages.slice(freshFrom)
  const goesOn = fresh.some((message) => message.role === 'user')
  return {
    answered: goesOn ? answered : undefined,
    whole: chain,
    turns: chains.length,
    chains,
    fresh,
  }
}

/**
 * Where the transcript was answered last, with calls as we sent them: clients tidy up arguments before they send a call back
 * (Claude Code drops defaults and trailing blanks). `sent`: arguments by call id.
 */
export function answeredAsSent(
  messages: readonly Message[],
  sent: ReadonlyMap<string, Json>,
): Chain | undefined {
  const asSent = (part: Part): Part => {
    const input = part.type === 'tool-call' ? sent.get(part.id) : undefined
    return part.type === 'tool-call' && input !== undefined ? { ...part, arguments: input } : part
  }
  return readTranscript(
    messages.map((message) => ({ ...message, parts: message.parts.map(asSent) })),
  ).answered
}

/** Takes the reply as it is sent and extends the chain by it. */
export interface ReplyDigest {
  text(delta: string): void
  /** A call that the client hosts. */
  call(name: string, input: Json): void
  chain(): Chain
}

/** Digest of one system text, to tell which ones an agent has seen. */
export function systemDigest(message: Message): string {
  return sha256(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
}

export function digestReply(before: Chain): ReplyDigest {
  const text = new TextDigest()
  const calls: string[] = []
  return {
    text(delta) {
      text.add(delta)
    },
    call(name, input) {
      calls.push(callDigest(name, input))
    },
    chain: () => link(before, turnDigest('assistant', text, calls)),
  }
}

interface Group {
  readonly role: 'user' | 'assistant'
  readonly messages: readonly Message[]
  /** Index behind the group's last message, system messages right behind it not included. */
  readonly end: number
}

/** Neighbours of one role are one turn, however many messages a client makes of it. */
function groups(messages: readonly Message[]): Group[] {
  const found: { role: 'user' | 'assistant'; messages: Message[]; end: number }[] = []
  for (const [index, message] of messages.entries()) {
    if (message.role === 'system' || isSilent(message)) continue
    const last = found.at(-1)
    if (last?.role === message.role) {
      last.messages.push(message)
      last.end = index + 1
    } else {
      found.push({ role: message.role, messages: [message], end: index + 1 })
    }
  }
  return found
}

/** Nothing in it counts: an assistant message of thinking only, an empty one. */
function isSilent(message: Message): boolean {
  return message.parts.every((part) => {
    if (part.type === 'text') return squeeze(part.text) === ''
    return part.type === 'thinking' || part.type === 'past-activity'
  })
}

/** Text first, then calls in their order; results in the order of their calls, whatever order they came in. */
function digestTurn(
  role: 'user' | 'assistant',
  messages: readonly Message[],
  calls: Map<string, number>,
): string {
  const text = new TextDigest()
  const marks: string[] = []
  const results: { readonly call: number; readonly digest: string }[] = []
  for (const part of messages.flatMap((message) => message.parts)) {
    const mark = markOf(part)
    if (part.type === 'text') text.add(part.text)
    else if (part.type === 'tool-call') {
      calls.set(part.id, calls.size)
      marks.push(callDigest(part.name, part.arguments))
    } else if (part.type === 'tool-result') {
      const call = calls.get(part.callId) ?? -1
      results.push({ call, digest: resultDigest(part.isError, part.content) })
    } else if (mark !== undefined) marks.push(mark)
  }
  const sorted = results.toSorted((a, b) => a.call - b.call)
  const answers = sorted.map(({ call, digest }) => `${call}:${digest}`)
  return turnDigest(role, text, [...marks, ...answers])
}

function markOf(part: Part): string | undefined {
  if (part.type === 'image') return imageDigest(part)
  return part.type === 'unsupported' ? `unsupported:${part.kind}` : undefined
}

function imageDigest({ source }: { readonly source: ImageSource }): string {
  return `image:${sha256(source.kind === 'url' ? source.url : source.data)}`
}

function callDigest(name: string, input: Json): string {
  return `call:${sha256(`${name}\n${sortedJson(input)}`)}`
}

function resultDigest(isError: boolean, content: readonly ResultPart[]): string {
  const text = new TextDigest()
  for (const part of content) text.add(part.type === 'text' ? part.text : imageDigest(part))
  return `${isError ? 'error' : 'result'}:${text.hex()}`
}

function turnDigest(role: string, text: TextDigest, marks: readonly string[]): string {
  return sha256([role, text.hex(), ...marks].join('\n'))
}

function link(chain: Chain, digest: string): Chain {
  return chainOf(sha256(`${chain}${digest}`))
}

function chainOf(text: string): Chain {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the one place where the brand is put on
  return text as Chain
}

function sortedJson(value: Json): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
