// `stop` and the token limit, applied by us because Cursor's CLI takes neither.
//
// What counts is the text that the client gets, per step: from the start or the last tool call on, as a provider counts
// each answer of its model. Thinking does not count, and neither does what an agent says between its tools add up: a limit
// meant for one answer would otherwise cut the work of every longer run.
//
// Past the limit nothing more is said, and the stop reason is the honest one, which no client repeats the request on. While
// no tool of Cursor's has run, the agent is ended at once (a probe with max_tokens 1 costs one token); once one has run, it
// goes on to its end unheard, because work cut in half is worse than a reply that ends later.
import type { AgentEvent, Batch, Finish } from '../core/events.ts'
import type { Run } from '../core/run.ts'
import type { Turn } from '../core/turn.ts'
import { countText, createTokenMeter } from '../prompt/tokens.ts'
import { runWith } from './run-with.ts'

type Cut = Pick<Finish, 'reason' | 'stopSequence' | 'diverged'>

/** The same run where the request sets no limit. */
export function limitedRun(run: Run, turn: Pick<Turn, 'stop' | 'maxOutputTokens'>): Run {
  const stops = turn.stop.filter((stop) => stop !== '')
  if (stops.length === 0 && turn.maxOutputTokens === undefined) return run
  const limits = new Limits(stops, turn.maxOutputTokens)
  let ended = false
  return runWith(run, {
    async next() {
      while (!ended) {
        const batch = await run.next()
        if (batch === undefined) return undefined
        const events = limits.pass(batch.events)
        if (limits.endsNow) {
          ended = true
          // The label of an exit that we caused ourselves; the client is still there.
          run.cancel('client-gone')
          void readOut(run)
        }
        if (events.length > 0) return { ...batch, events }
      }
      return undefined
    },
  })
}

async function readOut(run: Run): Promise<void> {
  while ((await run.next()) !== undefined);
}

/** Stateful, one per run; O(1) per delta but near the limit. */
class Limits {
  readonly #stops: readonly string[]
  readonly #most: number
  #step: Step
  /** The end of the text that could be the beginning of a stop sequence. */
  #held = ''
  #worked = false
  #cut: Cut | undefined

  constructor(stops: readonly string[], most: number | undefined) {
    this.#stops = stops
    this.#most = most ?? Number.POSITIVE_INFINITY
    this.#step = new Step(this.#most)
  }

  /** The reply has ended, though the run has not. */
  get endsNow(): boolean {
    return this.#cut !== undefined && !this.#worked
  }

  pass(events: Batch['events']): AgentEvent[] {
    const out: AgentEvent[] = []
    for (const event of events) {
      this.#take(event, out)
      if (this.endsNow) {
        out.push({ type: 'finish', cursorUsage: undefined, reason: 'stop', ...this.#cut })
        break
      }
    }
    return out
  }

  #take(event: AgentEvent, out: AgentEvent[]): void {
    switch (event.type) {
      case 'text-delta':
        if (this.#cut === undefined) this.#text(event.text, out)
        return
      case 'thinking-delta':
      case 'thinking-end':
        this.#flush(out)
        if (this.#cut === undefined) out.push(event)
        return
      case 'tool-start':
        this.#flush(out)
        if (this.endsNow) return
        // The client's own calls are its business: ending the run loses nothing.
        if (event.host === 'cursor') this.#worked = true
        this.#step = new Step(this.#most)
        out.push(event)
        return
      case 'finish':
        this.#flush(out)
        if (!this.endsNow) out.push({ ...event, ...this.#cut })
        return
      case 'tool-end':
      case 'failure':
      case 'started':
      case 'activity':
      case 'unknown':
        out.push(event)
        return
    }
  }

  #text(text: string, out: AgentEvent[]): void {
    const all = this.#held + text
    this.#held = ''
    const found = firstOf(this.#stops, all)
    if (found !== undefined) {
      this.#say(all.slice(0, found.at), out)
      this.#cut ??= { reason: 'stop-sequence', stopSequence: found.stop, diverged: true }
      return
    }
    const held = possibleStart(this.#stops, all)
    this.#say(all.slice(0, all.length - held), out)
    if (this.#cut === undefined) this.#held = all.slice(all.length - held)
  }

  #flush(out: AgentEvent[]): void {
    const held = this.#held
    this.#held = ''
    if (this.#cut === undefined) this.#say(held, out)
  }

  #say(text: string, out: AgentEvent[]): void {
    if (text === '') return
    const fits = this.#step.take(text)
    if (fits > 0) out.push({ type: 'text-delta', text: text.slice(0, fits) })
    if (fits < text.length) this.#cut = { reason: 'length', diverged: true }
  }
}

/** No tokenizer makes more tokens of a UTF-16 unit. */
const MOST_PER_UNIT = 3

/** The text between two tool calls. */
class Step {
  readonly #most: number
  readonly #meter = createTokenMeter()
  #counted = 0
  /** What came since; counted only when it could reach the limit, because most answers never do. */
  #uncounted = ''

  constructor(most: number) {
    this.#most = most
  }

  /** How many units of `text` still fit; all of them as long as the limit is far. */
  take(text: string): number {
    if (this.#most === Number.POSITIVE_INFINITY) return text.length
    const units = this.#uncounted.length + text.length
    if (this.#counted + units * MOST_PER_UNIT <= this.#most) {
      this.#uncounted += text
      return text.length
    }
    this.#meter.add(this.#uncounted)
    this.#uncounted = ''
    const before = this.#meter.total()
    this.#meter.add(text)
    this.#counted = this.#meter.total()
    return this.#counted <= this.#most ? text.length : fitting(text, this.#most - before)
  }
}

/** Length of the longest beginning of at most so many tokens; no pair of surrogates is torn. */
function fitting(text: string, tokens: number): number {
  if (tokens <= 0) return 0
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (countText(text.slice(0, middle)) <= tokens) low = middle
    else high = middle - 1
  }
  return /[\uD800-\uDBFF]$/.test(text.slice(0, low)) ? low - 1 : low
}

/** The one that is complete first, as in a text that comes letter by letter; of those the longest. */
function firstOf(
  stops: readonly string[],
  text: string,
): { readonly at: number; readonly stop: string } | undefined {
  const found = stops.flatMap((stop) => {
    const at = text.indexOf(stop)
    return at < 0 ? [] : [{ at, stop, end: at + stop.length }]
  })
  return found.toSorted((one, other) => one.end - other.end || one.at - other.at)[0]
}

/** Units at the end of `text` with which a stop sequence could begin. */
function possibleStart(stops: readonly string[], text: string): number {
  let longest = 0
  for (const stop of stops) {
    for (let units = Math.min(stop.length - 1, text.length); units > longest; units -= 1) {
      if (text.endsWith(stop.slice(0, units))) longest = units
    }
  }
  return longest
}
