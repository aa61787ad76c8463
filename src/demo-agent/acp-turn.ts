// One prompt of ACP mode, from its arrival to its answer: plays the steps, can be cancelled in the middle.
import { isObject, type JsonObject, numberAt, stringAt } from '../lib/json.ts'
import { AcpAnswer } from './acp-answer.ts'
import type { Session } from './acp-session.ts'
import { ask, notify, RpcError } from './acp-wire.ts'
import { play } from './effects.ts'
import type { Journal, Life } from './life.ts'
import { pause } from './life.ts'
import { write } from './pipes.ts'
import type { Step } from './script.ts'
import type { AcpTurn, Stage } from './stage.ts'

/** Thrown inside the steps of a turn that is over, to leave them. */
class TurnOver extends Error {}

export interface TurnParts {
  readonly session: Pick<Session, 'id' | 'cwd' | 'mcp'>
  readonly prompt: string
  readonly scriptFolder: string
  readonly journal: Journal
  readonly life: Life
  readonly forced: boolean
  readonly configFolder: string
  readonly thinkMs: number
  /** `noExit`: the end of stdin no longer ends the process. */
  readonly onStaysUp: () => void
}

export class Turn implements AcpTurn {
  readonly sessionId: string
  readonly forced: boolean
  /** Fields for the answer, from `answer` steps. */
  readonly fields: Record<string, unknown> = {}
  readonly #parts: TurnParts
  readonly #answer: AcpAnswer
  #stopReason = 'end_turn'
  #isOver = false
  #isDeaf = false
  #late = ''
  readonly #givenUp = new AbortController()
  #cancel: (reason: string) => void = () => {}
  readonly #cancelled = new Promise<string>((resolve) => {
    this.#cancel = resolve
  })

  constructor(parts: TurnParts) {
    this.#parts = parts
    this.sessionId = parts.session.id
    this.forced = parts.forced
    this.#answer = new AcpAnswer({
      sessionId: this.sessionId,
      update: (update) => this.update(update),
      print: (lines) => this.#print(lines),
    })
  }

  get text(): string {
    return this.#answer.text
  }

  /** Resolves with the stop reason. @throws RpcError where the script says so. */
  async run(steps: readonly Step[]): Promise<string> {
    const playing = this.#play(steps)
    const reason = await Promise.race([playing, this.#cancelled])
    this.#isOver = true
    return reason
  }

  /** After the answer went out. */
  afterwards(): Promise<void> | undefined {
    return this.#late === '' ? undefined : this.#chunk(this.#late)
  }

  cancel(): void {
    if (this.#isDeaf) return
    this.#cancel('cancelled')
    // Assumed: calls that wait are given up. To find out: cancel a turn that waits for a slow MCP tool.
    this.#givenUp.abort()
  }

  update(update: JsonObject): Promise<void> | undefined {
    if (this.#isOver) throw new TurnOver()
    return notify('session/update', { sessionId: this.sessionId, update })
  }

  notify(method: string, params: JsonObject): Promise<void> | undefined {
    if (this.#isOver) throw new TurnOver()
    return notify(method, { sessionId: this.sessionId, ...params })
  }

  async ask(method: string, params: JsonObject): Promise<unknown> {
    if (this.#isOver) throw new TurnOver()
    const reply = await ask(method, { sessionId: this.sessionId, ...params })
    this.#parts.journal.fact('answer', { method, ...reply, atMs: Date.now() })
    return reply.at === 'result' ? reply.result : undefined
  }

  stop(reason: string): void {
    this.#stopReason = reason
  }

  fail(error: JsonObject): never {
    const message = stringAt(error, 'message') ?? 'Internal error'
    throw new RpcError(numberAt(error, 'code') ?? -32603, message, error.data)
  }

  deaf(): void {
    this.#isDeaf = true
  }

  late(text: string): void {
    this.#late += text
  }

  answer(fields: JsonObject): void {
    Object.assign(this.fields, fields)
  }

  async #play(steps: readonly Step[]): Promise<string> {
    try {
      await pause(this.#parts.thinkMs)
      await play(steps, this.#stage())
    } catch (error) {
      if (!(error instanceof TurnOver)) throw error
    }
    return this.#stopReason
  }

  #stage(): Stage {
    const { prompt, session, scriptFolder, journal, life, onStaysUp } = this.#parts
    return {
      answer: this.#answer,
      acp: this,
      prompt,
      cwd: session.cwd,
      scriptFolder,
      journal,
      life,
      mcp: session.mcp,
      configFolder: this.#parts.configFolder,
      forced: this.forced,
      signal: this.#givenUp.signal,
      results: [],
      thought: () => undefined,
      begun: () => {},
      get staysUp() {
        return false
      },
      set staysUp(_value) {
        onStaysUp()
      },
      sawResult: false,
      stdinClosed: false,
    }
  }

  #print(lines: string): Promise<void> | undefined {
    if (this.#isOver) throw new TurnOver()
    return write(lines)
  }

  #chunk(text: string): Promise<void> | undefined {
    const update = { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text } }
    return notify('session/update', { sessionId: this.sessionId, update })
  }
}

/** Text of a prompt's blocks, and how many images it has. @throws RpcError for what Cursor refuses. */
export function readPrompt(blocks: readonly unknown[]): {
  text: string
  images: readonly JsonObject[]
} {
  let text = ''
  const images: JsonObject[] = []
  for (const block of blocks) {
    const kind = isObject(block) ? stringAt(block, 'type') : undefined
    if (!isObject(block) || kind === undefined) throw new RpcError(-32602, 'Invalid params')
    if (kind === 'text') text += stringAt(block, 'text') ?? ''
    else if (kind === 'image') {
      const data = stringAt(block, 'data') ?? ''
      images.push({ mimeType: block.mimeType, bytes: Buffer.from(data, 'base64').length })
    } else if (kind !== 'resource_link') {
      // Source: captures of 2026.08: audio and embedded resources are refused. Assumed: the words.
      throw new RpcError(-32602, `Unsupported content type: ${kind}`)
    }
  }
  return { text, images }
}
