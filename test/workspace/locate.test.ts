import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Refusal } from '../../src/core/failure.ts'
import { type LocateRules, locateWorkspace } from '../../src/workspace/locate.ts'

const base = realpathSync(mkdtempSync(join(tmpdir(), 'locate-test-')))
afterAll(() => {
  rmSync(base, { recursive: true })
})
const at = (path: string): string => join(base, path)

const FOLDERS =
  'home/project home/.ssh/keys home/.cursor-adapter/run home/.sshd home/..odd ' +
  'tmp/work tmp/scratch/abc outside/project home-of-another'
for (const folder of FOLDERS.split(' ')) mkdirSync(at(folder), { recursive: true })
writeFileSync(at('home/file'), '')
symlinkSync(at('outside'), at('home/way-out'))
symlinkSync(at('home/.ssh'), at('home/keys'))
symlinkSync(at('home/project'), at('outside/way-in'))
symlinkSync(at('home/loop'), at('home/loop'))
symlinkSync(at('home'), at('home-link'))

const rules: LocateRules = {
  roots: [],
  home: at('home'),
  tmp: at('tmp'),
  scratchRoot: at('tmp/scratch'),
  ownHome: at('home/.cursor-adapter'),
}

async function outcome(requested: string, over: Partial<LocateRules> = {}): Promise<string> {
  try {
    return (await locateWorkspace(requested, { ...rules, ...over })).replace(base, '')
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`
    throw error
  }
}

test.each([
  ['home/project', '/home/project'],
  ['home/project/', '/home/project'],
  ['home', '/home'],
  ['home/.sshd', '/home/.sshd'],
  ['home/..odd', '/home/..odd'],
  ['tmp/work', '/tmp/work'],
  ['tmp', '/tmp'],
  ['outside/way-in', '/home/project'],
  ['home-link/project', '/home/project'],
])('%s is the workspace %s', async (path, real) => {
  expect(await outcome(at(path))).toBe(real)
})

test.each([
  ['home/way-out/project', 'outside the allowed folders'],
  ['outside/project', 'workspace.roots'],
  ['home-of-another', 'workspace.roots'],
  ['home/.ssh', 'never a workspace'],
  ['home/.ssh/keys', 'never a workspace'],
  ['home/keys', 'never a workspace'],
  ['home/.cursor-adapter', 'never a workspace'],
  ['home/.cursor-adapter/run', 'never a workspace'],
  ['tmp/scratch', 'never a workspace'],
  ['tmp/scratch/abc', 'never a workspace'],
])('%s is forbidden: %s', async (path, reason) => {
  const text = await outcome(at(path))
  expect(text).toMatch(/^forbidden: /)
  expect(text).toContain(reason)
})

test.each([
  ['', 'empty'],
  ['  ', 'empty'],
  ['project', 'absolute'],
  ['./project', 'absolute'],
  ['~/project', '"~" is not expanded'],
  [`${at('home')}/../home/project`, '".."'],
  [`${at('home')}/pro\nject`, 'control characters'],
  [`${at('home')}/project\0`, 'control characters'],
  [`${at('home')}/project\u0085`, 'control characters'],
  [at('home/missing'), 'does not exist'],
  [at('home/file'), 'not a folder'],
  [at('home/file/below'), 'does not exist'],
  [at('home/loop'), 'cannot be resolved'],
  [`/${'x'.repeat(5000)}`, 'cannot be resolved'],
])('%j is an invalid request: %s', async (requested, reason) => {
  const text = await outcome(requested)
  expect(text).toMatch(/^invalid-request: /)
  expect(text).toContain(reason)
  expect(text.length).toBeLessThan(400)
})

test('no answer spells out the home folder', async () => {
  for (const path of ['home/missing', 'home/.ssh', 'home/file', 'home/way-out/project']) {
    const text = await outcome(at(path))
    expect(text).not.toContain(at('home'))
    expect(text).toContain('"~/')
  }
})

test('configured roots replace the default ones, and closed folders stay closed', async () => {
  expect(await outcome(at('outside/project'), { roots: [at('outside')] })).toBe('/outside/project')
  expect(await outcome(at('home/project'), { roots: [at('outside')] })).toContain('forbidden')
  expect(await outcome(at('home/project'), { roots: ['~'] })).toBe('/home/project')
  expect(await outcome(at('home/project'), { roots: ['~/missing', '~/project'] })).toBe(
    '/home/project',
  )
  expect(await outcome('/', { roots: ['/'] })).toContain('root of the file system')
  expect(await outcome(at('outside/project'), { roots: ['/'] })).toBe('/outside/project')
  expect(await outcome(at('home/.ssh'), { roots: ['/', '~/.ssh'] })).toContain('never a workspace')
})
