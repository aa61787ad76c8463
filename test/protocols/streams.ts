// Event streams that protocol tests share, and the context and turn they are written with.
import type { AgentEvent, Batch, FinishReason, ReplyUsage } from '../../src/core/events.ts'
import { callId } from '../../src/core/ids.ts'
import type { Json } from '../../src/core/turn.ts'
import type { Frame, Protocol, ReplyContext } from '../../src/protocols/protocol.ts'

export const CONTEXT: ReplyContext = {
  id: 'abcdefghijklmnopqrstuvwx',
  createdS: 1_796_000_000,
  model: 'auto',
  inputTokens: 12,
  showTools: true,
}

const USAGE: ReplyUsage = { input: 12, output: 5, cacheRead: 0, cacheWrite: 0 }

export const text = (text: string): AgentEvent => ({ type: 'text-delta', text })
export const thinking = (text: string): AgentEvent => ({ type: 'thinking-delta', text })
export const thinkingEnd: AgentEvent = { type: 'thinking-end' }
export const started: AgentEvent = { type: 'started', chatId: 's1', model: 'Demo' }
export const finish = (usage: ReplyUsage = USAGE, reason: FinishReason = 'stop'): AgentEvent => ({
  type: 'finish',
  reason,
  cursorUsage: undefined,
  usage,
})
export const failure = (message: string): AgentEvent => ({
  type: 'failure',
  code: 'agent-failed',
  message,
})

/** A tool that Cursor runs itself. */
export const cursorTool = (id: string, name: string, title: string): AgentEvent => ({
  type: 'tool-start',
  callId: callId(id),
  kind: name === 'Bash' ? 'shell' : name.toLowerCase(),
  host: 'cursor',
  name,
  input: { path: title },
  title,
})
/** A tool that the client must run. */
export const clientTool = (id: string, name: string, input: Json): AgentEvent => ({
  type: 'tool-start',
  callId: callId(id),
  kind: 'mcp',
  host: 'client',
  name,
  input,
  title: '',
})
export const toolEnd = (id: string, outcome: string, durationMs?: number): AgentEvent => ({
  type: 'tool-end',
  callId: callId(id),
  isError: outcome !== 'success',
  outcome,
  summary: '',
  durationMs,
})

/** `beat` is a keep-alive that became due at that point. */
export type Step = AgentEvent | 'beat'

export function framesOf(
  protocol: Protocol,
  body: unknown,
  steps: readonly Step[],
  context: ReplyContext = CONTEXT,
): readonly Frame[] {
  const writer = protocol.stream(protocol.parse(body, new Headers()), context)
  return steps.flatMap((step) => (step === 'beat' ? writer.beat() : writer.event(step)))
}

export function sse(frames: readonly Frame[]): string {
  return frames
    .map(({ event, data }) => `${event === undefined ? '' : `event: ${event}\n`}data: ${data}\n\n`)
    .join('')
}

/** Adjacent deltas of one kind become one, as the events of a whole reply are handed over. */
export function merged(events: Batch['events']): readonly AgentEvent[] {
  const out: AgentEvent[] = []
  for (const event of events) {
    const last = out.at(-1)
    if (event.type === 'text-delta' && last?.type === 'text-delta') {
      out[out.length - 1] = text(last.text + event.text)
    } else if (event.type === 'thinking-delta' && last?.type === 'thinking-delta') {
      out[out.length - 1] = thinking(last.text + event.text)
    } else out.push(event)
  }
  return out
}

/** The main streams, each with a golden `.sse` file per protocol in test/fixtures/wire. */
export const MAIN_STREAMS: readonly {
  readonly name: string
  readonly steps: readonly Step[]
  readonly context?: Partial<ReplyContext>
}[] = [
  { name: 'plain', steps: [started, text('Hel'), text('lo "中文 😀"\n'), finish()] },
  {
    name: 'thinking',
    steps: [started, thinking('a'), thinking('b'), thinkingEnd, text('c'), finish()],
  },
  {
    name: 'alternating',
    steps: [thinking('one'), text('A'), thinking('two'), thinkingEnd, text('B'), finish()],
  },
  {
    name: 'cursor-tools',
    steps: [
      started,
      thinking('I look.'),
      thinkingEnd,
      text('Looking. '),
      cursorTool('t1', 'Read', 'src/app.ts'),
      cursorTool('t2', 'Bash', 'npm test\n  --silent'),
      toolEnd('t2', 'failure', 2345),
      toolEnd('t1', 'success', 12),
      text('Done.'),
      finish(),
    ],
  },
  {
    name: 'cursor-tools-hidden',
    context: { showTools: false },
    steps: [cursorTool('t1', 'Read', 'a'), toolEnd('t1', 'success', 12), text('Done.'), finish()],
  },
  {
    name: 'client-tools',
    steps: [
      text('I read both.'),
      clientTool('call_1', 'Read', { file_path: 'a "b".txt' }),
      clientTool('call_2', 'ListAgents', null),
      finish(),
    ],
  },
  {
    name: 'cursor-tools-unfinished',
    steps: [
      text('Both. '),
      cursorTool('t1', 'Bash', 'npm test'),
      cursorTool('t2', 'Task', 'Review'),
      toolEnd('t2', 'success', 5),
      finish(),
    ],
  },
  {
    name: 'cursor-tools-failure',
    steps: [cursorTool('t1', 'Bash', 'npm test'), failure('the model went away')],
  },
  { name: 'failure-midstream', steps: [text('half'), failure('the model went away')] },
  { name: 'failure-first', steps: ['beat', failure('the model went away')] },
  { name: 'beats', steps: ['beat', started, 'beat', text('x'), 'beat', text('y'), finish()] },
  { name: 'empty', steps: [started, finish()] },
  { name: 'thinking-only', steps: [thinking('hmm'), thinkingEnd, finish()] },
  {
    name: 'cached-usage',
    steps: [text('ok'), finish({ input: 15, output: 7, cacheRead: 80, cacheWrite: 5 })],
  },
]
