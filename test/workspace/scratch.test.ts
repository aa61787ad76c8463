import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { isErrno } from '../../src/lib/errno.ts'
import {
  createScratch,
  prepareScratchRoot,
  removeScratch,
  sweepScratch,
} from '../../src/workspace/scratch.ts'

const INSTANCE = 'abcdef012345'
let base = ''
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'scratch-test-'))
})
afterEach(() => {
  rmSync(base, { recursive: true, force: true })
})

/** None where the folder goes away at this moment. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return []
    throw error
  }
}

const mode = (path: string): number => statSync(path).mode & 0o777

test('a scratch folder is private, with a place each for work, configuration and data', async () => {
  const folder = await createScratch(base, INSTANCE)
  expect(readdirSync(base)).toHaveLength(1)
  for (const path of [folder.root, folder.work, folder.config, folder.data]) {
    expect(mode(path)).toBe(0o700)
  }
  expect(readdirSync(folder.work)).toEqual([])
  expect((await createScratch(base, INSTANCE)).root).not.toBe(folder.root)
  await removeScratch(folder)
  await removeScratch(folder)
  expect(existsSync(folder.root)).toBe(false)
})

test('a name that could lead elsewhere is no instance', async () => {
  await expect(createScratch(base, '../abcdef0123')).rejects.toThrow('not an instance')
  expect(readdirSync(base)).toEqual([])
})

test('removing refuses a folder that it did not name', async () => {
  const folder = await createScratch(base, INSTANCE)
  const precious = join(base, 'precious')
  mkdirSync(precious)
  await expect(removeScratch({ ...folder, root: precious })).rejects.toThrow('not a scratch folder')
  expect(existsSync(precious)).toBe(true)
})

test('a folder says whose it is until everything in it is gone, so that a sweep can finish a removal', async () => {
  const folder = await createScratch(base, INSTANCE)
  for (let at = 0; at < 500; at += 1) writeFileSync(join(folder.work, `file-${at}`), '')
  const state = { done: false }
  const removed = removeScratch(folder).then(() => {
    state.done = true
  })
  const withoutOwner: string[][] = []
  while (!state.done) {
    const names = namesIn(folder.root)
    if (names.length > 0 && !names.includes('owner.json')) withoutOwner.push(names)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await removed
  expect(withoutOwner).toEqual([])
  expect(readdirSync(base)).toEqual([])
})

test('removing copes with read-only folders and does not follow links', async () => {
  const folder = await createScratch(base, INSTANCE)
  const outside = join(base, 'outside')
  mkdirSync(outside)
  writeFileSync(join(outside, 'file'), 'text')
  mkdirSync(join(folder.work, 'cache'))
  writeFileSync(join(folder.work, 'cache', 'module'), 'text')
  symlinkSync(outside, join(folder.work, 'link'))
  chmodSync(join(folder.work, 'cache'), 0o500)
  await removeScratch(folder)
  expect(existsSync(folder.root)).toBe(false)
  expect(readdirSync(outside)).toEqual(['file'])
})

test('removing wins against something that still writes into the folder', async () => {
  const folder = await createScratch(base, INSTANCE)
  let files = 0
  const writer = setInterval(() => {
    // The folder vanishes under it some time, as it does for a dying child.
    files += 1
    if (existsSync(folder.work)) writeFileSync(join(folder.work, String(files)), '')
  }, 0)
  const stop = setTimeout(() => clearInterval(writer), 30)
  await removeScratch(folder)
  clearInterval(writer)
  clearTimeout(stop)
  expect(existsSync(folder.root)).toBe(false)
})

test('sweeping removes dead instances only, and nothing that it did not name', async () => {
  const dead = await createScratch(base, INSTANCE)
  const living = await createScratch(base, 'fedcba543210')
  // Its owner, this process, lives; so say that somebody else made it.
  writeFileSync(join(dead.root, 'owner.json'), '{"pid":99999999,"startTime":"1@x"}')
  writeFileSync(join(living.root, 'owner.json'), '{"pid":99999999,"startTime":"1@x"}')
  const others = [
    'precious',
    `${INSTANCE}-short`,
    `x${INSTANCE}-0123456789ab`,
    'ABCDEF012345-0123456789ab',
  ]
  for (const name of others) mkdirSync(join(base, name))
  writeFileSync(join(base, `${INSTANCE}-ffffffffffff`), 'a file')
  symlinkSync(join(base, 'precious'), join(base, `${INSTANCE}-eeeeeeeeeeee`))
  expect(await sweepScratch(base, (instance) => instance === 'fedcba543210')).toBe(1)
  expect([existsSync(dead.root), existsSync(living.root)]).toEqual([false, true])
  expect(readdirSync(base)).toHaveLength(others.length + 3)
  expect(await sweepScratch(join(base, 'nowhere'), () => false)).toBe(0)
})

test('sweeping leaves alone what a living process owns or is making right now', async () => {
  const own = await createScratch(base, INSTANCE)
  const young = join(base, `${INSTANCE}-0123456789ab`)
  mkdirSync(young)
  expect(await sweepScratch(base, () => false)).toBe(0)
  expect([existsSync(own.root), existsSync(young)]).toEqual([true, true])
})

test('the root is made private, and is the same at the next start', async () => {
  const path = join(base, 'a', 'root')
  expect(await prepareScratchRoot(path)).toBe(path)
  expect(mode(path)).toBe(0o700)
  expect(await prepareScratchRoot(path)).toBe(path)
})

test('the root of zero configuration is per user, in the temporary folder', async () => {
  const before = process.env.TMPDIR
  process.env.TMPDIR = base
  try {
    const name = `cursor-adapter-${process.getuid?.()}`
    mkdirSync(join(base, name), { mode: 0o755 })
    expect(await prepareScratchRoot(undefined)).toBe(join(base, name))
    expect(mode(join(base, name))).toBe(0o700)
  } finally {
    if (before === undefined) delete process.env.TMPDIR
    else process.env.TMPDIR = before
  }
})

test('a root that is a link, a file, relative or open to others is refused and not touched', async () => {
  mkdirSync(join(base, 'open'), { mode: 0o755 })
  mkdirSync(join(base, 'target'), { mode: 0o700 })
  symlinkSync(join(base, 'target'), join(base, 'link'))
  writeFileSync(join(base, 'file'), '')
  const refused = (name: string): Promise<string> => prepareScratchRoot(join(base, name))
  await expect(refused('link')).rejects.toThrow('is a link')
  await expect(refused('file')).rejects.toThrow('is not a folder')
  await expect(refused('open')).rejects.toThrow('open to others')
  await expect(prepareScratchRoot('scratch')).rejects.toThrow('workspace.scratch_root')
  expect(lstatSync(join(base, 'open')).mode & 0o777).toBe(0o755)
})

test('a root that belongs to somebody else is refused', async () => {
  // Only the superuser can give a folder away; everybody else has /proc, which is root's.
  const foreign = process.getuid?.() === 0 ? await givenAway() : '/proc'
  await expect(prepareScratchRoot(foreign)).rejects.toThrow('belongs to another user')
})

async function givenAway(): Promise<string> {
  const { chownSync } = await import('node:fs')
  const path = join(base, 'foreign')
  mkdirSync(path, { mode: 0o700 })
  chownSync(path, 12345, 12345)
  return path
}
