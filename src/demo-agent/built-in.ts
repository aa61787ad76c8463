// What the demo answers without a script: steps made for the prompt. Pure.
import { lastResults, lastUserText } from './last-words.ts'
import type { McpTool } from './mcp.ts'
import type { Step } from './script.ts'
import { sideAnswer } from './side-request.ts'
import { callsFor } from './tool-choice.ts'
import { rootIn, wishesIn } from './wishes.ts'

/** First line of every ordinary answer, so that nobody takes the demo for Cursor. */
export const NOTICE = '[cursor-adapter demo agent: no Cursor account is used]'

export interface BuiltInFacts {
  readonly prompt: string
  readonly modelId: string
  /** Whether deltas are wanted (--stream-partial-output). */
  readonly partial: boolean
  readonly earlierTurns: number
  readonly refusedFlag: string | undefined
  readonly sessionId: string
  readonly nowMs: number
  readonly paceMs: number
  /** Of MCP servers. */
  readonly tools: readonly McpTool[]
}

export function builtIn(facts: BuiltInFacts): readonly Step[] {
  if (facts.refusedFlag !== undefined) return refusedByServer(facts, facts.refusedFlag)
  const side = sideAnswer(facts.prompt)
  const errand = side === undefined ? errandSteps(facts) : undefined
  if (errand !== undefined) return errand
  const text = side ?? ordinaryAnswer(facts)
  const thinks = facts.modelId.includes('thinking')
  const thoughts = thinks
    ? pieces('The user wrote to the demo. A short, honest answer will do.', 4)
    : []
  const words = pieces(text, 3)
  const pause = { sleep: facts.paceMs }
  return [
    { init: true },
    { echo: true },
    ...thoughts.flatMap((thought) => [{ thinking: thought }, pause]),
    ...(thinks ? [{ thinkingEnd: true }] : []),
    // Source: captures of 2026.07 to 2026.10: with the flag deltas and a repeat at the end, without it one whole
    // text.
    ...words.flatMap((word) => (facts.partial ? [{ delta: word }, pause] : [pause])),
    facts.partial ? { recap: true } : { full: text },
    { result: true },
  ]
}

/** Calls of the client's tools for what the user wants done; undefined where there is nothing to do, or no tool for it. */
function errandSteps(facts: BuiltInFacts): readonly Step[] | undefined {
  if (facts.tools.length === 0) return undefined
  const open: readonly Step[] = [{ init: true }, { echo: true }]
  const close: readonly Step[] = [...(facts.partial ? [{ recap: true }] : []), { result: true }]
  const say = (text: string): Step => (facts.partial ? { delta: text } : { full: text })
  const results = lastResults(facts.prompt)
  if (results.length > 0) {
    return [...open, say(`${NOTICE}\n\nYour tools said:\n\n${results.join('\n\n')}`), ...close]
  }
  const root = rootIn(facts.prompt)
  const rounds = wishesIn(lastUserText(facts.prompt)).flatMap((wishes) => {
    const each = wishes.map((wish) => callsFor(wish, facts.tools, root))
    const longest = Math.max(...each.map((calls) => calls.length))
    // The last call of each goes out together with the others' last.
    return Array.from({ length: longest }, (_round, at) =>
      each.flatMap((calls) => calls[at - longest + calls.length] ?? []),
    )
  })
  const calls = rounds.flat()
  if (calls.length === 0) return undefined
  const heads = calls.map(({ name }, at) => `${name}:\n\n$RESULT${at + 1}`)
  return [
    ...open,
    say(`${NOTICE}\n\nI use your tools.\n\n`),
    ...(facts.partial ? [{ recap: 'demo-call' }] : []),
    ...rounds.map((round) => ({ calls: round })),
    say(`They said:\n\n${heads.join('\n\n')}`),
    ...close,
  ]
}

function ordinaryAnswer(facts: BuiltInFacts): string {
  const said = lastUserText(facts.prompt)
  const quote = shortened(said === '' ? '(nothing)' : said)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')
  const turns = facts.earlierTurns
  const memory =
    turns > 0 ? `This chat was resumed; it has ${turns} earlier turn(s) on disk.\n\n` : ''
  return `${NOTICE}

You wrote:

${quote}

${memory}This answer is scripted: nothing was looked up and no file was touched. The way it took is the real one, from your client through cursor-adapter to a waiting agent process (model ${facts.modelId}) and back, word by word. For real answers install Cursor's CLI, run \`agent login\` and start \`cursor-adapter\` without \`demo\`.`
}

/** Source: captures of 2026.10.01: three rounds of reconnect and retry, no result, the reason on stderr, exit 1. */
function refusedByServer(facts: BuiltInFacts, flag: string): readonly Step[] {
  const common = { session_id: facts.sessionId, timestamp_ms: facts.nowMs }
  const endpoint_url = 'https://agentn.global.api5.cursor.sh'
  const rounds = [1, 2, 3].flatMap((attempt) => [
    { line: { type: 'connection', subtype: 'reconnecting', ...common, attempt, endpoint_url } },
    // Stand-in: the CLI waits about 2, 5 and 8 s here.
    { sleep: facts.paceMs },
    { line: { type: 'retry', subtype: 'starting', ...common, attempt, is_resume: false } },
    { line: { type: 'connection', subtype: 'reconnected', ...common } },
  ])
  const reason = `RetriableError: [invalid_argument] unknown option '--${flag}'\n`
  return [{ init: true }, { echo: true }, ...rounds, { stderr: reason }, { exit: 1 }]
}

const MAX_QUOTE_CHARS = 400
const MAX_QUOTE_LINES = 8

function shortened(text: string): string {
  const lines = text.split('\n').slice(0, MAX_QUOTE_LINES).join('\n')
  const chars = Array.from(lines)
  if (chars.length > MAX_QUOTE_CHARS) return `${chars.slice(0, MAX_QUOTE_CHARS).join('')}…`
  return lines.length < text.length ? `${lines}\n…` : lines
}

/** The text cut after every `count` words; joined it is the text again. */
function pieces(text: string, count: number): readonly string[] {
  const words = text.match(/\s*\S+\s*$|\s*\S+/gu) ?? [text]
  const groups = Math.ceil(words.length / count)
  return Array.from({ length: groups }, (_group, at) => {
    return words.slice(at * count, (at + 1) * count).join('')
  })
}
