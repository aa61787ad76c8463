// Real clients from the npm and Python registries, each pinned, installed once into a cache folder outside the checkout.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const LONGEST_MS = 10 * 60_000

export interface Package {
  readonly from: 'npm' | 'python'
  readonly name: string
  readonly version: string
  /** Further npm packages in the same folder, with versions. */
  readonly beside?: readonly string[]
}

export const npm = (name: string, version: string, ...beside: readonly string[]): Package => ({
  from: 'npm',
  name,
  version,
  beside,
})
export const python = (name: string, version: string): Package => ({
  from: 'python',
  name,
  version,
})

/** For clients that want a newer Node than the suite's. */
export const NODE_24 = npm('node', '24.21.0')

/** Where clients are kept: `$XDG_CACHE_HOME/cursor-adapter/clients`, else below `~/.cache`. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME ?? ''
  return join(base === '' ? join(homedir(), '.cache') : base, 'cursor-adapter', 'clients')
}

export type Installed =
  | { readonly at: 'ready'; readonly folder: string }
  | { readonly at: 'missing'; readonly reason: string }

/** Folder with its programs. */
export const binOf = (what: Package, folder: string): string =>
  what === NODE_24
    ? join(folder, 'node_modules/node/bin')
    : join(folder, what.from === 'npm' ? 'node_modules/.bin' : 'venv/bin')

/** The folder that holds the package; installs it where it is not there yet. */
export async function install(what: Package): Promise<Installed> {
  const { from, name, version } = what
  const plain = `${name}-${version}`.replace(/^@/, '').replaceAll('/', '-')
  const folder = join(cacheFolder(), from === 'npm' ? plain : `python-${plain}`)
  const mark = join(folder, '.installed')
  if (existsSync(mark)) return { at: 'ready', folder }
  // What an interrupted install left behind.
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  process.stderr.write(`installing ${name} ${version} into ${folder}\n`)
  for (const [program, ...args] of stepsFor(what, folder)) {
    const problem = await succeeds(program ?? '', args)
    if (problem !== undefined) {
      return { at: 'missing', reason: `${name} ${version} could not be installed: ${problem}` }
    }
  }
  writeFileSync(mark, '')
  return { at: 'ready', folder }
}

function stepsFor(what: Package, folder: string): readonly (readonly string[])[] {
  const { from, name, version, beside = [] } = what
  if (from === 'npm') {
    const quiet = ['--no-audit', '--no-fund', '--loglevel=error', '--fetch-retries=1']
    return [['npm', 'install', '--prefix', folder, ...quiet, `${name}@${version}`, ...beside]]
  }
  const venv = join(folder, 'venv')
  return [
    ['python3', '-m', 'venv', venv],
    [join(venv, 'bin/pip'), 'install', '--quiet', `${name}==${version}`],
  ]
}

/** Undefined when it went well, else why not. */
async function succeeds(program: string, args: readonly string[]): Promise<string | undefined> {
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: LONGEST_MS })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 20_000)
  })
  return await new Promise((resolve) => {
    child.on('error', (error) => {
      resolve(error.message)
    })
    child.on('exit', (code, signal) => {
      resolve(code === 0 ? undefined : (reasonIn(said) ?? `it ended with ${code ?? signal}`))
    })
  })
}

/** The one line of the complaint that says most. */
function reasonIn(said: string): string | undefined {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line !== '')
  return (
    lines.find((line) => /reason:|No matching version|404 Not Found|^ERROR:/.test(line)) ?? lines[0]
  )
}
