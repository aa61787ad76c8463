// Where the CLI keeps what, who is signed in and which folders are trusted. The demo never writes into the
// user's real home: only where a variable or flag points to.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { Refused } from './refusal.ts'
import type { Login, Quirk } from './settings.ts'

export interface Folders {
  /** cli-config.json and auth.json. Source: Cursor's CLI docs, runs of 2026.08. */
  readonly config: string
  /** True when CURSOR_CONFIG_DIR named it, so that it may be written to. */
  readonly configIsGiven: boolean
  /** chats/, projects/. Source: Cursor's CLI docs, runs of 2026.08. */
  readonly data: string
  readonly dataIsGiven: boolean
  /**
   * Source: captures of 2026.10.01, reports of 2026: a browser login on Linux lies here whatever the config folder.
   */
  readonly login: string
}

export function findFolders(env: NodeJS.ProcessEnv, dataFlag: string | undefined): Folders {
  const home = env.HOME || homedir()
  const given = env.CURSOR_CONFIG_DIR || undefined
  const xdg = env.XDG_CONFIG_HOME ? join(env.XDG_CONFIG_HOME, 'cursor') : undefined
  // Source: Cursor's CLI docs, runs of 2026.08: the config folder also holds projects/ in some builds.
  const data = dataFlag ?? (env.CURSOR_DATA_DIR || given)
  return {
    config: given ?? xdg ?? join(home, '.cursor'),
    configIsGiven: given !== undefined,
    data: data ?? join(home, '.cursor'),
    dataIsGiven: data !== undefined,
    login: join(home, '.config', 'cursor'),
  }
}

/** Source: runs of 2026.08 and 2026.10: every run of non-alphanumerics becomes `-`, trimmed. */
export function slugOf(workspace: string): string {
  return workspace.replaceAll(/[^A-Za-z0-9]+/gu, '-').replaceAll(/^-|-$/gu, '')
}

export type KeySource = 'env' | 'flag' | 'login'

export interface LoginFacts {
  readonly login: Login
  readonly env: NodeJS.ProcessEnv
  readonly folders: Folders
  readonly apiKeyFlag: string | undefined
  readonly tokenFlag: string | undefined
}

/** Source: refusals seen in 2026. */
const REQUIRED =
  "Error: Authentication required. Run 'agent login', pass --api-key/--auth-token, or set CURSOR_API_KEY/CURSOR_AUTH_TOKEN."
const INVALID = 'Error: The provided API key is invalid.'

/** `apiKeySource` of the init line. @throws Refused like the CLI when nobody is signed in or the key is bad. */
export function requireLogin(facts: LoginFacts): KeySource {
  const { env } = facts
  // Source: Cursor's CLI docs, runs of 2026.08: an empty CURSOR_API_KEY counts as a key, and as a bad one.
  const keys = [facts.apiKeyFlag, env.CURSOR_API_KEY]
  // Stand-in: there is no server to refuse a key, so one key is known to be bad.
  if (keys.some((key) => key === '' || key === 'crsr_invalid')) throw new Refused(INVALID)
  if (facts.login === 'missing') throw new Refused(REQUIRED)
  if (facts.apiKeyFlag !== undefined || facts.tokenFlag !== undefined) return 'flag'
  if (env.CURSOR_API_KEY !== undefined || env.CURSOR_AUTH_TOKEN) return 'env'
  if (facts.login === 'ok' || hasLoginFile(facts.folders)) return 'login'
  throw new Refused(REQUIRED)
}

export function hasLoginFile(folders: Folders): boolean {
  return [folders.config, folders.login].some((folder) => existsSync(join(folder, 'auth.json')))
}

export interface TrustFacts {
  readonly workspace: string
  readonly folders: Folders
  readonly trustFlag: boolean
  /** --force or --yolo, where the played version lets them cover trust. */
  readonly force: boolean
}

/**
 * @throws Refused. Source: Cursor's headless docs, runs of 2026.08 and 2026.10: the heading and the three names;
 * Assumed: the words between them.
 */
export function requireTrust(facts: TrustFacts): void {
  if (facts.trustFlag || facts.force || existsSync(trustMarker(facts.folders, facts.workspace))) {
    return
  }
  throw new Refused(`Workspace Trust Required

Cursor Agent can run code in this folder: ${facts.workspace}
It has not been trusted yet, and nobody can be asked in print mode.

To go on, pass --trust, --yolo or -f.`)
}

/** Source: Cursor's headless docs, runs of 2026.08 and 2026.10. */
export function trustMarker(folders: Folders, workspace: string): string {
  return join(folders.data, 'projects', slugOf(workspace), '.workspace-trusted')
}

export function rememberTrust(folders: Folders, workspace: string): void {
  if (!folders.dataIsGiven) return
  const marker = trustMarker(folders, workspace)
  // Source: Cursor's headless docs, runs of 2026.08 and 2026.10: the keys. Assumed: that `--trust` leaves the marker,
  // and its trustMethod.
  mkdirSync(dirname(marker), { recursive: true })
  const fact = {
    trustedAt: new Date().toISOString(),
    workspacePath: workspace,
    trustMethod: 'flag',
  }
  writeFileSync(marker, JSON.stringify(fact))
}

/**
 * Source: reports on builds from 2025.09 on: the CLI writes projects/<slug>/worker.log and has exited 1 where that
 * folder could not be made.
 * Assumed: what could not be made was the last part only, so that a missing `projects` is what breaks it.
 */
export function writeWorkerLog(
  folders: Folders,
  workspace: string,
  quirks: ReadonlySet<Quirk>,
): void {
  if (!folders.dataIsGiven) return
  const projects = folders.configIsGiven ? folders.config : folders.data
  const folder = join(projects, 'projects', slugOf(workspace))
  const file = join(folder, 'worker.log')
  try {
    if (!quirks.has('projects-folder')) mkdirSync(folder, { recursive: true })
    else makeLastPart(folder)
    writeFileSync(file, '')
  } catch (error) {
    if (!(error instanceof Error)) throw error
    throw new Refused(`Error: ENOENT: no such file or directory, open '${file}'`)
  }
}

function makeLastPart(folder: string): void {
  try {
    mkdirSync(folder)
  } catch (error) {
    // Already there: that is what is wanted. A missing parent shows when the file is opened.
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
  }
}
