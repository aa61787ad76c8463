// The kinds of settings: each builds a zod schema with its default and records what people must know about it.
// Knows no key and reads nothing.
import * as z from 'zod'

export type Kind = 'integer' | 'number' | 'boolean' | 'text' | 'list' | 'map'

export interface Facts {
  readonly kind: Kind
  /** `seconds`, `milliseconds`, `MB`, …; '' where a unit makes no sense. */
  readonly unit: string
  readonly meaning: string
  /** The expected form in words, as error messages and `config.yaml` say it. */
  readonly form: string
  /** Command line flag of `serve` and `demo`, with its dashes. */
  readonly flag: string | undefined
  /** The value is never echoed. */
  readonly secret: boolean
  /** A leading `~` stands for the user's home folder (in each item of a list). */
  readonly path: boolean
}

export const facts = z.registry<Facts>()

export interface About {
  readonly meaning: string
  readonly unit?: string
  readonly flag?: string
  readonly secret?: boolean
  readonly path?: boolean
  /** Overrides the expected form that the kind would state. */
  readonly form?: string
}

function factsOf(kind: Kind, form: string, about: About): Facts {
  return {
    kind,
    form: about.form ?? form,
    meaning: about.meaning,
    unit: about.unit ?? '',
    flag: about.flag,
    secret: about.secret ?? false,
    path: about.path ?? false,
  }
}

type Range = readonly [min: number, max: number]

export function integer(initial: number, [min, max]: Range, about: About) {
  const form = `a whole number from ${min} to ${max}`
  const schema = z.int().min(min).max(max).default(initial)
  return schema.register(facts, factsOf('integer', form, about))
}

export function number(initial: number, [min, max]: Range, about: About) {
  const schema = z.number().min(min).max(max).default(initial)
  return schema.register(facts, factsOf('number', `a number from ${min} to ${max}`, about))
}

export function boolean(initial: boolean, about: About) {
  const schema = z.boolean().default(initial)
  return schema.register(facts, factsOf('boolean', 'true or false', about))
}

/** One word of a list. Words in `later` belong to the design but cannot be served yet and are refused as such. */
export function choice<const Word extends string>(
  initial: NoInfer<Word>,
  words: readonly Word[],
  about: About,
  later: readonly NoInfer<Word>[] = [],
) {
  const now = words.filter((word) => !later.includes(word))
  const note = later.length === 0 ? '' : ` (not in this version: ${later.join(', ')})`
  const schema = z
    .enum(words)
    .refine((word) => !later.includes(word))
    .default(initial)
  return schema.register(facts, factsOf('text', `one of ${now.join(', ')}${note}`, about))
}

export function text(initial: string, pattern: RegExp, about: About & { readonly form: string }) {
  const schema = z.string().regex(pattern).default(initial)
  return schema.register(facts, factsOf('text', about.form, about))
}

/** A text that may be absent: `null` in the file means none. */
export function optionalText(pattern: RegExp, about: About & { readonly form: string }) {
  const schema = z.string().regex(pattern).nullable().default(null)
  return schema.register(facts, factsOf('text', `${about.form}, or null for none`, about))
}

export function list(item: RegExp, about: About & { readonly form: string }) {
  const schema = z.array(z.string().regex(item)).default([])
  const form = `a list: ${about.form} (comma-separated in a variable)`
  return schema.register(facts, factsOf('list', form, { ...about, form }))
}

export function map(key: RegExp, about: About & { readonly form: string }) {
  const schema = z.record(z.string().regex(key), z.string()).default({})
  const form = `${about.form} (JSON in a variable)`
  return schema.register(facts, factsOf('map', form, { ...about, form }))
}
