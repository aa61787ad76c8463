// Session updates of one prompt → AgentEvents. Pure: no process, no clock. Chunks are pure deltas, nothing is repeated.
// Source: probes and fixtures of 2026.08 (kinds, fields); wrappers' classifier tests (errors as text).
import type { AgentEvent, Failure, Terminal } from '../../core/events.ts'
import type { ToolNames } from '../../core/tool-names.ts'
import { type JsonObject, objectAt, stringAt } from '../../lib/json.ts'
import { classify } from '../classify.ts'
import { createErrorHold } from '../error-hold.ts'
import { WholeCharacters } from '../whole-characters.ts'
import { createToolCalls, type ToolCalls } from './tools.ts'

export interface AcpReaderOptions {
  readonly chatId: string
  /** Display name of the model, '' when unknown. */
  readonly modelName: string
  /** The model that was asked for, for messages about it. */
  readonly model: string
  readonly home: string
  /** Mode bridge: the client's tools. */
  readonly tools?: ToolNames
}

export interface AcpReader {
  update(update: JsonObject): readonly AgentEvent[]
  /** The prompt was answered. `said`: what the process wrote beside the protocol. */
  end(stopReason: string, said: string): readonly AgentEvent[]
  /** It failed otherwise; text that is held back is given to `failure` when it is an error, else shown. */
  fail(failure: (dump: string) => Failure): readonly AgentEvent[]
}

const NOTHING: readonly AgentEvent[] = []
const EMPTY: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message:
    'Cursor ended the turn without an answer and without running a tool. In the modes ask and plan this happens when it is asked to write.',
}

export function createAcpReader(options: AcpReaderOptions): AcpReader {
  return new Reader(options)
}

class Reader implements AcpReader {
  readonly #options: AcpReaderOptions
  readonly #hold = createErrorHold()
  readonly #thoughts = new WholeCharacters()
  readonly #calls: ToolCalls
  #out: AgentEvent[] = []
  #started = false
  #thinking = false
  #written = 0

  constructor(options: AcpReaderOptions) {
    this.#options = options
    this.#calls = createToolCalls(options.tools)
  }

  update(update: JsonObject): readonly AgentEvent[] {
    switch (update.sessionUpdate) {
      case 'agent_message_chunk':
        this.#begin()
        this.#message(update)
        break
      case 'agent_thought_chunk':
        this.#begin()
        this.#thought(textOf(update) ?? '')
        break
      case 'tool_call':
      case 'tool_call_update':
        this.#begin()
        this.#tool(update)
        break
      case 'plan':
        this.#begin()
        this.#out.push({ type: 'activity', kind: 'other' })
        break
      case 'available_commands_update':
      case 'current_mode_update':
      case 'session_info_update':
      case 'config_option_update':
      case 'usage_update':
      // Only while a session is loaded, or an echo.
      case 'user_message_chunk':
        return NOTHING
      default:
        this.#out.push({ type: 'unknown', kind: 'type' })
    }
    return this.#flush()
  }

  end(stopReason: string, said: string): readonly AgentEvent[] {
    this.#begin()
    this.#thoughtOver()
    const dump = this.#hold.dump()
    if (dump?.certain === true) this.#finish(this.#classified(dump.text))
    else {
      this.#show(this.#hold.release())
      this.#finish(this.#terminal(stopReason, said))
    }
    return this.#flush()
  }

  fail(failure: (dump: string) => Failure): readonly AgentEvent[] {
    this.#thoughtOver()
    const dump = this.#hold.dump()
    if (dump === undefined) this.#show(this.#hold.release())
    this.#finish(failure(dump?.text ?? ''))
    return this.#flush()
  }

  /** The first sign of the agent. */
  #begin(): void {
    if (this.#started) return
    this.#started = true
    const { chatId, modelName: model } = this.#options
    this.#out.push({ type: 'started', chatId, model })
  }

  #message(update: JsonObject): void {
    const text = textOf(update)
    if (text === undefined) {
      this.#out.push({ type: 'unknown', kind: 'subtype' })
      return
    }
    this.#thoughtOver()
    this.#show(this.#hold.push(text))
  }

  #thought(added: string): void {
    this.#show(this.#hold.release())
    this.#thinking = true
    this.#showThought(this.#thoughts.push(added))
  }

  /** ACP does not say when thinking ends: whatever comes next ends it. */
  #thoughtOver(): void {
    if (!this.#thinking) return
    this.#thinking = false
    this.#showThought(this.#thoughts.rest())
    this.#out.push({ type: 'thinking-end' })
  }

  #showThought(text: string): void {
    if (text !== '') this.#out.push({ type: 'thinking-delta', text })
  }

  #tool(update: JsonObject): void {
    this.#thoughtOver()
    this.#show(this.#hold.release())
    this.#hold.segmentStarts()
    this.#out.push(...this.#calls.update(update))
  }

  #show(text: string): void {
    if (text === '') return
    this.#written += text.length
    this.#out.push({ type: 'text-delta', text })
  }

  #terminal(stopReason: string, said: string): Terminal {
    const isEmpty = this.#written === 0 && this.#calls.count === 0
    if (stopReason === 'cancelled') {
      return failed('Cursor cancelled the turn by itself.')
    }
    if (stopReason === 'refusal' && isEmpty) return failed('Cursor refused to answer this prompt.')
    if (isEmpty) return said.trim() === '' ? EMPTY : this.#classified(said)
    const isCut = stopReason === 'max_tokens' || stopReason === 'max_turn_requests'
    return { type: 'finish', reason: isCut ? 'length' : 'stop', cursorUsage: undefined }
  }

  #classified(text: string): Failure {
    const { model, home } = this.#options
    return classify({ text, exit: undefined, model, home })
  }

  #finish(terminal: Terminal): void {
    this.#out.push(...this.#calls.unfinished(), terminal)
  }

  #flush(): readonly AgentEvent[] {
    if (this.#out.length === 0) return NOTHING
    const events = this.#out
    this.#out = []
    return events
  }
}

const failed = (message: string): Failure => ({ type: 'failure', code: 'agent-failed', message })

/** The text of a chunk; undefined for other content. */
function textOf(update: JsonObject): string | undefined {
  const content = objectAt(update, 'content')
  if (content === undefined) return stringAt(update, 'content')
  return stringAt(content, 'text')
}
