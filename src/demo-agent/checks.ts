// What print mode makes of its flags, in the order in which the CLI refuses. Source: Cursor's CLI docs, runs of
// 2026.08: login before the rest.
import { existsSync, readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseJson } from '../lib/json.ts'
import type { OutputFormat } from './answer.ts'
import { type Arguments, lastValue } from './argv.ts'
import { type Chats, openChats } from './chats.ts'
import {
  type Folders,
  findFolders,
  rememberTrust,
  requireLogin,
  requireTrust,
  writeWorkerLog,
} from './home.ts'
import { isUuid, uuid } from './lines.ts'
import { findModel, listedModels, type Model, storedModel, storeModel } from './models.ts'
import { Refused } from './refusal.ts'
import type { Settings } from './settings.ts'

export interface RunFacts {
  readonly format: OutputFormat
  readonly partial: boolean
  readonly showThinking: boolean
  readonly apiKeySource: string
  readonly workspace: string
  readonly model: Model
  readonly sessionId: string
  /** Of the resumed chat; 0 for a fresh one. */
  readonly earlierChars: number
  readonly earlierTurns: number
  readonly chats: Chats
  /** A flag that the server refuses for ordinary accounts. Source: the parser of 2026.10.01. */
  readonly refusedFlag: string | undefined
}

interface Request {
  readonly settings: Settings
  readonly arguments: Arguments
  readonly env: NodeJS.ProcessEnv
}

/** @throws Refused */
export async function checkRun(request: Request): Promise<RunFacts> {
  const { settings } = request
  const flag = flagReader(request.arguments)
  const folders = findFolders(request.env, flag.value('data-dir'))
  const apiKeySource = requireLogin({
    login: settings.login,
    env: request.env,
    folders,
    apiKeyFlag: flag.value('api-key'),
    tokenFlag: flag.value('auth-token'),
  })
  const format = checkFormat(flag)
  await checkTools(flag)
  checkFiles(flag)
  checkSandbox(flag, settings)
  const workspace = checkWorkspace(flag)
  checkTrust(flag, workspace, folders, settings)
  const model = checkModel(flag, folders, settings)
  const chats = openChats({ folders, workspace })
  const session = checkSession(flag, chats)
  return {
    format,
    partial: flag.given('stream-partial-output'),
    showThinking: flag.given('show-thinking'),
    apiKeySource,
    workspace,
    model,
    ...session,
    chats,
    refusedFlag: ['system-prompt', 'exclude-workspace-context'].find((name) => flag.given(name)),
  }
}

function checkTrust(flag: Flags, workspace: string, folders: Folders, settings: Settings): void {
  const { quirks } = settings
  const force = flag.given('force') || flag.given('yolo')
  if (force && quirks.has('force-disabled')) {
    // Source: Cursor's headless docs. Assumed: the words.
    throw new Refused('Error: Run Everything is disabled by your administrator.')
  }
  const trustFlag = flag.given('trust')
  const forceTrusts = force && !quirks.has('force-without-trust')
  requireTrust({ workspace, folders, trustFlag, force: forceTrusts })
  writeWorkerLog(folders, workspace, quirks)
  if (trustFlag) rememberTrust(folders, workspace)
}

interface Flags {
  given(name: string): boolean
  value(name: string): string | undefined
  values(name: string): readonly string[]
}

function flagReader(given: Arguments): Flags {
  const { options } = given
  return {
    given: (name) => options.has(name),
    value: (name) => lastValue(given, name),
    values: (name) => options.get(name) ?? [],
  }
}

/** Assumed: the wordings; it is only known that these are errors. */
function checkFormat(flag: Flags): OutputFormat {
  const format = flag.value('output-format') ?? 'text'
  if (flag.given('stream-partial-output') && format !== 'stream-json') {
    throw new Refused(
      'Error: --stream-partial-output can only be used with --print and --output-format stream-json',
    )
  }
  return format === 'json' || format === 'stream-json' ? format : 'text'
}

