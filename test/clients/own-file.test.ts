// A client's file before, between and after: nothing of the user's may get lost.
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CLIENTS } from '../../src/clients/clients.ts'
import { applySettings } from '../../src/clients/edit/apply.ts'
import { lineDiff, takeBack } from '../../src/clients/line-diff.ts'
import { plan, undo, write } from '../../src/clients/own-file.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'own-file-test-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const target = () => ({
  client: 'codex',
  path: join(folder, 'home/.codex/config.toml'),
  memory: join(folder, 'adapter/setup'),
})
const put = (value: string) => (text: string) =>
  applySettings('toml', text, [{ path: ['model_provider'], value }])

function given(text: string | Buffer): string {
  mkdirSync(join(folder, 'home/.codex'), { recursive: true })
  writeFileSync(target().path, text)
  return target().path
}
const read = (): string => readFileSync(target().path, 'utf8')

test('written twice is written once; undone it is what it was, and nothing is remembered', () => {
  const before = '# mine\nmodel = "x"\n\n\n[tui]\nnotifications = true'
  const path = given(before)
  chmodSync(path, 0o640)
  const first = write(target(), put('a'))
  expect(first.hunks).toHaveLength(1)
  expect(readFileSync(first.backup ?? '', 'utf8')).toBe(before)
  expect(statSync(first.backup ?? '').mode & 0o777).toBe(0o600)
  expect(statSync(path).mode & 0o777).toBe(0o640)
  const once = read()
  expect(write(target(), put('a')).hunks).toEqual([])
  expect(read()).toBe(once)
  expect(undo(target()).how).toBe('restored')
  expect(read()).toBe(before)
  expect(readdirSync(target().memory)).toEqual([])
  expect(undo(target()).how).toBe('nothing')
})

test('a file and folders that were not there are gone after undo', () => {
  write(target(), put('a'))
  expect(read()).toBe('model_provider = "a"\n')
  write(target(), put('b'))
  expect(undo(target()).how).toBe('removed')
  expect(existsSync(join(folder, 'home'))).toBe(false)
})

test('a folder that somebody else put a file into stays', () => {
  write(target(), put('a'))
  writeFileSync(join(folder, 'home/other'), '')
  undo(target())
  expect(readdirSync(join(folder, 'home'))).toEqual(['other'])
})

test('what the user changed since stays, also over a second write', () => {
  given('model = "x"\n')
  write(target(), put('a'))
  writeFileSync(target().path, `${read()}\n[tui]\ntheme = "dark"\n`)
  write(target(), put('b'))
  expect(read()).toBe('model = "x"\nmodel_provider = "b"\n\n[tui]\ntheme = "dark"\n')
  writeFileSync(target().path, read().replace('"x"', '"y"'))
  expect(undo(target()).how).toBe('taken-back')
  expect(read()).toBe('model = "y"\n\n[tui]\ntheme = "dark"\n')
})

test('settings that are not wanted any more do not stay behind', () => {
  given('a = "1"\n')
  write(target(), (text) => put('x')(applySettings('toml', text, [{ path: ['old'], value: '1' }])))
  write(target(), put('x'))
  expect(read()).toBe('a = "1"\nmodel_provider = "x"\n')
})

test('lines that somebody rewrote are left alone, with the place of the copy', () => {
  given('model_provider = "mine"\n')
  write(target(), put('a'))
  writeFileSync(target().path, 'model_provider = "other"\n')
  expect(() => undo(target())).toThrow(/by hand .*\.before/)
  expect(read()).toBe('model_provider = "other"\n')
})

test('a plan shows the change and makes none', () => {
  const path = given('x = "1"\n')
  expect(plan(target(), put('a')).hunks).toEqual([
    { at: 1, removed: [], added: ['model_provider = "a"\n'] },
  ])
  expect(readFileSync(path, 'utf8')).toBe('x = "1"\n')
  expect(existsSync(target().memory)).toBe(false)
})

test('a file that is not understood is left as it is, and so is one that is no text', () => {
  given('what is this\n')
  expect(() => write(target(), put('a'))).toThrow(/config\.toml is left as it is: line 1/)
  const bytes = Buffer.from([0x61, 0xff, 0x0a])
  given(bytes)
  expect(() => write(target(), put('a'))).toThrow('no UTF-8 text')
  expect(readFileSync(target().path)).toEqual(bytes)
  expect(existsSync(target().memory)).toBe(false)
})

test('a link keeps pointing to the file it pointed to', () => {
  mkdirSync(join(folder, 'home/.codex'), { recursive: true })
  const real = join(folder, 'dotfile')
  writeFileSync(real, 'a = "1"\n')
  symlinkSync(real, target().path)
  write(target(), put('x'))
  expect(lstatSync(target().path).isSymbolicLink()).toBe(true)
  expect(readFileSync(real, 'utf8')).toBe('a = "1"\nmodel_provider = "x"\n')
  undo(target())
  expect(readFileSync(real, 'utf8')).toBe('a = "1"\n')
})

test('a difference taken back gives the text before, whatever the two texts are', () => {
  const text = fc
    .array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n'), { maxLength: 8 })
    .map((lines) => lines.join(''))
  fc.assert(
    fc.property(text, text, (before, after) => {
      const back = takeBack(after, lineDiff(before, after), before)
      expect([before, undefined]).toContain(back)
    }),
    { numRuns: 500 },
  )
})

test('every client whose file is written honours its own variables', () => {
  const env = {
    CLAUDE_CONFIG_DIR: '/c',
    CODEX_HOME: '/x',
    HERMES_HOME: '/h',
    XDG_CONFIG_HOME: '/g',
  }
  const paths = (places: NodeJS.ProcessEnv) =>
    CLIENTS.map(({ file }) => file?.paths({ env: places, home: '/u' }).at(-1)).filter(
      (path) => path !== undefined,
    )
  expect(paths(env)).toEqual([
    '/c/settings.json',
    '/g/opencode/opencode.json',
    '/x/config.toml',
    '/h/config.yaml',
  ])
  expect(paths({})).toEqual([
    '/u/.claude/settings.json',
    '/u/.config/opencode/opencode.json',
    '/u/.codex/config.toml',
    '/u/.hermes/config.yaml',
  ])
  expect(paths({ OPENCODE_CONFIG: '/o.json' })).toContain('/o.json')
})
