// The subcommands, as far as a program that drives the CLI meets them. Source: help of 2026.10.01, runs of 2026.08
// unless said otherwise.
import { arch, platform } from 'node:os'
import { openChats } from './chats.ts'
import { helpText } from './help.ts'
import { type Folders, findFolders, hasLoginFile, requireLogin } from './home.ts'
import { uuid } from './lines.ts'
import { findModel, modelsText, storedModel } from './models.ts'
import { write } from './pipes.ts'
import type { Program } from './print.ts'

const DEMO = 'This is the cursor-adapter demo agent'

/** Never returns. @throws Refused */
export async function runCommand(program: Program): Promise<never> {
  const { options } = program.arguments
  const folders = findFolders(program.env, options.get('data-dir')?.at(-1))
  await write(`${answerOf(program, folders)}\n`)
  return program.life.leave(0)
}

function answerOf(program: Program, folders: Folders): string {
  const { arguments: given } = program
  if (given.options.has('help')) return helpText()
  if (given.options.has('list-models')) return models(program, folders)
  const command = given.command ?? 'help'
  switch (command) {
    case 'models':
      return models(program, folders)
    case 'status':
    case 'whoami':
      return status(program, folders)
    case 'about':
      return about(program, folders)
    case 'create-chat':
      return createChat(folders)
    case 'login':
      return `${DEMO}: no Cursor account is used, so there is nothing to log in to.`
    case 'logout':
      return `${DEMO}: nobody is logged in.`
    case 'mcp':
      return mcp(given.words)
    case 'help':
      return helpText()
    case 'ls':
    case 'resume':
      // Source: help of 2026.10.01, runs of 2026.08: terminal screens that refuse with exit code 0. Assumed: the
      // words.
      return `${command} needs a terminal.`
    default:
      return `${DEMO}: ${command} does nothing here.`
  }
}

/** Source: the model list of 2026.10.01: plain text whatever the format; needs a login. */
function models({ settings, env, arguments: given }: Program, folders: Folders): string {
  const last = (name: string): string | undefined => given.options.get(name)?.at(-1)
  requireLogin({
    login: settings.login,
    env,
    folders,
    apiKeyFlag: last('api-key'),
    tokenFlag: last('auth-token'),
  })
  return modelsText(settings.modelsFile, storedModel(folders)).replace(/\n$/u, '')
}

/**
 * Source: help of 2026.10.01, runs of 2026.08: ignores CURSOR_API_KEY. Assumed: the word for being signed in, and the
 * text form.
 */
function status({ settings, arguments: given }: Program, folders: Folders): string {
  const { login } = settings
  const known = login === 'ok' || (login === 'required' && hasLoginFile(folders))
  if (given.options.get('format')?.at(-1) !== 'json') {
    return known ? 'Logged in as demo@example.invalid' : 'Not logged in'
  }
  const facts = { isAuthenticated: known, hasAccessToken: known, hasRefreshToken: known }
  return JSON.stringify(
    known
      ? { status: 'authenticated', ...facts, userInfo: { email: 'demo@example.invalid' } }
      : { status: 'unauthenticated', ...facts, message: 'Not logged in' },
  )
}

function about({ settings, env, arguments: given }: Program, folders: Folders): string {
  const model = storedModel(folders) ?? 'auto'
  const facts = {
    cliVersion: settings.version,
    latestStatus: 'up-to-date',
    latestVersion: settings.version,
    model: findModel(model, settings.modelsFile)?.label ?? model,
    subscriptionTier: 'demo',
    osPlatform: platform(),
    osArch: arch(),
    userEmail: 'demo@example.invalid',
    terminalProgram: env.TERM_PROGRAM ?? null,
    shell: env.SHELL ?? null,
    lastRequestId: null,
  }
  if (given.options.get('format')?.at(-1) === 'json') return JSON.stringify(facts)
  const lines = Object.entries(facts).map(([key, value]) => `${key}: ${value ?? ''}`)
  return lines.join('\n')
}

/** Works signed out. Assumed: the new chat is on disk at once. */
function createChat(folders: Folders): string {
  const id = uuid()
  openChats({ folders, workspace: process.cwd() }).begin(id)
  return id
}

/** Minimal: the demo agent has no MCP servers. Assumed: all texts. */
function mcp([action = 'list', name = '']: readonly string[]): string {
  switch (action) {
    case 'list':
      return 'No MCP servers configured'
    case 'enable':
    case 'disable':
      return `${action}d MCP server ${name}`
    default:
      return `MCP server ${name} not found`
  }
}
