// Lines of `--output-format stream-json` → AgentEvents, one line at a time. Pure: no process, no clock.
// This is the hot path of every token: narrow by hand, no schema library.
import type { ActivityKind, AgentEvent, Failure, Terminal, UnknownKind } from '../../core/events.ts'
import type { ToolNames } from '../../core/tool-names.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../lib/json.ts'
import { classify } from '../classify.ts'
import { createErrorHold } from '../error-hold.ts'
import { type Calls, createCalls } from './calls.ts'
import { errorText, messageText, objectsOf, plainDelta, usageOf } from './records.ts'
import { createSegments } from './segments.ts'

export interface PrintParserOptions {
  /** The model that was asked for, for messages about it. */
  readonly model?: string
  /** The service's home folder, kept out of messages. */
  readonly home?: string
  /** Mode bridge: the client's tools. */
  readonly tools?: ToolNames
}

export interface EndFacts {
  /** Undefined when the process is not known to have ended. */
  readonly exit: { readonly code: number | null; readonly signal: string | null } | undefined
  readonly stderrTail: string
}

export interface PrintParser {
  /** Events of one line, without its line break. None after the terminal event. */
  line(text: string): readonly AgentEvent[]
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

const NOTHING: readonly AgentEvent[] = []
const MOST_PLAIN_TEXT = 8 * 1024
const EMPTY: Failure = {
  type: 'failure',
  code: 'agent-failed',
  message:
    'Cursor reported success but gave no answer and ran no tool. In the modes ask and plan this happens when it is asked to write.',
}
const activity = (kind: ActivityKind): AgentEvent => ({ type: 'activity', kind })
const unknown = (kind: UnknownKind): AgentEvent => ({ type: 'unknown', kind })

export function createPrintParser(options: PrintParserOptions = {}): PrintParser {
  return new Reader(options)
}

class Reader implements PrintParser {
  readonly #options: PrintParserOptions
  /** Events of the line at hand; text, calls and mismatches go here in order. */
  #out: AgentEvent[] = []
  readonly #segments = createSegments((kind) => this.#out.push(unknown(kind)))
  readonly #hold = createErrorHold()
  readonly #calls: Calls
  #ended = false
  #spoke = false
  #started = false
  #plainText = ''
  #errorSeen = ''
  #dropped = 0
  #half = ''

  constructor(options: PrintParserOptions) {
    this.#options = options
    this.#calls = createCalls(options.tools)
  }

  #showText(text: string): void {
    if (text !== '') this.#out.push({ type: 'text-delta', text })
  }

