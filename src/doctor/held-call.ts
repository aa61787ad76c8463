// The one call of a tool of ours whose answer is held back, seen from both sides: our server and the agent's stream.
import type { AgentHooks } from '../backends/backend.ts'
import type { ClientToolCall, ClientTools, ToolContact } from '../core/client-tools.ts'
import type { AgentEvent } from '../core/events.ts'
import { monotonicMs } from '../lib/clock.ts'
import { atMost } from '../lib/deadline.ts'

/** Nothing that a model would guess. */
const WORD = 'wombat-17'
/** How far apart the news on both sides may be. */
const TOLD_MS = 500

/** What became of the first call; `ms` from the moment it came. */
export type Held =
  | { readonly at: 'not-called' }
  /** Neither answered nor given up when the reply ended. */
  | { readonly at: 'left'; readonly ms: number }
  /** `told`: our server was; else only the stream showed that the call was over for Cursor. */
  | { readonly at: 'given-up'; readonly ms: number; readonly told: boolean }
  /** `isHeard`: the stream or the reply shows that the answer arrived. */
  | { readonly at: 'answered'; readonly ms: number; readonly isHeard: boolean }

export interface Outcome {
  readonly held: Held
  readonly contact: ToolContact
  /** The whole reply. */
  readonly text: string
}

/** `holdMs` counts from the call; one watch for one run. */
export class CallWatch {
  readonly holdMs: number
  readonly hooks: AgentHooks
  /** The call has come. */
  onCall: () => void = () => undefined
  readonly #tools: ClientTools
  #token = ''
  #call: ClientToolCall | undefined
  #timer: NodeJS.Timeout | undefined
  #held: Held | { readonly at: 'waiting' } = { at: 'not-called' }
  /** The call's id in the stream. */
  #shown: string | undefined
  #text = ''

  constructor(tools: ClientTools, holdMs: number) {
    this.#tools = tools
    this.holdMs = holdMs
    this.hooks = {
      onKilled: () => undefined,
      tools: {
        opened: (token, offered) => {
          this.#token = token
          tools.open(token, offered)
          tools.listen(token, (call) => this.#called(call))
        },
        closed: (token) => tools.close(token),
      },
    }
  }

  /** The reply has ended: what comes later is no news. */
  async end(): Promise<Outcome> {
    clearTimeout(this.#timer)
    if (this.#held.at === 'waiting') this.#held = { at: 'left', ms: this.#ms() }
    const signal = this.#call?.signal
    if (this.#held.at === 'given-up' && signal?.aborted === false) {
      await atMost(
        TOLD_MS,
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
      )
    }
    return { held: this.#held, contact: this.#tools.contact(this.#token), text: this.#text }
  }

  heard(event: AgentEvent): void {
    if (event.type === 'text-delta') this.#text += event.text
    if (event.type === 'tool-start' && event.host === 'client') this.#shown ??= event.callId
    if (event.type === 'tool-end' && event.callId === this.#shown) this.#ended(event.isError)
    if (this.#held.at === 'answered' && this.#text.includes(WORD)) {
      this.#held = { ...this.#held, isHeard: true }
    }
  }

  #ms(): number {
    return this.#call === undefined ? 0 : monotonicMs() - this.#call.arrivedAtMs
  }

  #called(call: ClientToolCall): void {
    if (this.#call !== undefined) {
      // The model tries once more: what there was to learn is known.
      call.answer({ content: [{ type: 'text', text: 'Enough: reply "late".' }], isError: false })
      return
    }
    this.#call = call
    this.#held = { at: 'waiting' }
    call.signal.addEventListener('abort', () => this.#gaveUp(true), { once: true })
    this.#timer = setTimeout(() => this.#answer(call), this.holdMs)
    this.onCall()
  }

  #answer(call: ClientToolCall): void {
    if (this.#held.at !== 'waiting') return
    const text = `The word of the day is ${WORD}.`
    const isTaken = call.answer({ content: [{ type: 'text', text }], isError: false })
    if (isTaken) this.#held = { at: 'answered', ms: this.#ms(), isHeard: false }
    else this.#gaveUp(true)
  }

  #gaveUp(told: boolean): void {
    const ms = this.#ms()
    if (this.#held.at === 'waiting') this.#held = { at: 'given-up', ms, told }
    // The message and the stream come by different ways. Much later it only means that Cursor is gone.
    else if (this.#held.at === 'given-up' && told && ms < this.#held.ms + TOLD_MS) {
      this.#held = { ...this.#held, told }
    }
  }

  #ended(isError: boolean): void {
    if (this.#held.at === 'answered') this.#held = { ...this.#held, isHeard: !isError }
    else this.#gaveUp(false)
  }
}
