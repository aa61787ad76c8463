// A streamed reply: batches of events → frames → the socket, with late headers, keep-alives and back-pressure.
import {
  type AgentEvent,
  type Batch,
  type Failure,
  isTerminal,
  isVisible,
  type Terminal,
} from '../core/events.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { StreamWriter } from '../protocols/protocol.ts'
import { type Accepted, sendFailure } from './exchange-state.ts'
import { type KeepAlive, keepAlive } from './keep-alive.ts'
import { answerHeaders, idHeaders } from './reply-headers.ts'
import { SSE_HEADERS, sseTexts } from './sse.ts'

/** What one batch comes to. */
interface Step {
  readonly text: string
  /** Something of the answer itself is in `text`. */
  readonly hasContent: boolean
  readonly terminal: Terminal | undefined
}

/** Our own bug, told in the stream's own way: a stream never just ends. */
const BROKEN: Failure = {
  type: 'failure',
  code: 'internal',
  message: 'Internal error in cursor-adapter; its log has the details under this request id.',
}

/** Replies until the terminal event. True when the last byte was handed over and the client was still there. */
export async function streamReply(accepted: Accepted): Promise<boolean> {
  const stream = new Streaming(accepted)
  try {
    return await stream.run()
  } finally {
    stream.stop()
  }
}

class Streaming {
  readonly #accepted: Accepted
  readonly #writer: StreamWriter
  readonly #keepAlive: KeepAlive
  /** Frames of events that do not make the headers go by themselves. */
  #pending = ''

  constructor(accepted: Accepted) {
    this.#accepted = accepted
    this.#writer = accepted.protocol.stream(accepted.turn, accepted.context)
    const { keepAliveMs } = accepted.services.timing
    this.#keepAlive = keepAlive(keepAliveMs, accepted.completeAtMs, () => this.#beat())
    accepted.outlet.whenLeft(() => this.stop())
  }

  stop(): void {
    this.#keepAlive.stop()
  }

  async run(): Promise<boolean> {
    const { answer, outlet, report } = this.#accepted
    for (;;) {
      const next = await answer.next()
      // A reader that has been released gets nothing more: that is no broken stream.
      if (outlet.left !== undefined) return false
      const batch = next ?? brokenOff(this.#accepted)
      const step = this.#take(batch.events)
      if (step.terminal !== undefined) return await this.#finish(step, step.terminal, batch)
      if (!outlet.headersSent && !step.hasContent) {
        this.#pending += step.text
        continue
      }
      if (step.text === '') continue
      this.#head()
      const room = outlet.write(this.#withPending(step.text))
      this.#keepAlive.touch()
      report.handedOver(step.hasContent, batch.readAtMs)
      // Not pulling the next batch is what slows the child down.
      if (room !== undefined) await room
    }
  }

  #take(events: readonly AgentEvent[]): Step {
    let text = ''
    let hasContent = false
    for (const event of events) {
      // Nothing shown yet: the failure becomes the reply's status instead of a frame.
      const early = event.type === 'failure' && !hasContent && !this.#accepted.outlet.headersSent
      const frames = early ? [] : this.#writer.event(event)
      // An event that this protocol does not show is not visible here (hidden tools, unasked thinking).
      if (frames.length > 0 && isVisible(event)) hasContent = true
      text += sseTexts(frames)
      if (isTerminal(event)) return { text, hasContent, terminal: event }
    }
    return { text, hasContent, terminal: undefined }
  }

  async #finish(step: Step, terminal: Terminal, batch: Batch): Promise<boolean> {
    const { outlet, report, answer } = this.#accepted
    this.stop()
    report.terminal(terminal)
    if (terminal.type === 'failure' && !step.hasContent && !outlet.headersSent) {
      return await sendFailure(this.#accepted, terminal, answer)
    }
    this.#head()
    const ended = outlet.end(this.#withPending(step.text))
    report.handedOver(step.hasContent, batch.readAtMs)
    const delivered = await ended
    report.end(terminal.type === 'failure' ? terminal.code : 'success', 200)
    return delivered
  }

  #head(): void {
    const { outlet, answer, requestId, protocol } = this.#accepted
    if (outlet.headersSent) return
    outlet.head(200, {
      ...SSE_HEADERS,
      ...idHeaders(requestId, protocol.api),
      ...answerHeaders(answer),
    })
  }

  #withPending(text: string): string {
    const all = this.#pending + text
    this.#pending = ''
    return all
  }

  /** Runs between writes, never inside one. A socket that still holds bytes needs no sign of life. */
  #beat(): void {
    const { outlet, report } = this.#accepted
    if (outlet.left !== undefined || outlet.blocked) return
    this.#head()
    const text = this.#withPending(sseTexts(this.#writer.beat()))
    if (text === '') {
      outlet.flushHead()
      return
    }
    // Small and only written into an empty buffer: there is no room to wait for.
    void outlet.write(text)
    report.handedOver(false, undefined)
  }
}

/** The contract says that a terminal event came before; without one this is a bug, and an end all the same. */
function brokenOff(accepted: Accepted): Batch {
  accepted.services.logger.error('an event stream ended without a terminal event', {
    requestId: accepted.requestId,
  })
  return { events: [BROKEN], readAtMs: monotonicMs() }
}
