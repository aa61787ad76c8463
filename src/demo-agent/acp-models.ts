// The two model vocabularies of ACP mode, made from the listed models. Pure.
// Source: probes and host integrations of 2026.07 to 2026.10: bracketed variants, or base ids with options of their own.
import type { Model } from './models.ts'

export type Parameters = Readonly<Record<string, string>>

export interface AcpModel {
  readonly base: string
  readonly parameters: Parameters
  readonly label: string
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
/** Source: reports of 2026: `agent models` lists models that ACP does not offer. Assumed: which. */
const NOT_OFFERED = new Set(['muse-spark-1.3-medium', 'kimi-k3-medium'])

/** `claude-opus-5-thinking-high` → base `claude-opus-5`, thinking true, effort high; `auto` → `default`. */
export function toAcp({ id, label }: Model): AcpModel {
  if (id === 'auto') return { base: 'default', parameters: {}, label }
  const words = id.split('-')
  const parameters: Record<string, string> = {}
  for (let word = words.at(-1) ?? ''; words.length > 1; word = words.at(-1) ?? '') {
    if (word === 'fast') parameters.fast = 'true'
    else if (word === 'thinking') parameters.thinking = 'true'
    else if (EFFORTS.includes(word)) parameters.effort = word
    else break
    words.pop()
  }
  return { base: words.join('-'), parameters, label }
}

export interface Offer {
  readonly modelId: string
  readonly name: string
}

export interface Vocabulary {
  readonly offers: readonly Offer[]
  /** The offered string for a model of the command line; undefined when it is not offered. */
  idOf(model: Model): string | undefined
  /** Options of this offered model beside mode and model, with their values; the first value is the default. */
  options(modelId: string): Readonly<Record<string, readonly string[]>>
}

const ORDER = ['thinking', 'context', 'effort', 'fast']

const bracketed = ({ base, parameters }: AcpModel): string => {
  const pairs = ORDER.flatMap((key) => (key in parameters ? [`${key}=${parameters[key]}`] : []))
  return `${base}[${pairs.join(',')}]`
}

/** Every parameter that any variant of the base has is in all its strings, as the CLI prints them. */
function completed(model: AcpModel, siblings: readonly AcpModel[]): AcpModel {
  const has = (key: string): boolean => siblings.some(({ parameters }) => key in parameters)
  const parameters: Record<string, string> = { ...model.parameters }
  for (const key of ['thinking', 'fast']) if (has(key)) parameters[key] ??= 'false'
  if (has('effort')) parameters.effort ??= 'medium'
  return { ...model, parameters }
}

export function vocabularyOf(listed: readonly Model[], parameterized: boolean): Vocabulary {
  const offered = listed.filter(({ id }) => !NOT_OFFERED.has(id))
  const models = offered.map(toAcp)
  const siblings = (base: string): readonly AcpModel[] => models.filter((one) => one.base === base)
  if (!parameterized) {
    const ids = new Map(
      offered.map((model, at) => {
        const one = models[at] ?? toAcp(model)
        return [model.id, bracketed(completed(one, siblings(one.base)))]
      }),
    )
    return {
      offers: offered.map(({ id, label }) => ({ modelId: ids.get(id) ?? id, name: label })),
      idOf: ({ id }) => ids.get(id),
      options: () => ({}),
    }
  }
  const bases = new Map<string, string>()
  for (const { base, label } of models) if (!bases.has(base)) bases.set(base, label)
  return {
    offers: [...bases].map(([modelId, name]) => ({ modelId, name })),
    idOf: (model) => (offered.includes(model) ? toAcp(model).base : undefined),
    options: (modelId) => {
      const values: Record<string, readonly string[]> = {}
      const all = siblings(modelId)
      for (const key of ['thinking', 'fast']) {
        if (all.some(({ parameters }) => key in parameters)) values[key] = ['false', 'true']
      }
      const efforts = new Set(all.flatMap(({ parameters }) => parameters.effort ?? []))
      if (efforts.size > 0) {
        const known = EFFORTS.filter((effort) => efforts.has(effort))
        values.effort = efforts.has('medium')
          ? ['medium', ...known.filter((effort) => effort !== 'medium')]
          : known
      }
      return values
    },
  }
}
