// Where the CLI keeps the chats of print mode, to see whether one is really there: an unknown id silently begins an empty one.
import { readdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { ChatFolders, Folder } from '../../core/job.ts'
import { isErrno } from '../../lib/errno.ts'

/**
 * True when the chat lies in the folders its agent had: private ones, and for a workspace the user's own.
 * Source: runs of 2026.08 and 2026.10: chats/<md5 of workspace path>/<uuid>/ in the data or the config folder.
 */
export async function chatIsOnDisk(
  chatId: string,
  { config, data }: ChatFolders,
  folder: Folder,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (!/^[0-9a-f-]{36}$/i.test(chatId)) return false
  const { CURSOR_DATA_DIR, CURSOR_CONFIG_DIR, XDG_CONFIG_HOME } = env
  const own = [
    CURSOR_DATA_DIR,
    CURSOR_CONFIG_DIR,
    XDG_CONFIG_HOME && join(XDG_CONFIG_HOME, 'cursor'),
    join(homedir(), '.cursor'),
  ]
  const places = [data, config, ...(folder.class === 'workspace' ? own : [])]
  for (const place of places) {
    if (!place) continue
    for (const workspace of namesIn(join(place, 'chats'))) {
      const names = namesIn(join(place, 'chats', workspace))
      if (names.includes(chatId)) return true
    }
  }
  return false
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch (error) {
    if (isErrno(error)) return []
    throw error
  }
}
