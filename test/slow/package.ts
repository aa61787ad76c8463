// Packs the package, installs it in an empty folder, and uses it as a person would who got it from a registry.
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'adapter-package-'))
const env = {
  ...process.env,
  HOME: folder,
  CURSOR_ADAPTER_HOME: join(folder, 'adapter'),
  npm_config_cache: process.env.npm_config_cache ?? join(folder, 'npm-cache'),
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', [...args], { cwd, encoding: 'utf8', env: process.env })
}

function check(what: string, holds: boolean, detail = ''): void {
  if (!holds) throw new Error(`${what}: no. ${detail}`)
  process.stdout.write(`ok  ${what}\n`)
}

function run(args: readonly string[]): { readonly code: number | null; readonly text: string } {
  const bin = join(folder, 'node_modules', '.bin', 'cursor-adapter')
  const { status, stdout, stderr } = spawnSync(bin, [...args], {
    cwd: folder,
    env,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: status, text: `${stdout}\n${stderr}` }
}

try {
  const packed = npm(['pack', '--pack-destination', folder, '--loglevel=error'], ROOT).trim()
  const tarball = packed.split('\n').at(-1) ?? ''
  check('npm pack yields a tarball', readdirSync(folder).includes(tarball), packed)
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
  npm(['install', '--omit=dev', '--no-save', '--loglevel=error', join(folder, tarball)], folder)
  const files = readdirSync(join(folder, 'node_modules', 'cursor-adapter'), { recursive: true })
  const names = files.map(String)
  check(
    'no tests and no sources are shipped',
    !names.some((name) => /\.ts$|^dist\/test/.test(name)),
  )
  check('the dashboard is shipped', names.includes(join('grafana', 'dashboard.json')))
  const version = run(['--version'])
  check('--version', version.code === 0 && /^\d+\.\d+\.\d+/.test(version.text), version.text)
  const help = run(['--help'])
  check('--help names the commands', help.code === 0 && /doctor/.test(help.text), help.text)
  const demo = run(['demo', '--once', '--port', '0'])
  check('demo --once answers and ends', demo.code === 0 && /streamed/.test(demo.text), demo.text)
  const missing = run(['serve', '--port', '0', '--cursor-cli-path', '/nonexistent/cursor-agent'])
  check('a missing CLI has its own exit code and names the fix', missing.code === 6, missing.text)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
