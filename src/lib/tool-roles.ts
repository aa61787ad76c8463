// Which of a client's tools does what Cursor's own would do, told by its name, else by its description. Pure.
// Source: tool lists of Claude Code, OpenCode, Codex, Qwen Code, Cline, Pi and Hermes (2026).

export type ToolRole =
  | 'read'
  | 'edit'
  | 'write'
  | 'shell'
  | 'glob'
  | 'grep'
  | 'list'
  | 'fetch'
  | 'search'

interface Signs {
  /** On the name without server, separators and capitals. */
  readonly name: RegExp
  readonly description: RegExp
}

const SIGNS: Readonly<Record<ToolRole, Signs>> = {
  read: {
    name: /^(?:fs)?(?:read|readfiles?|readtextfile|view|viewfile|cat|openfile)$/,
    description: /\breads? (?:the )?(?:contents? of )?(?:a |the )?(?:text )?file/i,
  },
  edit: {
    name: /^(?:fs)?(?:edit|editor|editfile|strreplace|strreplaceeditor|replace|replaceinfile|applypatch|patch|multiedit|searchreplace)$/,
    description:
      /\b(?:edits?|modif(?:y|ies)|replaces? (?:text|strings?) in) (?:an? |the )?(?:existing )?file/i,
  },
  write: {
    name: /^(?:fs)?(?:write|writefile|writetofile|createfile|create)$/,
    description: /\b(?:writes?|creates?) (?:content to )?(?:a |the |new )*file/i,
  },
  shell: {
    name: /^(?:bash|shell|exec|exec(?:ute)?command|run(?:shell|terminal)?commands?|terminal|localshell|execute)$/,
    description: /\b(?:runs?|executes?) (?:a |the |any |given )*(?:bash|shell|terminal|command)/i,
  },
  glob: {
    name: /^(?:glob|globsearch|fileglob|findfiles|filesearch|find)$/,
    description: /\b(?:finds?|search(?:es)? for) files (?:by|matching)/i,
  },
  grep: {
    name: /^(?:grep|grepsearch|ripgrep|searchfilecontent|searchfiles|searchtext|codesearch|searchcodebase|search)$/,
    description: /\bsearch(?:es)? (?:the )?(?:file )?contents?\b/i,
  },
  list: {
    name: /^(?:ls|list|listdir|listfiles|listdirectory)$/,
    description: /\blists? (?:the )?(?:files|entries|contents? of a (?:directory|folder))/i,
  },
  fetch: {
    name: /^(?:webfetch|fetch|fetchurl|fetchwebcontent|urlfetch|browse)$/,
    description: /\bfetch(?:es)? (?:content from )?(?:an? |the )?(?:url|web)/i,
  },
  search: {
    name: /^(?:websearch|searchweb|googlewebsearch|googlesearch)$/,
    description: /\bsearch(?:es)? the web/i,
  },
}

/** Who can stand in, best first. */
const STAND_INS: Readonly<Record<ToolRole, readonly ToolRole[]>> = {
  read: ['shell'],
  edit: ['write', 'shell'],
  write: ['edit', 'shell'],
  shell: [],
  glob: ['list', 'shell'],
  grep: ['shell'],
  list: ['glob', 'shell'],
  fetch: ['shell'],
  search: ['fetch', 'shell'],
}

export interface NamedTool {
  readonly name: string
  readonly description: string
}

/** The tool of that very role; undefined when there is none. */
export function toolOfRole<T extends NamedTool>(
  role: ToolRole,
  tools: readonly T[],
): T | undefined {
  const { name, description } = SIGNS[role]
  return (
    tools.find((tool) => name.test(bare(tool.name))) ??
    tools.find((tool) => description.test(tool.description.slice(0, 300)))
  )
}

/** The tool of that role, or one that can do it too. */
export function toolFor<T extends NamedTool>(role: ToolRole, tools: readonly T[]): T | undefined {
  for (const candidate of [role, ...STAND_INS[role]]) {
    const tool = toolOfRole(candidate, tools)
    if (tool !== undefined) return tool
  }
  return undefined
}

const bare = (name: string): string =>
  name
    .replace(/^.*__/, '')
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .toLowerCase()
