// The house rules of docs/architecture.md: which room may import which, and which room owns a package.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')

const EVERYTHING = ['*']
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  lib: [],
  process: ['lib'],
  prompt: ['core', 'lib'],
  protocols: ['core', 'lib'],
  config: ['core', 'lib'],
  workspace: ['core', 'lib'],
  models: ['core', 'lib'],
  backends: ['core', 'lib', 'process', 'workspace'],
  pool: ['core', 'lib', 'process'],
  workers: ['core', 'lib', 'backends', 'pool'],
  sessions: ['core', 'lib', 'pool'],
  mcp: ['core', 'lib'],
  service: ['core', 'lib', 'prompt', 'models', 'workspace', 'sessions', 'pool'],
  http: ['core', 'lib', 'protocols', 'service'],
  ops: ['core', 'lib', 'config'],
  commands: [
    'config',
    'core',
    'lib',
    'models',
    'process',
    'ops',
    'workspace',
    'clients',
    'doctor',
    'serve.ts',
  ],
  clients: ['lib'],
  doctor: ['backends', 'config', 'core', 'lib', 'models', 'process', 'ops', 'workspace'],
  'demo-agent': ['lib'],
  'serve.ts': EVERYTHING,
  'cli.ts': EVERYTHING,
}

/** Replacing a library then touches one room. */
const PACKAGE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  hono: ['http'],
  '@hono/node-server': ['http', 'serve.ts'],
  piscina: ['pool'],
  'p-queue': ['pool'],
  'prom-client': ['ops'],
  pino: ['ops'],
  yaml: ['config', 'clients'],
  zod: ['config', 'protocols'],
  '@agentclientprotocol/sdk': ['backends'],
  '@modelcontextprotocol/sdk': ['mcp', 'demo-agent'],
  'tree-kill': ['process'],
  commander: ['cli.ts', 'commands'],
  'lru-cache': ['prompt', 'sessions', 'models', 'service'],
  // Types of wire objects only; `import type` is checked below.
  openai: ['protocols', 'http'],
  '@anthropic-ai/sdk': ['protocols', 'http'],
}
const TYPES_ONLY = new Set(['openai', '@anthropic-ai/sdk'])

interface Import {
  readonly file: string
  readonly room: string
  readonly target: string
  readonly isType: boolean
}

function sourceFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
}

function roomOf(file: string): string {
  const [top, second] = file.split(/[\\/]/)
  if (top === 'workers') return 'workers'
  // The composition root and the files it is split into.
  if (second?.startsWith('serve') === true) return 'serve.ts'
  return second ?? ''
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const statement =
    /(?:^|\n)\s*(import|export)\s+(type\s)?[^'"]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)/g
  return [...text.matchAll(statement)].map((match) => ({
    file,
    room: roomOf(file),
    target: match[3] ?? match[4] ?? '',
    isType: match[2] !== undefined,
  }))
}

const IMPORTS = [...sourceFiles('src'), ...sourceFiles('workers')].flatMap(importsOf)

function allowed(room: string, target: string): boolean {
  const rooms = MAY_IMPORT[room]
  if (rooms === undefined) return false
  return room === target || rooms === EVERYTHING || rooms.includes(target)
}

test('the source tree has imports to check', () => {
  expect(IMPORTS.length).toBeGreaterThan(50)
})

test('rooms import only the rooms they may', () => {
  const wrong = IMPORTS.filter(({ target }) => target.startsWith('.'))
    .map(({ file, room, target }) => {
      const path = relative(ROOT, resolve(ROOT, dirname(file), target))
      return { file, room, into: roomOf(path), path }
    })
    .filter(({ room, into }) => !allowed(room, into))
    .map(({ file, path }) => `${file} → ${path}`)
  expect(wrong).toEqual([])
})

test('a worker takes nothing from the pool but its messages and the seat', () => {
  const reached = IMPORTS.filter(
    ({ room, target }) => room === 'workers' && target.includes('/pool/'),
  )
  const names = new Set(reached.map(({ target }) => target.split('/').at(-1)))
  for (const name of names) expect(name).toMatch(/^(messages|seat-worker.*)\.ts$/)
})

test('every package is imported by the room that owns it', () => {
  const wrong = IMPORTS.filter(
    ({ target }) => !target.startsWith('.') && !target.startsWith('node:'),
  )
    .map(({ file, room, target }) => {
      const name = target.startsWith('@')
        ? target.split('/').slice(0, 2).join('/')
        : (target.split('/')[0] ?? '')
      return { file, room, name }
    })
    .filter(({ room, name }) => !(PACKAGE_OWNERS[name] ?? []).includes(room))
    .map(({ file, name }) => `${file} imports ${name}`)
  expect(wrong).toEqual([])
})

test('the official client packages are used for types only', () => {
  const values = IMPORTS.filter(({ target, isType }) => {
    const name = target.startsWith('@')
      ? target.split('/').slice(0, 2).join('/')
      : target.split('/')[0]
    return TYPES_ONLY.has(name ?? '') && !isType
  })
  expect(values.map(({ file }) => file)).toEqual([])
})

test('there are no barrels', () => {
  const barrels = sourceFiles('src').filter((file) => /(^|[\\/])index\.ts$/.test(file))
  expect(barrels).toEqual([])
})

test('there are no rooms without a rule', () => {
  const rooms = new Set(IMPORTS.map(({ room }) => room))
  for (const room of rooms) expect(MAY_IMPORT).toHaveProperty([room])
})
