// Allow and deny rules of the configuration and of the project's `.cursor/cli.json`. Source: Cursor's page on permissions:
// tokens `Shell(…)`, `Read(…)`, `Write(…)`, `WebFetch(…)`, `Mcp(server:tool)`; deny beats allow and --force.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { arrayAt, isObject, objectAt, parseJson } from '../lib/json.ts'

export type Verdict = 'allow' | 'deny' | 'unsaid'

export interface Rules {
  /** `what`: a command, a path, a host, `server:tool`. */
  verdict(kind: 'Shell' | 'Read' | 'Write' | 'WebFetch' | 'Mcp', what: string): Verdict
}

/** Assumed: only the working folder's own cli.json, and that both lists of both files count together. */
export function readRules(configFolder: string, workspace: string): Rules {
  const files = [join(configFolder, 'cli-config.json'), join(workspace, '.cursor', 'cli.json')]
  const all = files.map(permissionsIn)
  const allow = all.flatMap(({ allow: list }) => list)
  const deny = all.flatMap(({ deny: list }) => list)
  return {
    verdict: (kind, what) => {
      const fits = (rule: string): boolean => matches(rule, kind, what)
      if (deny.some(fits)) return 'deny'
      return allow.some(fits) ? 'allow' : 'unsaid'
    },
  }
}

function permissionsIn(file: string): { allow: readonly string[]; deny: readonly string[] } {
  const parsed = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : undefined
  const permissions = isObject(parsed) ? (objectAt(parsed, 'permissions') ?? {}) : {}
  const list = (key: string): string[] =>
    (arrayAt(permissions, key) ?? []).filter((rule) => typeof rule === 'string')
  return { allow: list('allow'), deny: list('deny') }
}

function matches(rule: string, kind: string, what: string): boolean {
  const [, of, pattern] = /^(\w+)\((.*)\)$/su.exec(rule) ?? []
  if (of !== kind || pattern === undefined) return false
  // Assumed: `*` fits everything, slashes too.
  const parts = pattern.split(/\*+/u).map((text) => text.replaceAll(/[.+?^${}()|[\]\\]/gu, '\\$&'))
  return new RegExp(`^${parts.join('.*')}$`, 'su').test(what)
}