  #classified(words: readonly string[], exit: EndFacts['exit']): Failure {
    const { model = '', home = '' } = this.#options
    return classify({ text: words.filter((text) => text !== '').join('\n'), exit, model, home })
  }

  #finish(terminal: Terminal): void {
    this.#out.push(...this.#calls.unfinished(), terminal)
    this.#ended = true
  }

  #assistant(record: JsonObject): void {
    const text = messageText(record)
    if (text === undefined || text === '') return
    const id = record.model_call_id
    const modelCallId = typeof id === 'string' ? id : undefined
    if (modelCallId === undefined && record.timestamp_ms !== undefined) {
      this.#delta(text)
      return
    }
    const tail = this.#segments.full(text, modelCallId)
    if (tail !== '') this.#showText(this.#hold.push(tail))
    this.#hold.segmentStarts()
  }

  #delta(text: string): void {
    this.#showText(this.#hold.push(this.#segments.delta(text)))
  }

  #thinking(record: JsonObject): void {
    if (record.subtype === 'completed') {
      if (this.#half !== '') this.#out.push({ type: 'thinking-delta', text: this.#half })
      this.#half = ''
      this.#out.push({ type: 'thinking-end' })
      return
    }
    if (record.subtype !== 'delta') {
      this.#out.push(unknown('subtype'))
      return
    }
    const text = this.#half + (stringAt(record, 'text') ?? '')
    this.#half = /[\uD800-\uDBFF]$/.test(text) ? text.slice(-1) : ''
    const whole = this.#half === '' ? text : text.slice(0, -1)
    this.#showText(this.#hold.release())
    if (whole !== '') this.#out.push({ type: 'thinking-delta', text: whole })
  }

  #toolCall(record: JsonObject): void {
    const isStart = record.subtype === 'started'
    if (!isStart && record.subtype !== 'completed') {
      this.#out.push(unknown('subtype'))
      return
    }
    const events = isStart ? this.#calls.started(record) : this.#calls.completed(record)
    const isCall = events.some((event) => event.type === 'tool-start' || event.type === 'tool-end')
    if (isCall || events.length === 0) {
      if (isStart) this.#segments.toolStarted()
      this.#showText(this.#hold.release())
      this.#hold.segmentStarts()
    }
    this.#out.push(...events)
  }

  #system(record: JsonObject): void {
    if (record.subtype === 'init' && !this.#started) {
      this.#started = true
      const chatId = stringAt(record, 'session_id') ?? ''
      this.#out.push({ type: 'started', chatId, model: stringAt(record, 'model') ?? '' })
      return
    }
    // `background_shell_timeout`, `task_notification`. Source: a reading of the 2026.09 bundle.
    const rare =
      record.subtype === 'background_shell_timeout' || record.subtype === 'task_notification'
    this.#out.push(rare || record.subtype === 'init' ? activity('other') : unknown('subtype'))
  }

  #connection(record: JsonObject): void {
    if (record.subtype === 'reconnecting') this.#out.push(activity('reconnecting'))
    else if (record.subtype === 'reconnected') this.#out.push(activity('reconnected'))
    else this.#out.push(unknown('subtype'))
  }

  #retry(record: JsonObject): void {
    if (record.subtype === 'starting') this.#segments.retryStarted()
    const isKnown = record.subtype === 'starting' || record.subtype === 'resuming'
    this.#out.push(isKnown ? activity('retry') : unknown('subtype'))
  }

  #result(record: JsonObject): void {
    const subtype = stringAt(record, 'subtype') ?? 'success'
    if (record.is_error === true || subtype.startsWith('error')) {
      const dump = this.#takeDump()
      const own = errorText(record)
      const words = own === '' ? [this.#errorSeen, this.#plainText, dump] : [own]
      this.#finish(this.#classified(words, undefined))
      return
    }
    if (subtype !== 'success') this.#out.push(unknown('subtype'))
    const text = stringAt(record, 'result') ?? ''
    this.#showText(this.#hold.push(this.#segments.result(text)))
    const dump = this.#hold.dump()
    if (dump !== undefined && (dump.certain || !text.includes(dump.text))) {
      this.#finish(this.#classified([dump.text], undefined))
      return
    }
    this.#showText(this.#hold.release())
    // A success that says and did nothing is none: plan and ask modes end so when asked to write, some builds on errors.
    if (this.#segments.written === 0 && this.#calls.count === 0) {
      const words = this.#errorSeen + this.#plainText
      this.#finish(words === '' ? EMPTY : this.#classified([words], undefined))
      return
    }
    this.#finish({ type: 'finish', reason: 'stop', cursorUsage: usageOf(record) })
  }

  /** The error dump at the end of the text, '' when there is none; then what was held is text. */
  #takeDump(): string {
    const dump = this.#hold.dump()
    if (dump === undefined) this.#showText(this.#hold.release())
    return dump?.text ?? ''
  }

  #take(record: JsonObject): void {
    this.#spoke = true
    switch (record.type) {
      case 'assistant':
        this.#assistant(record)
        break
      case 'thinking':
        this.#thinking(record)
        break
      case 'tool_call':
        this.#toolCall(record)
        break
      case 'result':
        this.#result(record)
        break
      case 'system':
        this.#system(record)
        break
      case 'user':
        break
      case 'interaction_query':
        this.#out.push(activity('query'))
        break
      case 'connection':
        this.#connection(record)
        break
      case 'retry':
        this.#retry(record)
        break
      case 'error':
        // Not the end by itself: the CLI may still recover. It is the reason when no good result follows.
        this.#errorSeen = errorText(record) || 'unknown error'
        this.#out.push(activity('other'))
        break
      default:
        this.#out.push(unknown('type'))
    }
  }

  #noise(text: string): void {
    if (text.trim() === '') return
    this.#plainText = `${this.#plainText}${text}\n`.slice(-MOST_PLAIN_TEXT)
    this.#out.push(unknown('not-json'))
  }

  #flush(): readonly AgentEvent[] {
    if (this.#out.length === 0) return NOTHING
    const events = this.#out
    this.#out = []
    return events
  }

  line(text: string): readonly AgentEvent[] {
    if (this.#ended || text === '') return NOTHING
    const delta = plainDelta(text)
    if (delta !== undefined) {
      this.#spoke = true
      this.#delta(delta)
      return this.#flush()
    }
    const value = parseJson(text)
    if (isObject(value)) this.#take(value)
    else {
      const records = objectsOf(text)
      if (records === undefined) this.#noise(text)
      else for (const record of records) if (!this.#ended) this.#take(record)
    }
    return this.#flush()
  }

  tooLong(count: number): readonly AgentEvent[] {
    if (this.#ended || count === 0) return NOTHING
    this.#dropped += count
    return Array.from({ length: count }, () => unknown('line-too-long'))
  }

  end(facts: EndFacts): readonly AgentEvent[] {
    if (this.#ended) return NOTHING
    const words = [this.#errorSeen, this.#plainText, facts.stderrTail, this.#takeDump()]
    const failure = this.#classified(words, facts.exit)
    const note = ` (${this.#dropped} lines of its output were longer than limits.line_mb and were dropped.)`
    this.#finish(this.#dropped === 0 ? failure : { ...failure, message: failure.message + note })
    return this.#flush()
  }

  get ended(): boolean {
    return this.#ended
  }

  get spoke(): boolean {
    return this.#spoke
  }

  get plainText(): string {
    return this.#plainText
  }
}
