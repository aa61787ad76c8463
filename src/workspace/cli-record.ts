// What was found out about versions of the CLI, kept in our own folder: whether `--resume` in print mode can be relied on.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { isObject, objectAt, parseJson, stringAt } from '../lib/json.ts'

export type ResumeVerdict = 'proven' | 'broken' | 'unknown'

export interface CliRecord {
  /** `unknown` counts as broken for whoever wants to be sure. The demo agent counts as proven until it is seen broken. */
  resume(version: string): ResumeVerdict
  /** Remembered at once; written when that is possible. Never rejects. */
  setResume(version: string, verdict: 'proven' | 'broken'): Promise<void>
}

/** Source: docs/demo-agent.md, what `--version` prints. */
const DEMO = /-demo000$/
/** The demo agent, whose chats last but whose answers remember nothing. */
export const isDemoVersion = (version: string): boolean => DEMO.test(version)

/** Reads `<home>/state.json`: `{"cliVersions": {"<version>": {"resume": "proven"|"broken"}}}`. A damaged file is an empty one. */
export async function openCliRecord(home: string): Promise<CliRecord> {
  const file = join(home, 'state.json')
  const said = new Map<string, ResumeVerdict>()
  for (const [version, facts] of Object.entries(versionsOf(await stateIn(file)))) {
    const verdict = isObject(facts) ? stringAt(facts, 'resume') : undefined
    if (verdict === 'proven' || verdict === 'broken') said.set(version, verdict)
  }
  return {
    resume: (version) => said.get(version) ?? (isDemoVersion(version) ? 'proven' : 'unknown'),
    async setResume(version, verdict) {
      if (said.get(version) === verdict) return
      said.set(version, verdict)
      try {
        await write(file, version, verdict)
      } catch (error) {
        // A full disk, a folder we may not write to: what is remembered lasts as long as this process.
        if (!isErrno(error)) throw error
      }
    },
  }
}

/** Somebody else (`doctor`) may have written since: read anew, add, replace the file. */
async function write(file: string, version: string, verdict: ResumeVerdict): Promise<void> {
  const state = await stateIn(file)
  const versions = versionsOf(state)
  const known = versions[version]
  const facts = { ...(isObject(known) ? known : {}), resume: verdict }
  const next = { ...state, cliVersions: { ...versions, [version]: facts } }
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  await writeFile(temporary, `${JSON.stringify(next, null, 2)}\n`, { mode: 0o600 })
  await rename(temporary, file)
}

function versionsOf(state: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return objectAt(state, 'cliVersions') ?? {}
}

async function stateIn(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value = parseJson(await readFile(file, 'utf8'))
    return isObject(value) ? value : {}
  } catch (error) {
    if (isErrno(error)) return {}
    throw error
  }
}
