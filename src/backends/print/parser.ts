// What reads the output of print mode looks like from outside; events.ts is the one that does it.
import type { AgentEvent } from '../../core/events.ts'
import type { ToolNames } from '../../core/tool-names.ts'
import type { EndFacts } from './said.ts'

export interface PrintParserOptions {
  /** The model that was asked for, for messages about it. */
  readonly model?: string
  /** The service's home folder, kept out of messages. */
  readonly home?: string
  /** Mode bridge: the client's tools. */
  readonly tools?: ToolNames
}

export interface PrintParser {
  /** Events of one line, without its line break. None after the terminal event. */
  line(text: string): readonly AgentEvent[]
  /** The joined texts of plain deltas that followed one another. */
  deltas(text: string): readonly AgentEvent[]
  /** Lines that were dropped unread because they were too long. */
  tooLong(count: number): readonly AgentEvent[]
  /** The output is over: the last events, a failure among them when no `result` line came. */
  end(facts: EndFacts): readonly AgentEvent[]
  readonly ended: boolean
  /** True once a line was an event of Cursor's. */
  readonly spoke: boolean
  /** What came as plain text on stdout, its last few thousand characters. */
  readonly plainText: string
}
