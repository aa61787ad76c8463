// argv → options and words, in the manner of commander (which the CLI's error texts are worded like). Pure.

export interface OptionRule {
  /** As commander prints it in errors: `-H, --header <header>`. */
  readonly spec: string
  readonly meaning: string
  readonly choices?: readonly string[]
  readonly hidden?: boolean
  readonly conflictsWith?: readonly string[]
}

export interface Arguments {
  readonly command: string | undefined
  /** Positional words; after a command, the command's own. */
  readonly words: readonly string[]
  /** Long name without dashes → the values given, '' for a flag or an option whose value may be left out. */
  readonly options: ReadonlyMap<string, readonly string[]>
}

/** What an option was given last; undefined where it was not. */
export const lastValue = ({ options }: Arguments, name: string): string | undefined =>
  options.get(name)?.at(-1)

export type ParsedArguments =
  | { readonly at: 'arguments'; readonly arguments: Arguments }
  | { readonly at: 'error'; readonly text: string }

interface Option {
  readonly rule: OptionRule
  readonly name: string
  readonly value: 'none' | 'optional' | 'required'
}

class ParseError extends Error {}

/**
 * Source: help and refusals of 2026.08 to 2026.10: e.g. `error: unknown option '- item one'`; the other wordings are
 * commander's own.
 */
export function parseArguments(
  argv: readonly string[],
  rules: readonly OptionRule[],
  commands: readonly string[],
): ParsedArguments {
  try {
    return { at: 'arguments', arguments: parse(argv, index(rules), commands) }
  } catch (error) {
    if (error instanceof ParseError) return { at: 'error', text: `error: ${error.message}` }
    throw error
  }
}

function parse(
  argv: readonly string[],
  known: ReadonlyMap<string, Option>,
  commands: readonly string[],
): Arguments {
  const rest = [...argv]
  const words: string[] = []
  const options = new Map<string, string[]>()
  let command: string | undefined
  let unknown: string | undefined
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === '--') {
      // Assumed: nothing after `--` is a command name. To find out: `agent -p -- status`.
      words.push(...rest)
      break
    }
    if (word.length < 2 || !word.startsWith('-')) {
      if (command === undefined && words.length === 0 && commands.includes(word)) command = word
      else words.push(word)
      continue
    }
    const found = matchOption(word, known)
    if (found === undefined) unknown ??= word
    else if (found.inline !== undefined && found.option.value === 'none') {
      // `-pf` is `-p -f`
      add(options, found.option, '')
      rest.unshift(`-${found.inline}`)
    } else add(options, found.option, found.inline ?? takeValue(found.option, rest))
  }
  if (unknown !== undefined) throw new ParseError(`unknown option '${unknown}'`)
  refuseConflicts(options, known)
  return { command, words, options }
}

function matchOption(
  word: string,
  known: ReadonlyMap<string, Option>,
): { readonly option: Option; readonly inline: string | undefined } | undefined {
  const exact = known.get(word)
  if (exact !== undefined) return { option: exact, inline: undefined }
  if (word.startsWith('--')) {
    const equals = word.indexOf('=')
    const option = equals > 0 ? known.get(word.slice(0, equals)) : undefined
    if (option === undefined || option.value === 'none') return undefined
    return { option, inline: word.slice(equals + 1) }
  }
  const option = known.get(word.slice(0, 2))
  return option === undefined ? undefined : { option, inline: word.slice(2) }
}

function takeValue(option: Option, rest: string[]): string {
  if (option.value === 'none') return ''
  const next = rest[0]
  if (option.value === 'required') {
    if (next === undefined) {
      throw new ParseError(`option '${option.rule.spec}' argument missing`)
    }
    rest.shift()
    return next
  }
  // Source: help and refusals of 2026.08 to 2026.10: `--resume -1` is a relative form.
  if (next === undefined || (next.startsWith('-') && !/^-\d+$/u.test(next))) return ''
  rest.shift()
  return next
}

function add(options: Map<string, string[]>, option: Option, value: string): void {
  const choices = option.rule.choices
  if (choices !== undefined && !choices.includes(value)) {
    const allowed = `Allowed choices are ${choices.join(', ')}.`
    throw new ParseError(`option '${option.rule.spec}' argument '${value}' is invalid. ${allowed}`)
  }
  options.set(option.name, [...(options.get(option.name) ?? []), value])
}

function refuseConflicts(
  options: ReadonlyMap<string, unknown>,
  known: ReadonlyMap<string, Option>,
): void {
  for (const name of options.keys()) {
    const option = known.get(`--${name}`)
    for (const other of option?.rule.conflictsWith ?? []) {
      if (!options.has(other)) continue
      const spec = known.get(`--${other}`)?.rule.spec ?? other
      throw new ParseError(`option '${option?.rule.spec}' cannot be used with option '${spec}'`)
    }
  }
}

function index(rules: readonly OptionRule[]): ReadonlyMap<string, Option> {
  const known = new Map<string, Option>()
  for (const rule of rules) {
    const flags = rule.spec.match(/(?<![\w-])--?[\w-]+/gu) ?? []
    const name = flags.at(-1)?.replace(/^--/u, '') ?? ''
    const value = rule.spec.includes('<')
      ? 'required'
      : rule.spec.includes('[')
        ? 'optional'
        : 'none'
    for (const flag of flags) known.set(flag, { rule, name, value })
  }
  return known
}
