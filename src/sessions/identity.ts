// Which conversation a request belongs to, by what its client says and by its first user text. Pure; holds digests only.
import { type SessionId, sessionId } from '../core/ids.ts'
import type { Api, BodyIds, Turn } from '../core/turn.ts'
import { sha256 } from '../lib/digest.ts'
import { isObject, parseJson, stringAt } from '../lib/json.ts'
import { firstRealText, realText } from './user-text.ts'

export { type ClientFacts, clientFacts, clientFolder, isAbsolute } from './client-facts.ts'

export type RequestKind =
  | 'main'
  | 'subagent'
  | 'title'
  | 'compaction'
  | 'warmup'
  | 'count'
  | 'other'

export interface IdentityFacts {
  readonly api: Api
  readonly headers: Headers
  readonly bodyIds: BodyIds
  readonly turn: Turn
  /** The request only asks for a count of tokens. */
  readonly counting?: boolean
}

export interface Identity {
  /** The client's own id, its agent's id added where agents share it; undefined when the client names none. */
  readonly conversation: string | undefined
  readonly kind: RequestKind
  /** One per conversation, sub-agent and side call; undefined without a client's id. */
  readonly key: SessionId | undefined
}

export function identify(facts: IdentityFacts): Identity {
  const conversation = conversationOf(facts)
  const key =
    conversation === undefined
      ? undefined
      : sessionId(sha256(`${conversation}\n${identityText(facts.turn)}`).slice(0, 32))
  return { conversation, kind: kindOf(facts), key }
}

interface IdRow {
  readonly client: string
  readonly read: (facts: IdentityFacts) => string | undefined
}

const header =
  (...names: readonly string[]) =>
  ({ headers }: IdentityFacts): string | undefined =>
    names
      .map((name) => headers.get(name)?.trim())
      .find((value) => value !== undefined && value !== '')

/** First match wins; each row with the client that was seen to send it. */
const ID_ROWS: readonly IdRow[] = [
  // Ours, for callers that want to name a conversation themselves.
  { client: 'any', read: header('x-cursor-session') },
  // Source: Claude Code 2.1.100 and 2.1.332, Agent SDK 0.3.332 (recorded).
  { client: 'Claude Code', read: header('x-claude-code-session-id') },
  // Source: the same, and Claude Code 1.0.128 and 2.0.76 (recorded), which send no header.
  { client: 'Claude Code', read: messagesUserId },
  // Source: Codex CLI 0.171.0 (recorded): a sub-agent has a thread of its own. 0.80.0: underscores.
  { client: 'Codex', read: header('thread-id', 'session-id', 'conversation_id', 'session_id') },
  { client: 'Codex', read: codexThread },
  // Source: OpenCode 1.18.33 (recorded); x-opencode-session in its gateway's own documentation.
  { client: 'OpenCode', read: header('x-session-id', 'x-session-affinity', 'x-opencode-session') },
  // Source: documentation of a router for the same clients (Sessions), November 2026; not recorded.
  {
    client: 'Kilo, Grok and others',
    read: header(
      'x-kilocode-taskid',
      'x-kilo-session',
      'x-grok-session-id',
      'x-grok-conv-id',
      'x-conversation-id',
    ),
  },
  { client: 'any', read: ({ bodyIds }) => notEmpty(bodyIds.conversation) },
  // Source: Qwen Code 0.24.4 (`qwen-code:<uuid>`), pi 1.6.0, OpenCode and Codex on Responses (recorded).
  { client: 'Qwen Code, pi', read: ({ bodyIds }) => notEmpty(bodyIds.promptCacheKey) },
]

/** Ids longer than any client's are no ids; they are used only as a digest anyway. */
const MAX_ID_CHARS = 512

function conversationOf(facts: IdentityFacts): string | undefined {
  for (const row of ID_ROWS) {
    const id = row.read(facts)
    if (id === undefined || id.length > MAX_ID_CHARS) continue
    const agent = header('x-claude-code-agent-id')(facts)
    return agent === undefined ? id : `${id}/${agent}`
  }
  return undefined
}

/**
 * Claude Code puts the session into `metadata.user_id`: 2.1 as a JSON string with `session_id`, 1.0 and 2.0 behind
 * `_session_`; other clients' plain value is taken as it is. Chat's `user` names a person, not a conversation.
 */
function messagesUserId({ api, bodyIds }: IdentityFacts): string | undefined {
  const userId = notEmpty(bodyIds.userId)
  if (api !== 'messages' || userId === undefined) return undefined
  const parsed = userId.startsWith('{') ? parseJson(userId) : undefined
  if (isObject(parsed)) return notEmpty(stringAt(parsed, 'session_id'))
  const at = userId.lastIndexOf('_session_')
  return at < 0 ? userId : notEmpty(userId.slice(at + '_session_'.length))
}

