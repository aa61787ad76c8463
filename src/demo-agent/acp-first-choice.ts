// What sessions of ACP mode begin with: the words in which models are offered, and the model and mode of the flags.
import { toAcp, type Vocabulary, vocabularyOf } from './acp-models.ts'
import { type Choice, chooseModel, setOption } from './acp-session.ts'
import { lastValue } from './argv.ts'
import { findFolders, writeWorkerLog } from './home.ts'
import { findModel, listedModels, storeModel } from './models.ts'
import type { Program } from './print.ts'
import { Refused } from './refusal.ts'

export class FirstChoice {
  readonly choice: Choice = { mode: 'agent', model: 'default', values: {} }
  readonly #program: Program
  #words: Vocabulary = vocabularyOf([], false)

  constructor(program: Program) {
    this.#program = program
  }

  get words(): Vocabulary {
    return this.#words
  }

  /** Source: a host's report of 2026: a stale model id makes the process exit 1 with print mode's line. */
  checkFlags(): void {
    const { settings, env } = this.#program
    const folders = findFolders(env, this.#flag('data-dir'))
    writeWorkerLog(folders, process.cwd(), settings.quirks)
    this.speak(false)
    const id = this.#flag('model')
    if (id === undefined) return
    const model = findModel(id, settings.modelsFile)
    if (model === undefined) {
      const known = listedModels(settings.modelsFile).map((entry) => entry.id)
      throw new Refused(`Cannot use this model: ${id}. Available models: ${known.join(', ')}`)
    }
    storeModel(folders, model, settings.quirks)
    const mode = this.#flag('mode')
    if (mode !== undefined) this.choice.mode = mode
  }

  /** Chooses the model vocabulary and puts the flag's model into its words. */
  speak(parameterized: boolean): void {
    const { settings } = this.#program
    const wants = parameterized && !settings.quirks.has('bracket-models')
    const listed = listedModels(settings.modelsFile)
    this.#words = vocabularyOf(listed, wants)
    const model = listed.find(({ id }) => id === (this.#flag('model') ?? 'auto'))
    const offered = model === undefined ? undefined : this.#words.idOf(model)
    const fallback = this.#words.offers[0]?.modelId
    if (offered === undefined && fallback === undefined) return
    chooseModel(this.choice, offered ?? fallback ?? '', this.#words)
    if (!wants || model === undefined) return
    for (const [id, value] of Object.entries(toAcp(model).parameters)) {
      setOption(this.choice, id, value, this.#words)
    }
  }

  #flag(name: string): string | undefined {
    return lastValue(this.#program.arguments, name)
  }
}