async function checkTools(flag: Flags): Promise<void> {
  if (!flag.given('allowed-tools')) return
  const { TOOL_NAMES, unknownTools } = await import('./allowed-tools.ts')
  const unknown = unknownTools(flag.values('allowed-tools'))
  if (unknown.length === 0) return
  // Source: the parser of 2026.10.01.
  throw new Refused(
    `Invalid --allowed-tools value(s): ${unknown.join(', ')}. Expected one of: ${TOOL_NAMES.join(', ')}`,
  )
}

/** Source: the parser of 2026.10.01: read locally first. Assumed: the wordings. */
function checkFiles(flag: Flags): void {
  for (const name of ['system-prompt', 'conversation-history-file']) {
    const file = flag.value(name)
    if (file === undefined) continue
    const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
    if (text.trim() === '') throw new Refused(`Error: --${name}: ${file} is missing or empty`)
    if (name === 'conversation-history-file' && parseJson(text) === undefined) {
      throw new Refused(`Error: --${name}: ${file} is not a ConversationHistory`)
    }
  }
}

function checkSandbox(flag: Flags, settings: Settings): void {
  const missing = process.platform === 'win32' || settings.quirks.has('no-sandbox')
  if (flag.value('sandbox') !== 'enabled' || !missing) return
  // Source: help and refusals of 2026.08 to 2026.10.
  throw new Refused('Sandbox mode is enabled but not available on this system')
}

function checkWorkspace(flag: Flags): string {
  const workspace = resolve(flag.value('workspace') ?? '.')
  if (existsSync(workspace) && statSync(workspace).isDirectory()) return workspace
  // Assumed: refused, and in these words. To find out: `agent -p --workspace /missing hi`.
  throw new Refused(`Error: Workspace not found: ${workspace}`)
}

function checkModel(flag: Flags, folders: Folders, settings: Settings): Model {
  const asked = flag.value('model')
  const id = asked ?? storedModel(folders) ?? 'auto'
  const model = findModel(id, settings.modelsFile)
  if (model === undefined) {
    if (asked === undefined) return { id, label: id }
    const known = listedModels(settings.modelsFile).map((entry) => entry.id)
    // Source: refusals seen in 2026: one line that lists every id. Assumed: on stderr.
    throw new Refused(`Cannot use this model: ${id}. Available models: ${known.join(', ')}`)
  }
  if (asked !== undefined) storeModel(folders, model, settings.quirks)
  return model
}

type Session = Pick<RunFacts, 'sessionId' | 'earlierChars' | 'earlierTurns'>

function checkSession(flag: Flags, chats: Chats): Session {
  const wanted = flag.value('new-session-id')
  if (wanted !== undefined) {
    // Assumed: a bad id is refused like a bad chat id.
    if (!isUuid(wanted)) throw new Refused('Persistent-session chat ID must be a UUID')
    // Source: the parser of 2026.10.01: single use.
    if (chats.has(wanted)) throw new Refused(`Error: Session ID "${wanted}" is already in use.`)
    return { sessionId: wanted, earlierChars: 0, earlierTurns: 0 }
  }
  const resumed = resumedId(flag, chats.newest())
  // Source: runs of 2026.08 and 2026.10: an unknown well-formed id silently starts a fresh chat under that id.
  if (resumed === undefined) return { sessionId: uuid(), earlierChars: 0, earlierTurns: 0 }
  return { sessionId: resumed, ...chats.past(resumed) }
}

function resumedId(flag: Flags, newest: readonly string[]): string | undefined {
  const asked = flag.given('continue') ? '' : flag.value('resume')
  if (asked === undefined) return undefined
  const relative = /^-(\d+)$/u.exec(asked)
  if (asked === '' || relative !== null) {
    const found = newest[Number(relative?.[1] ?? 1) - 1]
    // Source: help and refusals of 2026.08 to 2026.10. Assumed: exit code 1.
    if (found === undefined) throw new Refused('No previous chats found.')
    return found
  }
  // Source: runs of 2026.08 and 2026.10.
  if (!isUuid(asked)) throw new Refused('Persistent-session chat ID must be a UUID')
  return asked
}
