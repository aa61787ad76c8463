// What a user asks to be done, told from plain sentences: the demo's stand-in for a model's choice of tools. Pure.
import { parseJson } from '../lib/json.ts'
import type { ToolRole } from '../lib/tool-roles.ts'

export type Wish =
  | { readonly do: 'read'; readonly path: string }
  | { readonly do: 'run'; readonly command: string }
  | { readonly do: 'write'; readonly path: string; readonly content: string }
  | { readonly do: 'edit'; readonly path: string; readonly old: string; readonly new: string }
  | { readonly do: 'find'; readonly pattern: string }
  | { readonly do: 'search'; readonly pattern: string }
  | { readonly do: 'fetch'; readonly url: string }
  | { readonly do: 'delegate'; readonly prompt: string }

/** What a wish needs. */
export const ROLES: Readonly<Record<Exclude<Wish['do'], 'delegate'>, ToolRole>> = {
  read: 'read',
  run: 'shell',
  write: 'write',
  edit: 'edit',
  find: 'glob',
  search: 'grep',
  fetch: 'fetch',
}

const VERB =
  'read|open|show|view|cat|run|execute|write|create|edit|replace|change|find|search|grep|fetch'
/** One after the other. */
const THEN = /\s*(?:;|\.\s|\n|,?\s*(?:and )?then\b)\s*/iu
/** At the same time. */
const AND = new RegExp(`\\s*(?:,\\s*and|,|\\band)\\s+(?=(?:${VERB})\\b)`, 'iu')

const QUOTED = '(?:`([^`]+)`|"([^"]+)"|\'([^\']+)\')'
/** Quoted, or a word with a dot or a slash in it. */
const FILE = `(?:the )?(?:file )?(?:${QUOTED}|(\\S*[./]\\S*))`

type Maker = (words: readonly string[]) => Wish

/** What may stand before a wish. Anything else before it, and it is a sentence about something. */
const POLITE =
  "^(?:(?:please|now|also|first|just|can|could|would|will|you|i|we|want|need|like|to|let's|and)[\\s,]+)*"

interface Form {
  readonly form: RegExp
  /** Groups that must be there. */
  readonly parts: number
  readonly wish: Maker
}

const form = (pattern: string, parts: number, wish: Maker): Form => ({
  form: new RegExp(`${POLITE}${pattern}`, 'isu'),
  parts,
  wish,
})

const WITH = '(?:with|by|to|into)'
/** An unquoted command does not begin like a phrase ("run on the machine"). */
const NO_PHRASE =
  '(?!(?:on|in|at|of|the|an?|it|its|this|that|these|them|your|my|all|only|with|for|to|when|as|by|from|and|or|is|are|not)\\b)'

const FORMS: readonly Form[] = [
  form(
    '(?:use|start|launch|spawn|have|let|ask) (?:an? |the |your )?sub-?agent\\b.*?(?: to)? (?=\\w)(.+)$',
    1,
    ([prompt = '']) => ({
      do: 'delegate',
      prompt,
    }),
  ),
  form(
    `(?:replace|change) ${QUOTED} ${WITH} ${QUOTED} in ${FILE}`,
    3,
    ([old = '', text = '', path = '']) => ({
      do: 'edit',
      path,
      old,
      new: text,
    }),
  ),
  form(
    `(?:edit|in) ${FILE}\\W+(?:replace|change)? ?${QUOTED} ${WITH} ${QUOTED}`,
    3,
    ([path = '', old = '', text = '']) => ({ do: 'edit', path, old, new: text }),
  ),
  form(`write ${QUOTED} (?:in)?to ${FILE}`, 2, ([content = '', path = '']) => ({
    do: 'write',
    path,
    content,
  })),
  form(
    `(?:write|create) ${FILE}\\W+with (?:the )?(?:text |content |contents )?${QUOTED}`,
    2,
    ([path = '', content = '']) => ({ do: 'write', path, content }),
  ),
  form(`(?:run|execute) (?:the )?(?:command )?${QUOTED}`, 1, ([command = '']) => ({
    do: 'run',
    command,
  })),
  form(
    `(?:run|execute) (?:the )?(?:command:? )?${NO_PHRASE}([^\\n]{1,200}?)\\.?$`,
    1,
    ([command = '']) => ({ do: 'run', command }),
  ),
  form('fetch (?:the )?(?:page )?(https?:\\/\\/\\S+)', 1, ([url = '']) => ({ do: 'fetch', url })),
  form(`(?:search|grep)\\b[^"'\`]{0,40}${QUOTED}`, 1, ([pattern = '']) => ({
    do: 'search',
    pattern,
  })),
  form(
    'find (?:all |the )?(?:files )?(?:named |matching |like )?[`"\']?(\\S*\\*\\S*?)[`"\']?(?=\\s|$)',
    1,
    ([pattern = '']) => ({ do: 'find', pattern }),
  ),
  form(
    `(?:read|open|show(?: me)?|view|cat) (?:the )?(?:contents? of )?${FILE}`,
    1,
    ([path = '']) => ({
      do: 'read',
      path: path.replace(/[.,:;!?)]+$/u, ''),
    }),
  ),
]

/**
 * Steps in order; the wishes of one step are meant to be done at the same time. A step whose first clause is no wish has
 * none: what follows "and" may then belong to anything.
 */
export function wishesIn(text: string): readonly (readonly Wish[])[] {
  return unquoted(text)
    .split(THEN)
    .map((step) => {
      const wishes = step.split(AND).map(wishOf)
      return wishes[0] === undefined ? [] : wishes.filter((wish) => wish !== undefined)
    })
    .filter((step) => step.length > 0)
}

/** Source: OpenCode 1.18 puts a message of its command line into quotes, as JSON does. */
function unquoted(text: string): string {
  const value = /^".*"$/su.test(text.trim()) ? parseJson(text.trim()) : undefined
  return typeof value === 'string' ? value : text
}

function wishOf(clause: string): Wish | undefined {
  for (const { form: shape, parts, wish } of FORMS) {
    const match = shape.exec(clause.trim())
    const words = match?.slice(1).filter((word) => word !== undefined && word !== '')
    if (words !== undefined && words.length >= parts) return wish(words)
  }
  return undefined
}

/** The folder the conversation says the client works in; undefined where it says none. */
export function rootIn(prompt: string): string | undefined {
  const named =
    /\b(?:working directory|current directory|cwd|workspace root|project root)\b[^\n/]{0,40}(\/[^\s`"'<>,;]+)/iu
  return named.exec(prompt)?.[1]?.replace(/[.)]+$/u, '')
}
