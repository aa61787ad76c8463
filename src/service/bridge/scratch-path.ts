// Does a call of the client's tools name our scratch folder? Cursor works in one, the client does not. Pure.
import type { Json } from '../../core/turn.ts'

export interface ScratchPath {
  /** Where in the arguments: `file_path`, `edits[0].path`. */
  readonly argument: string
}

/** The first string among the arguments, shell commands and nested values included, that names one of `roots`. */
export function findScratchPath(
  value: Json,
  roots: readonly string[],
  at = '',
): ScratchPath | undefined {
  if (typeof value === 'string') {
    return roots.some((root) => names(value, root)) ? { argument: at } : undefined
  }
  for (const [key, inner] of entries(value)) {
    const found = findScratchPath(inner, roots, `${at}${key}`.replace(/^\./, ''))
    if (found !== undefined) return found
  }
  return undefined
}

function entries(value: Exclude<Json, string>): readonly (readonly [string, Json])[] {
  if (isList(value)) return value.map((inner, index) => [`[${index}]`, inner])
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).map(([key, inner]) => [`.${key}`, inner])
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value)
}

/** The root itself or something below it; `/tmp/cursor-adapter-10` does not name `/tmp/cursor-adapter-1`. */
function names(text: string, root: string): boolean {
  for (let at = text.indexOf(root); at >= 0; at = text.indexOf(root, at + 1)) {
    if (!/[\w-]/.test(text.charAt(at + root.length))) return true
  }
  return false
}

/** Whether a folder is the root or lies below it. */
export function isBelow(folder: string, roots: readonly string[]): boolean {
  return roots.some((root) => folder === root || folder.startsWith(`${root}/`))
}

/** What Cursor is told instead of a result. */
export function correctionText({ argument }: ScratchPath, folder: string | undefined): string {
  const where =
    folder === undefined
      ? 'use absolute paths that stand in the conversation'
      : `its working directory is ${folder}; use paths there`
  return `Not run: the argument "${argument}" names the scratch folder you were started in. This tool runs on the user's machine, where that folder means nothing: ${where}, and call the tool again.`
}
