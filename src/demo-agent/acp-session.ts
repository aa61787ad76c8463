// A session of ACP mode: its folder, its mode and model, what was said; and the options it offers.
import type { JsonObject } from '../lib/json.ts'
import type { Vocabulary } from './acp-models.ts'
import { RpcError } from './acp-wire.ts'
import type { McpTools } from './mcp.ts'

export interface Exchange {
  readonly prompt: string
  readonly text: string
}

/** What can be set; one for all sessions with the quirk `shared-settings`. */
export interface Choice {
  mode: string
  model: string
  /** Options of the model, by id. */
  values: Record<string, string>
}

export interface Session {
  readonly id: string
  cwd: string
  readonly choice: Choice
  readonly history: Exchange[]
  /** Source: probes of 2026.08.11: a session that was never prompted cannot be loaded. */
  prompted: boolean
  mcp: McpTools | undefined
}

export const MODES = ['agent', 'plan', 'ask']

// -32602 as the CLI uses it. Source: probes of 2026.08.11.
export const invalid = (message: string, data?: unknown): RpcError =>
  new RpcError(-32602, message, data)

/** Sets the model and gives its options their first values. */
export function chooseModel(choice: Choice, model: string, vocabulary: Vocabulary): void {
  if (!vocabulary.offers.some(({ modelId }) => modelId === model)) {
    throw invalid(`Invalid model value: ${model}`)
  }
  choice.model = model
  choice.values = Object.fromEntries(
    Object.entries(vocabulary.options(model)).map(([id, values]) => [id, values[0] ?? '']),
  )
}

/** @throws RpcError for an option the model lacks, or a value the option lacks. */
export function setOption(choice: Choice, id: string, value: string, words: Vocabulary): void {
  if (id === 'model') chooseModel(choice, value, words)
  else if (id === 'mode') setMode(choice, value)
  else setValue(choice, id, value, words)
}

function setValue(choice: Choice, id: string, value: string, words: Vocabulary): void {
  const values = words.options(choice.model)[id]
  if (values === undefined) throw invalid(`Unknown model config option: ${id}`)
  // Assumed: the words.
  if (!values.includes(value)) throw invalid(`Invalid ${id} value: ${value}`)
  choice.values[id] = value
}

export function setMode(choice: Choice, mode: string): void {
  // Assumed: the words.
  if (!MODES.includes(mode)) throw invalid(`Invalid mode: ${mode}`)
  choice.mode = mode
}

const option = (id: string, currentValue: string, values: readonly string[]): JsonObject => ({
  id,
  name: id,
  type: 'select',
  currentValue,
  options: values.map((value) => ({ value, name: value })),
})

/** The result of `session/new` and, without the id, of `session/load`. */
export function described(session: Session, vocabulary: Vocabulary): JsonObject {
  const { mode, model } = session.choice
  return {
    sessionId: session.id,
    modes: {
      currentModeId: mode,
      availableModes: MODES.map((id) => ({ id, name: id })),
    },
    models: { currentModelId: model, availableModels: vocabulary.offers },
    configOptions: configOptions(session.choice, vocabulary),
  }
}

export function configOptions(choice: Choice, vocabulary: Vocabulary): readonly JsonObject[] {
  const models = vocabulary.offers.map(({ modelId }) => modelId)
  const more = Object.entries(vocabulary.options(choice.model))
  return [
    option('mode', choice.mode, MODES),
    option('model', choice.model, models),
    ...more.map(([id, values]) => option(id, choice.values[id] ?? '', values)),
  ]
}
