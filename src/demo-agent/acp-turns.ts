// What an ACP process plays: one turn for each prompt, steered or cancelled on its way, and steps that belong to no prompt.
// Sources as in acp.ts.
import { arrayAt, type JsonObject, stringAt } from '../lib/json.ts'
import { invalid, type Session } from './acp-session.ts'
import { readPrompt, Turn } from './acp-turn.ts'
import type { Answered } from './acp-wire.ts'
import { lastValue } from './argv.ts'
import { findFolders } from './home.ts'
import type { Program } from './print.ts'
import type { Script } from './script.ts'

export class AcpTurns {
  /** `noExit`: the end of stdin no longer ends the process. */
  staysUp = false
  readonly #program: Program
  readonly #script: Script | undefined
  readonly #turns = new Map<string, { turn: Turn; ended: Promise<string> }>()

  constructor(program: Program, script: Script | undefined) {
    this.#program = program
    this.#script = script
  }

  /** The script's steps before anything is served. */
  async startUp(): Promise<void> {
    const turn = this.#turn({ id: '', cwd: process.cwd() }, '')
    await turn.run(this.#script?.startup ?? [])
  }

  /** Scripted steps before a method's answer, and the fields they give it. */
  async before(method: string, params: JsonObject): Promise<JsonObject> {
    const steps = this.#script?.before(method) ?? []
    if (steps.length === 0) return {}
    const turn = this.#turn({ id: stringAt(params, 'sessionId') ?? '', cwd: process.cwd() }, '')
    await turn.run(steps)
    return turn.fields
  }

  /** Resolves when the turn is over. @throws RpcError for what Cursor refuses, and where the script says so. */
  async prompt(session: Session, params: JsonObject): Promise<Answered> {
    const blocks = arrayAt(params, 'prompt')
    if (blocks === undefined) throw invalid('Invalid params')
    const { text, images } = readPrompt(blocks)
    const before = this.#turns.get(session.id)
    const bytes = Buffer.byteLength(text)
    const { model, mode, values } = session.choice
    this.#program.journal.fact('prompt', {
      session: session.id,
      prompt: text,
      bytes,
      images,
      cwd: session.cwd,
      model,
      values,
      mode,
      steering: before !== undefined,
      atMs: Date.now(),
    })
    session.prompted = true
    // Source: a host's report of 2026: a second prompt steers the first. Assumed: both end together.
    if (before !== undefined) return { answer: { stopReason: await before.ended } }
    const turn = this.#turn(session, text)
    const ended = turn.run(await this.#steps(session, text))
    this.#turns.set(session.id, { turn, ended })
    try {
      const stopReason = await ended
      session.history.push({ prompt: text, text: turn.text })
      return { answer: { stopReason, ...turn.fields }, after: () => turn.afterwards() }
    } finally {
      this.#turns.delete(session.id)
    }
  }

  cancel(params: JsonObject): void {
    const session = stringAt(params, 'sessionId') ?? ''
    this.#program.journal.fact('cancel', { session, atMs: Date.now() })
    this.#turns.get(session)?.turn.cancel()
  }

  async #steps(session: Session, prompt: string): Promise<readonly JsonObject[]> {
    const { settings } = this.#program
    if (this.#script !== undefined) return this.#script.choose(prompt)
    const { builtIn } = await import('./built-in.ts')
    const { model, values } = session.choice
    const thinks = values.thinking === 'true' || model.includes('thinking=true')
    return builtIn({
      prompt,
      modelId: thinks && !model.includes('thinking') ? `${model}-thinking` : model,
      partial: true,
      tools: session.mcp?.list() ?? [],
      earlierTurns: session.history.length,
      refusedFlag: undefined,
      sessionId: session.id,
      nowMs: Date.now(),
      paceMs: settings.paceMs,
    })
  }

  #turn(session: Pick<Session, 'id' | 'cwd'> & Partial<Session>, prompt: string): Turn {
    const { settings, journal, life, arguments: given } = this.#program
    return new Turn({
      session: { id: session.id, cwd: session.cwd, mcp: session.mcp },
      configFolder: findFolders(this.#program.env, lastValue(given, 'data-dir')).config,
      prompt,
      scriptFolder: this.#script?.folder ?? session.cwd,
      journal,
      life,
      forced: given.options.has('force') || given.options.has('yolo'),
      thinkMs: prompt === '' ? 0 : settings.thinkMs,
      onStaysUp: () => {
        this.staysUp = true
        setInterval(() => {}, 2 ** 30)
      },
    })
  }
}
