// cli-config.json: the choice of a model is kept there for the next run, with the race that comes with it.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, objectAt, parseJson, stringAt } from '../lib/json.ts'
import { type Folders, slugOf } from './folders.ts'
import { uuid } from './identifier.ts'
import type { Model } from './models.ts'
import { Refused } from './refusal.ts'
import type { Quirk } from './settings.ts'

/** The model id of the last run with `--model`. Source: facts 6.2, a run without the flag takes what was stored last. */
export function storedModel(folders: Folders): string | undefined {
  const config = readConfig(folders)
  return stringAt(objectAt(config, 'model') ?? {}, 'modelId')
}

/** Rewrites the `model` block. Source: facts 6.2: temp file and rename, all other keys kept. @throws Refused */
export function storeModel(folders: Folders, model: Model, quirks: ReadonlySet<Quirk>): void {
  if (!folders.configIsGiven) return
  const target = join(folders.config, 'cli-config.json')
  // Source: facts 6.2, older builds used one temp name for all: parallel starts rename it away from each other.
  const temporary = quirks.has('fixed-temp-name')
    ? `${target}.tmp`
    : `${target}.${process.pid}.${uuid()}.tmp`
  try {
    mkdirSync(folders.config, { recursive: true })
    const { id, label } = model
    const block = {
      modelId: id,
      displayModelId: id,
      displayName: label,
      displayNameShort: label,
      aliases: [],
      maxMode: false,
    }
    const config = { version: 1, ...readConfig(folders), model: block }
    writeFileSync(temporary, JSON.stringify(config, null, 2))
    // Plays the loser of that race without a second process.
    if (quirks.has('config-race')) rmSync(temporary)
    renameSync(temporary, target)
  } catch (error) {
    if (!(error instanceof Error)) throw error
    // Source: facts 3.1, `Error: ENOENT: no such file or directory, rename '….tmp' -> '…'`, exit 1.
    throw new Refused(`Error: ${error.message}`)
  }
}

/**
 * Source: facts 1.1, the CLI writes projects/<slug>/worker.log and has exited 1 where that folder could not be made.
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

function readConfig(folders: Folders): Readonly<Record<string, unknown>> {
  try {
    const parsed = parseJson(readFileSync(join(folders.config, 'cli-config.json'), 'utf8'))
    return isObject(parsed) ? parsed : {}
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw error
  }
}
