// Where the CLI keeps what. The demo never writes into the user's real home: only where a variable or flag points to.
import { homedir } from 'node:os'
import { join } from 'node:path'

export interface Folders {
  /** cli-config.json and auth.json. Source: facts 1.8. */
  readonly config: string
  /** True when CURSOR_CONFIG_DIR named it, so that it may be written to. */
  readonly configIsGiven: boolean
  /** chats/, projects/. Source: facts 1.8 and 1.10. */
  readonly data: string
  readonly dataIsGiven: boolean
  /** Source: facts 6.2, a browser login on Linux lies here whatever the config folder. */
  readonly login: string
}

export function findFolders(env: NodeJS.ProcessEnv, dataFlag: string | undefined): Folders {
  const home = env.HOME || homedir()
  const given = env.CURSOR_CONFIG_DIR || undefined
  const xdg = env.XDG_CONFIG_HOME ? join(env.XDG_CONFIG_HOME, 'cursor') : undefined
  // Source: facts 1.8, the config folder also holds projects/ in some builds.
  const data = dataFlag ?? (env.CURSOR_DATA_DIR || given)
  return {
    config: given ?? xdg ?? join(home, '.cursor'),
    configIsGiven: given !== undefined,
    data: data ?? join(home, '.cursor'),
    dataIsGiven: data !== undefined,
    login: join(home, '.config', 'cursor'),
  }
}

/** Source: facts 1.10, every run of non-alphanumerics becomes `-`, trimmed. */
export function slugOf(workspace: string): string {
  return workspace.replaceAll(/[^A-Za-z0-9]+/gu, '-').replaceAll(/^-|-$/gu, '')
}
