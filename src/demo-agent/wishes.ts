// What a user asks to be done, told from plain sentences: the demo's stand-in for a model's choice of tools. Pure.
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

const FORMS: readonly { readonly form: RegExp; readonly parts: number; readonly wish: Maker }[] = [
  {
    form: /\bsub-?agent\b.*?\bto\b (.+)$/isu,
    parts: 1,
    wish: ([prompt = '']) => ({ do: 'delegate', prompt }),
  },
  {
    form: new RegExp(
      `\\b(?:replace|change) ${QUOTED} (?:with|by|to|into) ${QUOTED} in ${FILE}`,
      'iu',
    ),
    parts: 3,
    wish: ([old = '', text = '', path = '']) => ({ do: 'edit', path, old, new: text }),
  },
  {
    form: new RegExp(
      `\\b(?:edit|in) ${FILE}\\W+(?:replace|change)? ?${QUOTED} (?:with|by|to|into) ${QUOTED}`,
      'iu',
    ),
    parts: 3,
    wish: ([path = '', old = '', text = '']) => ({ do: 'edit', path, old, new: text }),
  },
  {
    form: new RegExp(`\\bwrite ${QUOTED} (?:in)?to ${FILE}`, 'iu'),
    parts: 2,
    wish: ([content = '', path = '']) => ({ do: 'write', path, content }),
  },
  {
    form: new RegExp(
      `\\b(?:write|create) ${FILE}\\W+with (?:the )?(?:text |content |contents )?${QUOTED}`,
      'iu',
    ),
    parts: 2,
    wish: ([path = '', content = '']) => ({ do: 'write', path, content }),
  },
  {
    form: new RegExp(`\\b(?:run|execute) (?:the )?(?:command )?${QUOTED}`, 'iu'),
    parts: 1,
    wish: ([command = '']) => ({ do: 'run', command }),
  },
  {
    form: /\b(?:run|execute) (?:the )?(?:command:? )?(.+?)\.?$/iu,
    parts: 1,
    wish: ([command = '']) => ({ do: 'run', command }),
  },
  {
    form: /\bfetch (?:the )?(?:page )?(https?:\/\/\S+)/iu,
    parts: 1,
    wish: ([url = '']) => ({ do: 'fetch', url }),
  },
  {
    form: new RegExp(`\\b(?:search|grep)\\b[^"'\`]*${QUOTED}`, 'iu'),
    parts: 1,
    wish: ([pattern = '']) => ({ do: 'search', pattern }),
  },
  {
    form: /\bfind (?:all |the )?(?:files )?(?:named |matching |like )?[`"']?(\S*\*\S*?)[`"']?(?=\s|$)/iu,
    parts: 1,
    wish: ([pattern = '']) => ({ do: 'find', pattern }),
  },
  {
    form: new RegExp(
      `\\b(?:read|open|show(?: me)?|view|cat) (?:the )?(?:contents? of )?${FILE}`,
      'iu',
    ),
    parts: 1,
    wish: ([path = '']) => ({ do: 'read', path: path.replace(/[.,:;!?)]+$/u, '') }),
  },
]

/** Steps in order; the wishes of one step are meant to be done at the same time. */
export function wishesIn(text: string): readonly (readonly Wish[])[] {
  return text
    .split(THEN)
    .map((step) => step.split(AND).flatMap((clause) => wishOf(clause) ?? []))
    .filter((step) => step.length > 0)
}

function wishOf(clause: string): Wish | undefined {
  for (const { form, parts, wish } of FORMS) {
    const match = form.exec(clause.trim())
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
