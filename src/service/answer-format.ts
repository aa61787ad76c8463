// An answer that must be JSON: held back until it is whole, checked, once asked for again, else an honest error.
import type { AgentEvent, Batch, Failure, Finish } from '../core/events.ts'
import type { CancelCause, Run } from '../core/run.ts'
import type { AnswerFormat } from '../core/turn.ts'
import { repairPrompt } from '../prompt/format.ts'
import { runWith } from './run-with.ts'

/** Longer answers are no JSON that anybody asked for; they are not held in memory. */
const MAX_CHARS = 4 * 1024 * 1024

/** `again`: submits a run of its own with this prompt. The same run where any text will do. */
export function formattedRun(
  run: Run,
  format: AnswerFormat | undefined,
  again: (prompt: string) => Run,
): Run {
  if (format === undefined) return run
  const formatted = new Formatted(run, format, again)
  return runWith(run, {
    next: () => formatted.next(),
    cancel: (cause) => formatted.cancel(cause),
    settled: formatted.settled,
  })
}

class Formatted {
  readonly #format: AnswerFormat
  readonly #again: (prompt: string) => Run
  #run: Run
  /** What was said between tools, oldest first; the answer is what came last. */
  #steps: string[] = ['']
  #length = 0
  #repaired = false
  #cancelled: CancelCause | undefined
  #end: () => void = () => undefined
  readonly settled: Promise<void>

  constructor(run: Run, format: AnswerFormat, again: (prompt: string) => Run) {
    this.#run = run
    this.#format = format
    this.#again = again
    const ended = new Promise<void>((resolve) => {
      this.#end = resolve
    })
    this.settled = ended.then(() => this.#run.settled)
  }

  cancel(cause: CancelCause): void {
    this.#cancelled = cause
    this.#run.cancel(cause)
  }

  async next(): Promise<Batch | undefined> {
    for (;;) {
      const batch = await this.#run.next()
      if (batch === undefined) {
        this.#end()
        return undefined
      }
      const events = batch.events.flatMap((event) => this.#take(event))
      if (events.length > 0) return { ...batch, events }
    }
  }

  #take(event: AgentEvent): readonly AgentEvent[] {
    if (event.type === 'finish') return this.#finish(event)
    if (event.type === 'failure') this.#end()
    if (event.type === 'tool-start') return [...this.#nextStep(event.host), event]
    if (event.type !== 'text-delta') return [event]
    this.#length += event.text.length
    const last = this.#steps.pop() ?? ''
    this.#steps.push(this.#length <= MAX_CHARS ? last + event.text : last)
    return []
  }

  /** Before a call of the client's the reply may end: what was said goes with it. Before Cursor's own it is no answer. */
  #nextStep(host: 'cursor' | 'client'): readonly AgentEvent[] {
    if (host === 'cursor') {
      this.#steps.push('')
      return []
    }
    const text = this.#steps.join('')
    this.#steps = ['']
    return text === '' ? [] : [{ type: 'text-delta', text }]
  }

  #finish(finish: Finish): readonly AgentEvent[] {
    const answer = this.#steps.join('')
    const found =
      this.#length > MAX_CHARS
        ? { problem: `it is longer than ${MAX_CHARS} characters` }
        : readJson(this.#steps.toReversed(), this.#format)
    // An answer that was cut is what it is; calls need no answer.
    const isCut = finish.reason === 'length' || finish.reason === 'stop-sequence'
    const isCall = finish.reason === 'tool-calls' && answer.trim() === ''
    if (isCut || isCall || 'json' in found) {
      this.#end()
      const text = 'json' in found && !isCut ? found.json : answer
      const end = this.#repaired ? { ...finish, diverged: true } : finish
      return text === '' ? [end] : [{ type: 'text-delta', text }, end]
    }
    if (this.#repaired || this.#cancelled !== undefined) {
      this.#end()
      return [failed(found.problem)]
    }
    this.#repaired = true
    this.#steps = ['']
    this.#length = 0
    this.#run = this.#again(repairPrompt(this.#format, answer, found.problem))
    return []
  }
}

function failed(problem: string): Failure {
  return {
    type: 'failure',
    code: 'agent-failed',
    message: `the answer is not in the form that was asked for, also after it was asked for once more: ${problem.slice(0, 500)}`,
  }
}

/** The JSON text of the first of these texts that has one, out of a code fence or from between words if need be. */
function readJson(
  texts: readonly string[],
  format: AnswerFormat,
): { readonly json: string } | { readonly problem: string } {
  let problem: string | undefined
  for (const text of texts.flatMap(candidates)) {
    const value = parsed(text)
    if (value === undefined) continue
    const wrong = format.problem(value.json)
    if (wrong === undefined) return { json: text }
    problem ??= wrong
  }
  return { problem: problem ?? 'it is not JSON' }
}

function candidates(answer: string): readonly string[] {
  const whole = answer.trim()
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/.exec(whole)?.[1]?.trim()
  const [from, to] = [whole.indexOf('{'), whole.lastIndexOf('}')]
  const braced = from >= 0 && to > from ? whole.slice(from, to + 1) : undefined
  return [...new Set([whole, fenced, braced])].filter((text) => text !== undefined)
}

function parsed(text: string): { readonly json: unknown } | undefined {
  try {
    return { json: JSON.parse(text) }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
