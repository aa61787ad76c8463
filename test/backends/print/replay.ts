// Plays lines through the print parser and gathers what came out.
import { readFileSync } from 'node:fs'
import { createPrintParser } from '../../../src/backends/print/events.ts'
import { eventsOf } from '../../../src/backends/print/lines-to-events.ts'
import type { PrintParserOptions } from '../../../src/backends/print/parser.ts'
import type { EndFacts } from '../../../src/backends/print/said.ts'
import { type AgentEvent, isTerminal, type Terminal } from '../../../src/core/events.ts'

export type Line = string | object

export const EXIT_0: EndFacts = { exit: { code: 0, signal: null }, stderrTail: '' }

export interface Played {
  readonly events: readonly AgentEvent[]
  readonly text: string
  readonly thinking: string
  readonly terminal: Terminal
  /** Kinds of unknown events in order. */
  readonly unknown: readonly string[]
}

export function play(
  lines: readonly Line[],
  end: EndFacts = EXIT_0,
  options: PrintParserOptions = {},
): Played {
  const parser = createPrintParser(options)
  const events: AgentEvent[] = []
  for (const line of lines) events.push(...parser.line(textOf(line)))
  return played([...events, ...parser.end(end)])
}

/** The same lines as one read of the output. */
export function playAtOnce(lines: readonly Line[]): Played {
  const parser = createPrintParser()
  const batch = { lines: lines.map(textOf), tooLong: 0, readAtMs: 0 }
  return played([...eventsOf(batch, parser), ...parser.end(EXIT_0)])
}

const textOf = (line: Line): string => (typeof line === 'string' ? line : JSON.stringify(line))

function played(events: readonly AgentEvent[]): Played {
  const terminals = events.filter(isTerminal)
  const [terminal] = terminals
  if (terminal === undefined || terminals.length !== 1 || events.at(-1) !== terminal) {
    throw new Error(`not exactly one terminal event at the end: ${JSON.stringify(events)}`)
  }
  const joined = (type: 'text-delta' | 'thinking-delta'): string =>
    events.map((event) => (event.type === type ? event.text : '')).join('')
  return {
    events,
    text: joined('text-delta'),
    thinking: joined('thinking-delta'),
    terminal,
    unknown: events.flatMap((event) => (event.type === 'unknown' ? event.kind : [])),
  }
}

export function transcript(name: string): string[] {
  const file = new URL(`../../fixtures/transcripts/${name}.jsonl`, import.meta.url)
  return readFileSync(file, 'utf8').split('\n')
}

const message = (text: string): object => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
})
/** A fragment, as with `--stream-partial-output`. */
export const delta = (text: string): object => ({
  type: 'assistant',
  message: message(text),
  session_id: 's1',
  timestamp_ms: 1,
})
/** A whole segment before a tool call. */
export const before = (text: string, id: string): object => ({
  ...delta(text),
  model_call_id: id,
})
/** The last segment as a whole, at the end of a turn. */
export const last = (text: string): object => ({
  type: 'assistant',
  message: message(text),
  session_id: 's1',
})
export const result = (text: string, more: object = {}): object => ({
  type: 'result',
  subtype: 'success',
  is_error: false,
  result: text,
  session_id: 's1',
  ...more,
})
export const thinking = (text: string): object => ({ type: 'thinking', subtype: 'delta', text })
export const init = { type: 'system', subtype: 'init', session_id: 's1', model: 'Auto' }
export const toolStarted = (kind: string, id: string, args: object = {}): object => ({
  type: 'tool_call',
  subtype: 'started',
  call_id: id,
  tool_call: { [kind]: { args } },
})
export const toolCompleted = (kind: string, id: string, outcome: object): object => ({
  type: 'tool_call',
  subtype: 'completed',
  call_id: id,
  tool_call: { [kind]: { result: outcome } },
})
export const retry = (isResume = false): object => ({
  type: 'retry',
  subtype: 'starting',
  attempt: 1,
  is_resume: isResume,
})
