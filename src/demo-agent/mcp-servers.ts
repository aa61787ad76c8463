// Which MCP servers a session has: those the client of ACP mode handed over, or those of the project's `.cursor/mcp.json`
// that were approved. Source: Cursor's MCP and ACP pages; wrappers of 2026 for approvals. The user's own are never asked.
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isObject, type JsonObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import { type Folders, slugOf } from './home.ts'

export interface McpServer {
  readonly name: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

/** Remote servers only: the demo starts no programs. */
export function handedServers(list: readonly unknown[]): readonly McpServer[] {
  return list.filter(isObject).flatMap((server) => {
    const { url, name } = { url: stringAt(server, 'url'), name: stringAt(server, 'name') }
    const headers = Array.isArray(server.headers) ? server.headers.filter(isObject) : []
    return url === undefined || name === undefined
      ? []
      : [{ name, url, headers: Object.fromEntries(headers.map(headerOf)) }]
  })
}

const headerOf = (header: JsonObject): [string, string] => [
  stringAt(header, 'name') ?? '',
  stringAt(header, 'value') ?? '',
]

export interface ProjectFacts {
  readonly workspace: string
  readonly folders: Folders
  /** --approve-mcps */
  readonly approvesAll: boolean
}

export interface ProjectServers {
  readonly approved: readonly McpServer[]
  /** Source: wrappers of 2026: silently absent. */
  readonly skipped: readonly string[]
}

export function projectServers(facts: ProjectFacts): ProjectServers {
  const file = join(facts.workspace, '.cursor', 'mcp.json')
  if (!existsSync(file)) return { approved: [], skipped: [] }
  const config = parseJson(readFileSync(file, 'utf8'))
  const servers = Object.entries(objectAt(isObject(config) ? config : {}, 'mcpServers') ?? {})
  const approved: McpServer[] = []
  const skipped: string[] = []
  const list = facts.approvesAll ? undefined : approvals(facts)
  for (const [name, server] of servers) {
    const url = isObject(server) ? stringAt(server, 'url') : undefined
    if (!isObject(server) || url === undefined) continue
    if (list === undefined || list.has(approvalOf(name, server, facts.workspace))) {
      const headers = Object.entries(objectAt(server, 'headers') ?? {})
      approved.push({
        name,
        url,
        headers: Object.fromEntries(headers.map(([k, v]) => [k, String(v)])),
      })
    } else skipped.push(name)
  }
  return { approved, skipped }
}

function approvals({ workspace, folders }: ProjectFacts): ReadonlySet<unknown> {
  const slug = slugOf(projectRoot(workspace))
  const file = join(folders.data, 'projects', slug, 'mcp-approvals.json')
  const list = existsSync(file) ? parseJson(readFileSync(file, 'utf8')) : []
  return new Set(Array.isArray(list) ? list : [])
}

/** Assumed: a remote server is digested as it stands in the file. */
function approvalOf(name: string, server: JsonObject, workspace: string): string {
  const text = JSON.stringify({ path: projectRoot(workspace), server })
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256').update(text)
  return `${name}-${hash.digest('hex').slice(0, 16)}`
}

/** Source: wrappers of 2026: the nearest folder upwards with a `.git`, else the working folder. */
function projectRoot(workspace: string): string {
  const own = realpathSync(workspace)
  for (let path = own; ; path = dirname(path)) {
    if (existsSync(join(path, '.git'))) return path
    if (dirname(path) === path) return own
  }
}
