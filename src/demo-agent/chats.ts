// Chats on disk, so that `--resume` finds them. Layout as the CLI's; the content of store.db is ours (lines of JSON).
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Folders, slugOf } from './home.ts'

export interface Chats {
  has(id: string): boolean
  /** Ids of this workspace, latest first. */
  newest(): readonly string[]
  past(id: string): { readonly earlierChars: number; readonly earlierTurns: number }
  begin(id: string): void
  addTurn(id: string, prompt: string, text: string): void
}

export interface ChatPlace {
  readonly folders: Folders
  readonly workspace: string
}

/** Writes nothing unless a data or config folder was named: a demo leaves no traces in the user's home. */
export function openChats({ folders, workspace }: ChatPlace): Chats {
  if (!folders.dataIsGiven) return NO_CHATS
  // Source: runs of 2026.08 and 2026.10: chats/<md5 of workspace path>/<uuid>/{meta.json,store.db}.
  const root = join(folders.data, 'chats', md5(workspace))
  const store = (id: string): string => join(root, id, 'store.db')
  return {
    has: (id) => existsSync(join(root, id)),
    newest: () => {
      if (!existsSync(root)) return []
      const ids = readdirSync(root)
      const changedMs = new Map(ids.map((id) => [id, statSync(join(root, id)).mtimeMs]))
      return ids.sort((one, two) => (changedMs.get(two) ?? 0) - (changedMs.get(one) ?? 0))
    },
    past: (id) => {
      if (!existsSync(store(id))) return { earlierChars: 0, earlierTurns: 0 }
      const text = readFileSync(store(id), 'utf8')
      return { earlierChars: text.length, earlierTurns: text.split('\n').length - 1 }
    },
    begin: (id) => {
      if (existsSync(join(root, id, 'meta.json'))) return
      mkdirSync(join(root, id), { recursive: true })
      const meta = { agentId: id, createdAt: Date.now(), workspacePath: workspace }
      writeFileSync(join(root, id, 'meta.json'), JSON.stringify(meta))
    },
    addTurn: (id, prompt, text) => {
      if (!existsSync(join(root, id))) return
      const turn = `${JSON.stringify({ prompt, text })}\n`
      appendFileSync(store(id), turn)
      // Source: runs of 2026.08 and 2026.10: projects/<slug>/agent-transcripts/<uuid>/<uuid>.jsonl. Assumed: its
      // lines.
      const folder = join(folders.data, 'projects', slugOf(workspace), 'agent-transcripts', id)
      mkdirSync(folder, { recursive: true })
      appendFileSync(join(folder, `${id}.jsonl`), turn)
    },
  }
}

/** Loads node:crypto only here: it costs more than the rest of the start. */
function md5(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('md5').update(text).digest('hex')
}

export const NO_CHATS: Chats = {
  has: () => false,
  newest: () => [],
  past: () => ({ earlierChars: 0, earlierTurns: 0 }),
  begin: () => {},
  addTurn: () => {},
}
