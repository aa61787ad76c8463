// The connection to one ACP child: reads its output for as long as it lives, sends requests with deadlines, and knows its
// last words.
import { homedir } from 'node:os'
import type { Failure, UnknownKind } from '../../core/events.ts'
import { DeadlineError, withDeadline } from '../../lib/deadline.ts'
import { isObject, type JsonObject } from '../../lib/json.ts'
import type { Child, ChildExit } from '../../process/child.ts'
import { asksForLogin, classify } from '../classify.ts'
import { watchForLogin } from '../login-watch.ts'
import { type AcpClient, AcpRefusal, ConnectionClosed, openAcpClient } from './client.ts'
import { noAnswer, refusalFailure, StepFailed } from './failures.ts'

/** It asks for a login and waits for a person. */
class LoginWanted extends Error {}

export interface LinkHandlers {
  readonly update: (sessionId: string, update: JsonObject) => void
  readonly ask: (method: string, params: JsonObject) => JsonObject | undefined
  readonly odd: (kind: UnknownKind) => void
  /** A chunk of output has been taken; the next is read when this resolves. */
  readonly batch: (readAtMs: number) => Promise<void> | undefined
  /** The output is over. */
  readonly over: () => void
}

const MOST_PLAIN_TEXT = 8 * 1024

export class AcpLink {
  readonly #child: Child
  readonly #patienceMs: number
  #client: AcpClient | undefined
  #handlers: LinkHandlers | undefined
  #plainText = ''
  #isOver = false

  /** `patienceMs`: how long a child that closed its output may take to exit. */
  constructor(child: Child, patienceMs: number) {
    this.#child = child
    this.#patienceMs = patienceMs
  }

  /** Once; nothing is heard before `read`. */
  async open(handlers: LinkHandlers): Promise<void> {
    const client = await openAcpClient((line) => this.#child.write(line), {
      update: handlers.update,
      ask: handlers.ask,
      odd: (kind, line) => {
        if (kind === 'not-json') {
          this.#plainText = `${this.#plainText}${line}\n`.slice(-MOST_PLAIN_TEXT)
        }
        handlers.odd(kind)
      },
    })
    this.#client = client
    this.#handlers = handlers
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** What the process wrote beside the protocol. */
  get said(): string {
    return `${this.#plainText}${this.#child.stderrTail()}`
  }

  /** A request without a deadline. @throws AcpRefusal, ConnectionClosed */
  request(method: string, params: JsonObject): Promise<unknown> {
    const client = this.#client
    if (client === undefined) throw new Error('the link is not open')
    return client.request(method, params)
  }

  notify(method: string, params: JsonObject): void {
    this.#client?.notify(method, params)
  }

  /** A step before the prompt; its clock starts now. @throws StepFailed */
  async step(method: string, params: JsonObject, ms: number, model: string): Promise<JsonObject> {
    let stopWatch: () => void = () => undefined
    const asked = new Promise<never>((_, reject) => {
      stopWatch = watchForLogin(
        () => this.said,
        () => reject(new LoginWanted()),
      )
    })
    try {
      const answer = withDeadline(method, ms, this.request(method, params))
      const result = await Promise.race([answer, asked])
      return isObject(result) ? result : {}
    } catch (error) {
      throw new StepFailed(await this.explain(error, { method, ms, model }))
    } finally {
      stopWatch()
    }
  }

  /** Why a request failed. Rethrows what is no answer of the agent and no end of it. */
  async explain(
    error: unknown,
    { method, ms, model }: { readonly method: string; readonly ms: number; readonly model: string },
  ): Promise<Failure> {
    if (error instanceof AcpRefusal) {
      const { code, message, data } = error
      return refusalFailure({ code, message, data, model, home: homedir(), said: this.said })
    }
    if (error instanceof ConnectionClosed) return this.death(model)
    const isLate = error instanceof DeadlineError
    if (!isLate && !(error instanceof LoginWanted)) throw error
    const { said } = this
    if (!isLate || asksForLogin(said))
      return classify({ text: said, exit: undefined, model, home: homedir() })
    return noAnswer(method, ms)
  }

  /** It is gone and did nothing for this run: after an accident the run may be repeated as it is. */
  async death(model: string): Promise<Failure> {
    const exit = await this.exit()
    const failure = this.lastWords(exit, '', model)
    const isAccident = exit.signal !== null || (exit.code !== null && exit.code > 128)
    return isAccident && failure.code === 'agent-failed' ? { ...failure, again: 'same' } : failure
  }

  /** The output ended: how the process exited and what was said tell why. */
  lastWords(exit: ChildExit, dump: string, model: string): Failure {
    const isKnown = exit.code !== null || exit.signal !== null
    const silent = isKnown ? '' : '\nIt closed its output and did not exit.'
    const text = [this.said + silent, dump].join('\n')
    return classify({ text, exit: isKnown ? exit : undefined, model, home: homedir() })
  }

  /** How it exited, once its standard error has been read; no code and no signal when it does not exit. */
  async exit(): Promise<ChildExit> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      // A busy event loop lets the timer win over an exit that is already there: one more turn before giving up.
      timer = setTimeout(() => setImmediate(() => resolve(undefined)), this.#patienceMs)
    })
    const exit = await Promise.race([this.#child.exited, late])
    clearTimeout(timer)
    if (exit === undefined) return { code: null, signal: null }
    await this.#child.stderrRead
    return exit
  }

  /** Reads until the output is over; called once whoever handles is there. */
  async read(): Promise<void> {
    const [client, handlers] = [this.#client, this.#handlers]
    if (client === undefined || handlers === undefined) throw new Error('the link is not open')
    for await (const { lines, tooLong, readAtMs } of this.#child.lines()) {
      for (let count = 0; count < tooLong; count += 1) handlers.odd('line-too-long')
      for (const line of lines) client.line(line)
      await handlers.batch(readAtMs)
    }
    this.#isOver = true
    handlers.over()
    client.close()
  }
}
