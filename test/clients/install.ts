// Real clients from the npm registry, each pinned, installed once into a cache folder outside the checkout.
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const LONGEST_MS = 10 * 60_000

/** Where clients are kept: `$XDG_CACHE_HOME/cursor-adapter/clients`, else below `~/.cache`. */
export function cacheFolder(): string {
  const base = process.env.XDG_CACHE_HOME ?? ''
  return join(base === '' ? join(homedir(), '.cache') : base, 'cursor-adapter', 'clients')
}

export type Installed =
  | { readonly at: 'ready'; readonly folder: string }
  | { readonly at: 'missing'; readonly reason: string }

/** The folder whose `node_modules` holds the package; installs it with npm where it is not there yet. */
export async function install(name: string, version: string): Promise<Installed> {
  const folder = join(cacheFolder(), `${name.replace(/^.*\//, '')}-${version}`)
  const mark = join(folder, '.installed')
  if (existsSync(mark)) return { at: 'ready', folder }
  mkdirSync(folder, { recursive: true })
  process.stderr.write(`installing ${name}@${version} into ${folder}\n`)
  const problem = await npmInstall(folder, `${name}@${version}`)
  if (problem !== undefined) {
    return { at: 'missing', reason: `npm could not install ${name}@${version}: ${problem}` }
  }
  writeFileSync(mark, '')
  return { at: 'ready', folder }
}

/** Undefined when it went well, else why not. */
async function npmInstall(folder: string, what: string): Promise<string | undefined> {
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--fetch-retries=1',
    what,
  ]
  const npm = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: LONGEST_MS })
  let said = ''
  npm.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(0, 20_000)
  })
  return await new Promise((resolve) => {
    npm.on('error', (error) => {
      resolve(error.message)
    })
    npm.on('exit', (code, signal) => {
      resolve(code === 0 ? undefined : (reasonIn(said) ?? `it ended with ${code ?? signal}`))
    })
  })
}

/** The one line of npm's complaint that says most. */
function reasonIn(said: string): string | undefined {
  const lines = said
    .split('\n')
    .map((line) => line.replace(/^npm (?:error|ERR!) ?/, '').trim())
    .filter((line) => line !== '')
  return lines.find((line) => /reason:|No matching version|404 Not Found/.test(line)) ?? lines[0]
}
