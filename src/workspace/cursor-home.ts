// A private configuration folder for one child, with the user's login and, unless sealed, their own settings and rules.
// Parallel children rewrite cli-config.json, so they must not share one; without the login they could not work.
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  type Stats,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { isErrno } from '../lib/errno.ts'
import { isObject, parseJson } from '../lib/json.ts'

/**
 * Written by the CLI while it runs, so each child has its own copy.
 * Source: hosts that run the CLI with a private CURSOR_CONFIG_DIR (2026) copy the first three.
 */
const COPIED = ['acp-config.json', 'agent-cli-state.json', 'permissions.json']
/** Only read by the CLI, and large or maintained by hand: the user's own stay in force. */
const LINKED = [
  'rules',
  'skills',
  'commands',
  'agents',
  'plugins',
  'hooks',
  'hooks.json',
  'mcp.json',
]
const CONFIG = 'cli-config.json'
/** Source: on Linux a browser login is a file below ~/.config/cursor; elsewhere it is in the keychain. */
const LOGIN = 'auth.json'
/**
 * What a sealed room keeps of cli-config.json: who is logged in and how the network is reached.
 * Assumed: no other key carries the login. `doctor` finds out by asking the CLI for its status in a sealed folder.
 */
const SEALED_KEYS = ['version', 'editor', 'authInfo', 'network', 'privacyCache']

/** Without the file some commands run unasked. Source: wrapper authors' tests of 2026; keys from Cursor's CLI docs. */
const MINIMAL = { version: 1, editor: { vimMode: false }, permissions: { allow: [], deny: [] } }

/**
 * Fills `target` (made 0700 if missing): copies of cli-config.json, acp-config.json, agent-cli-state.json,
 * permissions.json, auth.json and links to rules, skills, mcp.json and the like of the user's own folder, and an empty
 * projects/, without which some versions exit at start. The user's folder is CURSOR_CONFIG_DIR, else
 * $XDG_CONFIG_HOME/cursor when present, else ~/.cursor; the login is also looked for where Cursor keeps it by default.
 * Sealed: nothing but the login and the network settings. Missing sources are fine; the user's folder is never written.
 */
export async function seedConfig(
  target: string,
  env: NodeJS.ProcessEnv,
  options: { readonly sealed: boolean },
): Promise<void> {
  // Synchronous, as in scratch.ts: each step costs less than its way through the thread pool.
  const source = userFolder(env)
  mkdirSync(join(target, 'projects'), { recursive: true, mode: 0o700 })
  const login = loginFolders(source, env).map((folder) => join(folder, LOGIN))
  copyFirst(login, join(target, LOGIN))
  seedCliConfig(join(source, CONFIG), join(target, CONFIG), options.sealed)
  if (options.sealed || statOrNothing(source) === undefined) return
  for (const name of COPIED) copyFirst([join(source, name)], join(target, name))
  for (const name of LINKED) link(join(source, name), join(target, name))
}

function homeOf(env: NodeJS.ProcessEnv): string {
  return env.HOME || env.USERPROFILE || homedir()
}

function userFolder(env: NodeJS.ProcessEnv): string {
  if (env.CURSOR_CONFIG_DIR) return env.CURSOR_CONFIG_DIR
  const xdg = env.XDG_CONFIG_HOME
  if (xdg) {
    const folder = join(xdg, 'cursor')
    if (statOrNothing(folder)?.isDirectory()) return folder
  }
  return join(homeOf(env), '.cursor')
}

function loginFolders(source: string, env: NodeJS.ProcessEnv): string[] {
  const home = homeOf(env)
  const xdg = env.XDG_CONFIG_HOME || join(home, '.config')
  return [source, join(xdg, 'cursor'), join(home, '.config', 'cursor'), join(home, '.cursor')]
}

/** Our copies are ours alone, whatever the mode of the original. */
function copyFirst(sources: readonly string[], target: string): void {
  for (const source of sources) {
    if (!statOrNothing(source)?.isFile()) continue
    copyFileSync(source, target)
    chmodSync(target, 0o600)
    return
  }
}

/** An unreadable original counts as none: the child would stumble over it. */
function seedCliConfig(source: string, target: string, sealed: boolean): void {
  const text = textOrNothing(source)
  const config = parseJson(text)
  writeFileSync(target, cliConfig(text, config, sealed), { mode: 0o600 })
}

function cliConfig(text: string, config: unknown, sealed: boolean): string {
  if (!isObject(config)) return JSON.stringify(MINIMAL)
  if (!sealed) return text
  return JSON.stringify({ ...pick(config, SEALED_KEYS), permissions: MINIMAL.permissions })
}

function pick(object: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => keys.includes(key)))
}

function link(source: string, target: string): void {
  const found = statOrNothing(source)
  if (found === undefined) return
  try {
    symlinkSync(source, target, found.isDirectory() ? 'junction' : 'file')
  } catch (error) {
    // The child may be given the same folder again.
    if (isErrno(error, 'EEXIST')) return
    // Windows lets only some users link files.
    if (isErrno(error, 'EPERM') && found.isFile()) copyFirst([source], target)
    else throw error
  }
}

function statOrNothing(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP')) return undefined
    throw error
  }
}

function textOrNothing(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR', 'ELOOP')) return ''
    throw error
  }
}
