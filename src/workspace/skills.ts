// Where the text of a skill comes from: the project's and the user's skill folders, configured ones, then our own.
// Reads only; a link may not lead out of the project.
import type { Dirent } from 'node:fs'
import { readdir, readFile, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { BUNDLED_SKILLS } from './bundled-skills.ts'
import { isWithin } from './locate.ts'
import { isSkillName, parseSkill, type Skill } from './rules.ts'

export interface SkillPlaces {
  /** The folder Cursor works in; undefined for a scratch folder. */
  readonly workspace: string | undefined
  /** A client's own folder, where Cursor does not work in it; may be read. */
  readonly clientFolder: string | undefined
  readonly home: string
  /** Setting `skills.dirs`. */
  readonly dirs: readonly string[]
  /** The CLI reads the usual folders of project and user by itself. */
  readonly cliReads: boolean
}

export type FoundSkill =
  /** Has to be told to Cursor. */
  | { readonly how: 'ours'; readonly skill: Skill }
  /** The CLI finds it by itself; `file` is its SKILL.md. */
  | { readonly how: 'by-cli'; readonly name: string; readonly file: string }
  /** The project has a rule or command of that name. */
  | { readonly how: 'project-rule'; readonly name: string }

const USUAL = ['.claude/skills', '.cursor/skills', '.agents/skills'] as const
const MAX_BYTES = 64 * 1024

interface Place {
  readonly folder: string
  /** Real paths of its skills must lie in here; undefined = anywhere (the user's own folders may hold links). */
  readonly within: string | undefined
  readonly byCli: boolean
}

/** The skills of these names that can be found, in the order of the names. Names that could not be file names are left out. */
export async function findSkills(
  names: readonly string[],
  places: SkillPlaces,
): Promise<readonly FoundSkill[]> {
  const usable = names.filter(isSkillName)
  if (usable.length === 0) return []
  const [rules, ...listings] = await Promise.all([
    projectRules(places.workspace),
    ...placesOf(places).map(async (place) => ({ place, names: await subfolders(place.folder) })),
  ])
  const found = await Promise.all(
    usable.map(async (name): Promise<FoundSkill | undefined> => {
      if (rules.has(name)) return { how: 'project-rule', name }
      for (const { place, names: there } of listings) {
        const skill = there.has(name) ? await skillIn(place, name) : undefined
        if (skill !== undefined) return skill
      }
      const bundled = BUNDLED_SKILLS.get(name)
      return bundled === undefined
        ? undefined
        : { how: 'ours', skill: parseSkill(name, bundled, undefined) }
    }),
  )
  return found.filter((skill) => skill !== undefined)
}

/** The project's CLAUDE.md, undefined where there is none or it is too long for a rule. */
export async function readClaudeMd(workspace: string): Promise<string | undefined> {
  const text = await readInside(join(workspace, 'CLAUDE.md'), workspace)
  return text === undefined || text.trim() === '' ? undefined : text
}

function placesOf(places: SkillPlaces): readonly Place[] {
  const { workspace, clientFolder, home, dirs, cliReads } = places
  const usual = (root: string, byCli: boolean, within: string | undefined): readonly Place[] =>
    USUAL.map((name) => ({ folder: join(root, name), within, byCli }))
  return [
    ...(workspace === undefined ? [] : usual(workspace, cliReads, workspace)),
    ...(clientFolder === undefined ? [] : usual(clientFolder, false, clientFolder)),
    ...usual(home, cliReads, undefined),
    ...dirs.map((folder) => ({ folder, within: undefined, byCli: false })),
  ]
}

async function skillIn(place: Place, name: string): Promise<FoundSkill | undefined> {
  const folder = join(place.folder, name)
  const file = join(folder, 'SKILL.md')
  const text = await readInside(file, place.within)
  if (text === undefined) return undefined
  if (place.byCli) return { how: 'by-cli', name, file }
  return { how: 'ours', skill: parseSkill(name, text, folder) }
}

/** Names of the project's own rules and commands: what `/name` means there already. */
async function projectRules(workspace: string | undefined): Promise<ReadonlySet<string>> {
  if (workspace === undefined) return new Set()
  const [rules, commands] = await Promise.all([
    entries(join(workspace, '.cursor/rules')),
    entries(join(workspace, '.cursor/commands')),
  ])
  const bare = (ending: RegExp) => (entry: Dirent) => entry.name.replace(ending, '')
  return new Set([
    ...rules.filter(({ name }) => name.endsWith('.mdc')).map(bare(/\.mdc$/)),
    ...commands.filter(({ name }) => name.endsWith('.md')).map(bare(/\.md$/)),
  ])
}

async function subfolders(folder: string): Promise<ReadonlySet<string>> {
  const found = await entries(folder)
  return new Set(found.filter((entry) => !entry.isFile()).map(({ name }) => name))
}

async function entries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP')) return []
    throw error
  }
}

/** The text of a regular file of bearable size whose real path lies within `root`; undefined for anything else. */
async function readInside(path: string, root: string | undefined): Promise<string | undefined> {
  try {
    const real = await realpath(path)
    if (root !== undefined && !isWithin(real, await realpath(root))) return undefined
    const found = await stat(real)
    if (!found.isFile() || found.size > MAX_BYTES) return undefined
    return await readFile(real, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'EISDIR')) return undefined
    throw error
  }
}
