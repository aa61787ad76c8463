// The files that keep Cursor's agent to the client's tools (mode bridge): permissions, hooks, our server's approval.
// Source: Cursor's pages on permissions and hooks; hooks as run by @cursor/sdk 1.0.23 to 1.0.32; wrappers' approvals files.

import { mkdir, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { TOOL_SERVER, type ToolNames } from '../core/tool-names.ts'
import { sha256 } from '../lib/digest.ts'
import { exists } from '../lib/files.ts'
import { hostFactsFile } from './host-facts.ts'
import { hooksFor } from './sealed-hooks.ts'

/**
 * Deny beats allow and `--force`; a wildcard for Mcp would shut out our own server too.
 * Assumed: one of the two wildcard forms is understood. To find out: a prompt that asks for a command, on a new version.
 */
export const SEALED_PERMISSIONS = {
  allow: [`Mcp(${TOOL_SERVER}:*)`],
  deny: ['Shell', 'Read', 'Write', 'WebFetch'].flatMap((kind) => [`${kind}(*)`, `${kind}(**)`]),
}

export interface SealedRoom {
  /** The folder Cursor's session works in; must exist. */
  readonly work: string
  /** Its private CURSOR_DATA_DIR; undefined where it has the user's own, which is never written. */
  readonly data: string | undefined
  readonly tools: ToolNames
  /** Our server's address with the session's token; undefined where no tools are offered. */
  readonly url: string | undefined
  /** Print: the server is named in the folder. ACP names it in `session/new`, and must not find it twice. */
  readonly isServerInFile: boolean
}

/** Before Cursor looks into the folder. @throws errno errors. */
export async function sealRoom({
  work,
  data,
  tools,
  url,
  isServerInFile,
}: SealedRoom): Promise<void> {
  const folder = join(work, '.cursor')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const write = (name: string, value: object): Promise<void> =>
    writeFile(join(folder, name), JSON.stringify(value, null, 1), { mode: 0o600 })
  await Promise.all([
    write('hooks.json', hooksFor(tools, process.platform, hostFactsFile(resolve(work)))),
    // Where the configuration folder is shared, this is what denies.
    write('cli.json', { permissions: SEALED_PERMISSIONS }),
    url !== undefined && isServerInFile
      ? write('mcp.json', { mcpServers: { [TOOL_SERVER]: { url } } })
      : undefined,
    url !== undefined && data !== undefined ? approve(work, data, url) : undefined,
  ])
}

/**
 * `<data>/projects/<slug>/mcp-approvals.json`, by a digest of path and server. Source: wrappers of 2026 that write it.
 * Assumed: which of these forms of a remote server is digested; an entry that fits none does no harm.
 */
async function approve(work: string, data: string, url: string): Promise<void> {
  const path = await projectRoot(work)
  const forms = [
    { url },
    { type: 'http', url },
    { url, headers: {} },
    { type: 'http', url, headers: {} },
    { type: 'http', url, headers: [] },
  ]
  const entries = forms.map((server) => {
    const digest = sha256(JSON.stringify({ path, server }))
    return `${TOOL_SERVER}-${digest.slice(0, 16)}`
  })
  const folder = join(data, 'projects', slugOf(path))
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, 'mcp-approvals.json'), JSON.stringify(entries), { mode: 0o600 })
}

/** Source: wrappers: the real path of the nearest folder upwards with a `.git`, else the folder itself. */
async function projectRoot(work: string): Promise<string> {
  const own = await realpath(work)
  for (let path = own; ; path = dirname(path)) {
    if (await exists(join(path, '.git'))) return path
    if (dirname(path) === path) return own
  }
}

/** Source: runs of 2026.08 and 2026.10: every run of non-alphanumerics becomes `-`, trimmed. */
const slugOf = (path: string): string =>
  path.replaceAll(/[^A-Za-z0-9]+/g, '-').replaceAll(/^-|-$/g, '')
