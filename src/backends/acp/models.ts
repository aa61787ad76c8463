// Model ids of the command line ↔ what an ACP session offers: bracketed variants, or base ids with options beside them.
// Pure. Source: probes and host integrations of 2026.07 to 2026.10; the two vocabularies share no id with `agent models`.
import { arrayAt, isObject, type JsonObject, objectAt, stringAt } from '../../lib/json.ts'
import { nearest } from '../nearest.ts'
import { objects } from '../tool-values.ts'

type Parameters = Readonly<Record<string, string>>

export interface ModelOffer {
  readonly id: string
  readonly name: string
}

export interface ConfigOption {
  readonly id: string
  readonly current: string
  readonly values: readonly string[]
}

/** What a session says about models and options. */
export interface Offered {
  readonly models: readonly ModelOffer[]
  readonly current: string | undefined
  readonly options: readonly ConfigOption[]
}

/** What is to be set so that the model runs. */
export type ModelChoice =
  | { readonly at: 'as-it-is' }
  /** `parameters`: options to set after the model; those it lacks make it an unknown one. */
  | { readonly at: 'set'; readonly id: string; readonly parameters: Parameters }
  | { readonly at: 'unknown'; readonly nearest: readonly string[] }

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max']
const AUTO = new Set(['auto', 'default', 'default[]'])

interface Named {
  readonly base: string
  readonly parameters: Parameters
}

/** All ways to read a name, the one with the most parameters first: `-fast` may also be part of a base name. */
function readings(name: string): Named[] {
  const bracketed = /^([^[\]]+)\[([^[\]]*)\]$/.exec(name)
  if (bracketed !== null) {
    const pairs = (bracketed[2] ?? '').split(',').filter((pair) => pair.includes('='))
    const parameters = Object.fromEntries(
      pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
    )
    return [{ base: bracketed[1] ?? '', parameters }]
  }
  const found: Named[] = [{ base: name, parameters: {} }]
  const words = name.split('-')
  let parameters: Parameters = {}
  while (words.length > 1) {
    const word = words.pop() ?? ''
    if (word === 'fast' || word === 'thinking') parameters = { ...parameters, [word]: 'true' }
    else if (EFFORTS.includes(word)) parameters = { ...parameters, effort: word }
    else break
    found.unshift({ base: words.join('-'), parameters })
  }
  return found
}

/** What the answer to `session/new`, `session/load` or `session/set_config_option` offers. */
export function readOffered(answer: JsonObject): Offered {
  const options = objects(answer, 'configOptions').map((option) => ({
    id: stringAt(option, 'id') ?? '',
    // Assumed: a switch may also come as a boolean.
    current: stringAt(option, 'currentValue') ?? (option.currentValue === true ? 'true' : 'false'),
    values: valuesOf(option),
  }))
  const models = objectAt(answer, 'models')
  const listed = objects(models ?? {}, 'availableModels').flatMap((model) => {
    const id = stringAt(model, 'modelId')
    return id === undefined ? [] : [{ id, name: stringAt(model, 'name') ?? id }]
  })
  const option = options.find(({ id }) => id === 'model')
  return {
    models: listed.length > 0 ? listed : (option?.values ?? []).map((id) => ({ id, name: id })),
    current: stringAt(models ?? {}, 'currentModelId') ?? (option?.current || undefined),
    options,
  }
}

/** Values of a select; groups of them are flattened. */
function valuesOf(option: JsonObject): string[] {
  return (arrayAt(option, 'options') ?? []).filter(isObject).flatMap((one) => {
    const value = stringAt(one, 'value')
    return value === undefined ? valuesOf(one) : [value]
  })
}

/** `wanted`: an id of the command line, `auto` among them (it changes nothing while Auto is what runs). */
export function chooseModel(wanted: string, offered: Offered): ModelChoice {
  const { models, current } = offered
  if (AUTO.has(wanted)) {
    const auto = models.find(({ id }) => AUTO.has(id))
    const runs = current === undefined || AUTO.has(current)
    return runs || auto === undefined
      ? { at: 'as-it-is' }
      : { at: 'set', id: auto.id, parameters: {} }
  }
  const exact = models.find(({ id }) => id === wanted && id.includes('['))
  if (exact !== undefined) return set(exact.id)
  if (models.some(({ id }) => id.includes('['))) return chooseVariant(wanted, models)
  for (const { base, parameters } of readings(wanted)) {
    if (models.some(({ id }) => id === base)) return { at: 'set', id: base, parameters }
  }
  return unknownModel(wanted, models)
}

const set = (id: string): ModelChoice => ({ at: 'set', id, parameters: {} })

const unknownModel = (wanted: string, models: readonly ModelOffer[]): ModelChoice => ({
  at: 'unknown',
  nearest: nearest(
    wanted,
    models.map(({ id }) => id),
    3,
  ),
})

/** Never a fast, thinking or larger variant by itself: of several that fit, the one with the least extras. */
function chooseVariant(wanted: string, models: readonly ModelOffer[]): ModelChoice {
  for (const { base, parameters } of readings(wanted)) {
    const fits = models
      .map(({ id }) => ({ id, named: readings(id)[0] ?? { base: id, parameters: {} } }))
      .filter(({ named }) => named.base === base && hasAll(named.parameters, parameters))
      .map(({ id, named }) => ({ id, extras: extrasOf(named.parameters, parameters) }))
      .sort((a, b) => a.extras - b.extras)
    const best = fits[0]
    if (best !== undefined) return set(best.id)
  }
  return unknownModel(wanted, models)
}

const hasAll = (has: Parameters, wanted: Parameters): boolean =>
  Object.entries(wanted).every(([key, value]) => (has[key] ?? has[alias(key)]) === value)

/** `fast` is never an extra that may come along. */
function extrasOf(has: Parameters, wanted: Parameters): number {
  let extras = 0
  for (const [key, value] of Object.entries(has)) {
    if (key in wanted) continue
    if (value === 'true') extras += key === 'fast' ? 100 : 10
    if (key === 'effort' && value !== 'medium') extras += 1
  }
  return extras
}

/** Some models call their effort `reasoning`. Source: host integrations of 2026. */
const alias = (key: string): string => (key === 'effort' ? 'reasoning' : key)

/**
 * The options to set once the model is chosen, from what the session offers then; undefined when one is lacking.
 * What was not asked for is switched off where it can be: a model chosen before may have left it on.
 */
export function chooseOptions(
  parameters: Parameters,
  offered: Offered,
): readonly (readonly [string, string])[] | undefined {
  const wanted: [string, string][] = []
  for (const [key, value] of Object.entries(parameters)) {
    const option = offered.options.find(({ id }) => id === key || id === alias(key))
    const isDefault = option === undefined && value === 'false'
    if (isDefault) continue
    if (option === undefined || !option.values.includes(value)) return undefined
    if (option.current !== value) wanted.push([option.id, value])
  }
  for (const key of ['thinking', 'fast']) {
    const option = offered.options.find(({ id }) => id === key)
    const isOn = option !== undefined && option.current !== 'false'
    if (isOn && !(key in parameters) && option.values.includes('false')) wanted.push([key, 'false'])
  }
  return wanted
}