function codexThread({ headers }: IdentityFacts): string | undefined {
  const metadata = codexMetadata(headers)
  if (metadata === undefined) return undefined
  return notEmpty(stringAt(metadata, 'thread_id')) ?? notEmpty(stringAt(metadata, 'session_id'))
}

function codexMetadata(headers: Headers) {
  const header = headers.get('x-codex-turn-metadata')
  const parsed = header === null ? undefined : parseJson(header)
  return isObject(parsed) ? parsed : undefined
}

function notEmpty(text: string | undefined): string | undefined {
  const trimmed = text?.trim()
  return trimmed === '' ? undefined : trimmed
}

// Source: documentation of a router for Claude Code (Sessions), November 2026: workers inherit the parent's history.
const FORK_MARKERS = ['<fork-boilerplate>', 'You are a worker fork']

/** The text that tells conversations under one id apart: the latest fork's instructions, else what the user said first. */
function identityText(turn: Turn): string {
  const fork = turn.messages.findLast(
    (message) =>
      message.role === 'user' &&
      message.parts.some(
        (part) =>
          part.type === 'text' &&
          FORK_MARKERS.some((marker) => part.text.trimStart().startsWith(marker)),
      ),
  )
  return fork === undefined ? firstRealText(turn) : `fork\n${realText(fork)}`
}

function kindOf(facts: IdentityFacts): RequestKind {
  if (facts.counting === true) return 'count'
  return (
    hintedKind(facts.headers) ??
    textKind(facts.turn) ??
    agentKind(facts.headers, facts.turn) ??
    sideKind(facts)
  )
}

const CLAUDE_CLASSES = ['main', 'subagent', 'compaction'] as const

/** Kinds that the client says itself. */
function hintedKind(headers: Headers): RequestKind | undefined {
  // Source: Claude Code 2.1.332 with CLAUDE_CODE_GATEWAY_HINT_HEADERS=1 (recorded).
  if (headers.has('x-claude-code-compaction')) return 'compaction'
  const said = headers.get('x-claude-code-request-class')
  const kind = CLAUDE_CLASSES.find((name) => name === said)
  if (kind !== undefined) return kind
  // Source: Codex CLI 0.171.0 (recorded).
  const metadata = codexMetadata(headers)
  return metadata !== undefined && stringAt(metadata, 'request_kind') === 'compaction'
    ? 'compaction'
    : undefined
}

/** Openings of the user's text by which a side request is known. */
const OPENINGS: readonly {
  readonly kind: RequestKind
  readonly text: string
  readonly message: 'first' | 'last'
  readonly withTools: boolean
}[] = [
  // Source: OpenCode 1.18.33 (recorded): no tools, fixed first user message.
  {
    kind: 'title',
    text: 'Generate a title for this conversation',
    message: 'first',
    withTools: false,
  },
  // Source: Claude Code 2.0.76 (recorded): `tools: []`, the whole text.
  { kind: 'warmup', text: 'Warmup', message: 'first', withTools: false },
  // Assumed: how Claude Code's compaction prompt begins (its recorded text is masked); with hint headers it says so itself.
  {
    kind: 'compaction',
    text: 'Your task is to create a detailed summary of',
    message: 'last',
    withTools: true,
  },
]

function textKind(turn: Turn): RequestKind | undefined {
  const last = turn.messages.findLast((message) => message.role === 'user')
  const texts = { first: firstRealText(turn), last: last === undefined ? '' : realText(last) }
  return OPENINGS.find(
    (opening) =>
      texts[opening.message].startsWith(opening.text) &&
      (opening.withTools || turn.tools.length === 0) &&
      (opening.kind !== 'warmup' || texts.first === opening.text),
  )?.kind
}

function agentKind(headers: Headers, turn: Turn): RequestKind | undefined {
  // Source: Claude Code 2.1.332 (agent id; block 0 of `system`), OpenCode 1.18.33 (parent session) (recorded).
  const named = headers.has('x-claude-code-agent-id') || headers.has('x-parent-session-id')
  return named || saysSubagent(turn) ? 'subagent' : undefined
}

function saysSubagent(turn: Turn): boolean {
  const first = turn.messages[0]
  if (first?.role !== 'system') return false
  return first.parts.some(
    (part) =>
      part.type === 'text' &&
      part.text.startsWith('x-anthropic-billing-header:') &&
      part.text.slice(0, 500).includes('cc_is_subagent=true'),
  )
}

/** A request of Claude Code without tools is none of its main loop's. Source: 1.0.128, 2.0.76 (recorded). */
function sideKind({ api, headers, bodyIds, turn }: IdentityFacts): RequestKind {
  const claudeCode =
    headers.has('x-claude-code-session-id') ||
    (api === 'messages' && bodyIds.userId?.includes('_session_') === true)
  return claudeCode && turn.tools.length === 0 ? 'other' : 'main'
}
