// Lines of `--output-format stream-json` → AgentEvents, one line at a time. Pure: no process, no clock.
// This is the hot path of every token: narrow by hand, no schema library.
import type { AgentEvent, Terminal } from '../../core/events.ts'
import { isObject, type JsonObject, parseJson, stringAt } from '../../lib/json.ts'
import { createErrorHold } from '../error-hold.ts'
import { WholeCharacters } from '../whole-characters.ts'
import { type Calls, createCalls } from './calls.ts'
import type { PrintParser, PrintParserOptions } from './parser.ts'
import { errorText, messageText, objectsOf, plainDelta, usageOf } from './records.ts'
import { type EndFacts, Said } from './said.ts'
import { createSegments } from './segments.ts'
import { sideEvent, unknown } from './side-records.ts'

const NOTHING: readonly AgentEvent[] = []

export function createPrintParser(options: PrintParserOptions = {}): PrintParser {
  return new Reader(options)
}

class Reader implements PrintParser {
  /** Events of the line at hand; text, calls and mismatches go here in order. */
  #out: AgentEvent[] = []
  readonly #segments = createSegments((kind) => this.#out.push(unknown(kind)))
  readonly #hold = createErrorHold()
  readonly #thoughts = new WholeCharacters()
  readonly #calls: Calls
  readonly #said: Said
  #ended = false
  #spoke = false
  #started = false

  constructor(options: PrintParserOptions) {
    this.#calls = createCalls(options.tools)
    this.#said = new Said(options)
  }

  #showText(text: string): void {
    if (text !== '') this.#out.push({ type: 'text-delta', text })
  }

  #showThought(text: string): void {
    if (text !== '') this.#out.push({ type: 'thinking-delta', text })
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
      this.#showThought(this.#thoughts.rest())
      this.#out.push({ type: 'thinking-end' })
    } else if (record.subtype === 'delta') {
      this.#showText(this.#hold.release())
      this.#showThought(this.#thoughts.push(stringAt(record, 'text') ?? ''))
    } else this.#out.push(unknown('subtype'))
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
    this.#out.push(sideEvent(record))
  }

  #result(record: JsonObject): void {
    const subtype = stringAt(record, 'subtype') ?? 'success'
    if (record.is_error === true || subtype.startsWith('error')) {
      const dump = this.#takeDump()
      const own = errorText(record)
      const words = own === '' ? [...this.#said.words, dump] : [own]
      this.#finish(this.#said.failure(words))
      return
    }
    if (subtype !== 'success') this.#out.push(unknown('subtype'))
    const text = stringAt(record, 'result') ?? ''
    this.#showText(this.#hold.push(this.#segments.result(text)))
    const dump = this.#hold.dump()
    if (dump !== undefined && (dump.certain || !text.includes(dump.text))) {
      this.#finish(this.#said.failure([dump.text]))
      return
    }
    this.#showText(this.#hold.release())
    // A success that says and did nothing is none: plan and ask modes end so when asked to write, some builds on errors.
    if (this.#segments.written === 0 && this.#calls.count === 0) {
      this.#finish(this.#said.ofNothing())
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
      case 'retry':
        if (record.subtype === 'starting') this.#segments.retryStarted()
        this.#out.push(sideEvent(record))
        break
      case 'error':
        // Not the end by itself: the CLI may still recover. It is the reason when no good result follows.
        this.#said.error(errorText(record) || 'unknown error')
        this.#out.push(sideEvent(record))
        break
      default:
        this.#out.push(sideEvent(record))
    }
  }

  #noise(text: string): void {
    if (text.trim() === '') return
    this.#said.plain(text)
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
    if (delta !== undefined) return this.deltas(delta)
    const value = parseJson(text)
    if (isObject(value)) this.#take(value)
    else {
      const records = objectsOf(text)
      if (records === undefined) this.#noise(text)
      else for (const record of records) if (!this.#ended) this.#take(record)
    }
    return this.#flush()
  }

  deltas(text: string): readonly AgentEvent[] {
    if (this.#ended) return NOTHING
    this.#spoke = true
    this.#delta(text)
    return this.#flush()
  }

  tooLong(count: number): readonly AgentEvent[] {
    if (this.#ended || count === 0) return NOTHING
    this.#said.dropped(count)
    return Array.from({ length: count }, () => unknown('line-too-long'))
  }

  end(facts: EndFacts): readonly AgentEvent[] {
    if (this.#ended) return NOTHING
    this.#finish(this.#said.atEnd(facts, this.#takeDump()))
    return this.#flush()
  }

  get ended(): boolean {
    return this.#ended
  }

  get spoke(): boolean {
    return this.#spoke
  }

  get plainText(): string {
    return this.#said.plainText
  }
}
