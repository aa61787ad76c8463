// What one exchange tells the log and the metrics: the same marks that its headers show, and how it ended.
import type { Answer } from '../core/answer.ts'
import type { AgentEvent } from '../core/events.ts'
import type { LogFields, Logger, Telemetry } from '../core/telemetry.ts'
import type { Api, Turn } from '../core/turn.ts'
import { monotonicMs } from '../lib/clock.ts'
import { rounded } from './reply-headers.ts'

export interface ReportSubject {
  readonly api: Api
  /** Route template, from the closed list of routes. */
  readonly route: string
  readonly requestId: string
  readonly telemetry: Telemetry
  readonly logger: Logger
}

export class Report {
  readonly #subject: ReportSubject
  /** Until the body is read: when the request came. */
  #completeAtMs = monotonicMs()
  #turn: Turn | undefined
  #answer: Answer | undefined
  #acceptMs: number | undefined
  #firstTokenMs: number | undefined
  #relaySumMs = 0
  #relayCount = 0
  #terminal: AgentEvent | undefined
  #ended = false

  constructor(subject: ReportSubject) {
    this.#subject = subject
  }

  bodyRead(atMs: number): void {
    this.#completeAtMs = atMs
  }

  parsed(turn: Turn): void {
    this.#turn = turn
  }

  accepted(answer: Answer): void {
    this.#answer = answer
    this.#acceptMs = monotonicMs() - this.#completeAtMs
    this.#subject.telemetry.overhead('accept', this.#acceptMs / 1000)
  }

  /** Bytes were handed to the socket. `readAtMs`: when their events were read from the child; undefined for keep-alives. */
  handedOver(hasContent: boolean, readAtMs: number | undefined): void {
    const { telemetry, api } = this.#subject
    const nowMs = monotonicMs()
    if (readAtMs !== undefined) {
      const relayMs = Math.max(0, nowMs - readAtMs)
      this.#relaySumMs += relayMs
      this.#relayCount += 1
      telemetry.overhead('relay', relayMs / 1000)
    }
    if (!hasContent || this.#firstTokenMs !== undefined || this.#answer === undefined) return
    this.#firstTokenMs = nowMs - this.#completeAtMs
    telemetry.firstToken(
      { api, backend: this.#answer.backend, start: this.#answer.start() },
      this.#firstTokenMs / 1000,
    )
  }

  terminal(event: AgentEvent): void {
    this.#terminal = event
  }

  /** The one line of this exchange. Later calls are consequences of the first and say nothing. */
  end(outcome: string, status: number): void {
    if (this.#ended) return
    this.#ended = true
    const { telemetry, logger, route } = this.#subject
    telemetry.httpRequest(route, status)
    logger.info('exchange', { ...this.#facts(), outcome, status })
  }

  #facts(): LogFields {
    const answer = this.#answer
    const usage = this.#terminal?.type === 'finish' ? this.#terminal.usage : undefined
    return {
      requestId: this.#subject.requestId,
      route: this.#subject.route,
      asked: this.#turn?.model.slice(0, 100),
      stream: this.#turn?.reply.stream,
      mode: answer?.mode,
      backend: answer?.backend,
      model: answer?.model,
      session: answer?.session,
      start: answer?.start(),
      ...this.#times(answer),
      inputTokens: usage?.input ?? answer?.inputTokens,
      outputTokens: usage?.output,
    }
  }

  #times(answer: Answer | undefined): LogFields {
    const marks = answer?.marks()
    const relayMs = this.#relayCount === 0 ? undefined : this.#relaySumMs / this.#relayCount
    return {
      acceptMs: roundedIfKnown(this.#acceptMs),
      queueMs: roundedIfKnown(marks?.queueMs),
      launchMs: roundedIfKnown(marks?.launchMs),
      dispatchMs: roundedIfKnown(marks?.dispatchMs),
      agentMs: roundedIfKnown(marks?.agentMs),
      relayMs: roundedIfKnown(relayMs),
      firstTokenMs: roundedIfKnown(this.#firstTokenMs),
      totalMs: rounded(monotonicMs() - this.#completeAtMs),
    }
  }
}

function roundedIfKnown(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : rounded(ms)
}
