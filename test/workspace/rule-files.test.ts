import { execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { withLock } from '../../src/workspace/file-lock.ts'
import { shareRules, sweepRules, writeScratchRules } from '../../src/workspace/rule-files.ts'
import { claudeMdRule, RULE_MARK } from '../../src/workspace/rules.ts'
import { until } from '../support/until.ts'

let root = ''
let dir = ''
let project = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'adapter-rules-')))
  dir = join(root, 'records')
  project = join(root, 'project')
  mkdirSync(project)
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

const rule = (name: string, text = 'text') => ({
  name: `cursor-adapter-${name}.mdc`,
  text: `---\nalwaysApply: false\n---\n${RULE_MARK}\n${text}\n`,
})
const rulesIn = (folder: string): string[] => {
  const path = join(folder, '.cursor/rules')
  return existsSync(path) ? readdirSync(path).toSorted() : []
}
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })

/** A repository with one commit and a worktree beside it. */
function repository(): { readonly exclude: string; readonly worktree: string } {
  git(project, 'init', '-q')
  writeFileSync(join(project, 'a.ts'), 'a\n')
  git(project, 'add', '.')
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.org']
  git(project, ...who, 'commit', '-q', '-m', 'one')
  const worktree = join(root, 'worktree')
  git(project, 'worktree', 'add', '-q', worktree)
  return { exclude: join(project, '.git/info/exclude'), worktree }
}

test('a scratch folder gets the rules and no record is kept', async () => {
  await writeScratchRules(project, [rule('a'), claudeMdRule('x')])
  expect(rulesIn(project)).toEqual(['cursor-adapter-a.mdc', 'cursor-adapter-claude-md.mdc'])
})

test('rules are there while somebody needs them, and the last one out leaves nothing', async () => {
  const first = await shareRules(dir, project, [rule('a'), rule('b')])
  const second = await shareRules(dir, project, [rule('b', 'other text'), rule('c')])
  expect(rulesIn(project)).toEqual(['a', 'b', 'c'].map((name) => rule(name).name))
  // Who came first may be reading it.
  expect(readFileSync(join(project, '.cursor/rules', rule('b').name), 'utf8')).toBe(rule('b').text)
  await first.release()
  expect(rulesIn(project)).toEqual(['b', 'c'].map((name) => rule(name).name))
  await second.release()
  await second.release()
  expect(readdirSync(project)).toEqual([])
  expect(readdirSync(dir)).toEqual([])
})

test('a rule, a folder and a file of the project stay as they are', async () => {
  mkdirSync(join(project, '.cursor/rules'), { recursive: true })
  const own = join(project, '.cursor/rules', rule('a').name)
  writeFileSync(own, 'mine')
  const shared = await shareRules(dir, project, [rule('a'), rule('b')])
  expect(readFileSync(own, 'utf8')).toBe('mine')
  await shared.release()
  expect(readFileSync(own, 'utf8')).toBe('mine')
  expect(rulesIn(project)).toEqual([rule('a').name])
})

test('what an agent puts beside the rules stays, and a rule it took away is no trouble', async () => {
  const shared = await shareRules(dir, project, [rule('a'), rule('b')])
  writeFileSync(join(project, '.cursor/rules/new.mdc'), 'theirs')
  unlinkSync(join(project, '.cursor/rules', rule('a').name))
  await shared.release()
  expect(rulesIn(project)).toEqual(['new.mdc'])
})

test('a file that the project puts in the place of one of ours is not removed', async () => {
  const shared = await shareRules(dir, project, [rule('a')])
  writeFileSync(join(project, '.cursor/rules', rule('a').name), 'theirs')
  await shared.release()
  expect(rulesIn(project)).toEqual([rule('a').name])
})

test('a name that leads elsewhere is not written', async () => {
  const shared = await shareRules(dir, project, [{ name: '../evil.mdc', text: 'x' }])
  expect(existsSync(join(project, '.cursor/evil.mdc'))).toBe(false)
  await shared.release()
})

describe('a workspace in which rules cannot be written', () => {
  test.each(['.cursor', '.cursor/rules'])('%s is a file', async (name) => {
    if (name !== '.cursor') mkdirSync(join(project, '.cursor'))
    writeFileSync(join(project, name), 'file')
    await expect(shareRules(dir, project, [rule('a')])).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect(readFileSync(join(project, name), 'utf8')).toBe('file')
    expect(readdirSync(dir)).toEqual([])
  })

  test('.cursor is a link: nothing is written where it leads', async () => {
    mkdirSync(join(root, 'outside'))
    symlinkSync(join(root, 'outside'), join(project, '.cursor'))
    await expect(shareRules(dir, project, [rule('a')])).rejects.toMatchObject({ code: 'ENOTDIR' })
    expect(readdirSync(join(root, 'outside'))).toEqual([])
  })

  test('a lock that is held by somebody who lives is waited for, then given up', async () => {
    mkdirSync(dir, { recursive: true })
    const holder = { pid: process.ppid, host: 'elsewhere', nonce: '0123456789abcdef' }
    writeFileSync(join(dir, 'lock'), JSON.stringify(holder))
    const work = vi.fn<() => void>()
    await expect(withLock(dir, 30, work)).rejects.toMatchObject({ code: 'ETIMEDOUT' })
    expect(work).not.toHaveBeenCalled()
    expect(readdirSync(dir)).toEqual(['lock'])
  })
})

describe('in a git repository', () => {
  test.each(['project', 'worktree', 'sub'])(
    '%s: status stays clean, the exclude file comes back byte for byte',
    async (where) => {
      const { exclude, worktree } = repository()
      const folder = { project, worktree, sub: join(worktree, 'deep/er') }[where] ?? ''
      mkdirSync(folder, { recursive: true })
      expect(
        git(folder, 'rev-parse', '--path-format=absolute', '--git-path', 'info/exclude').trim(),
      ).toBe(exclude)
      appendFileSync(exclude, 'mine-without-newline')
      const before = readFileSync(exclude)
      const shared = await shareRules(dir, folder, [rule('a')])
      expect(rulesIn(folder)).toEqual([rule('a').name])
      expect(git(worktree, 'status', '--porcelain', '--untracked-files=all')).toBe('')
      expect(git(project, 'status', '--porcelain', '--untracked-files=all')).toBe('')
      expect(readFileSync(exclude, 'utf8')).toMatch(/^mine-without-newline$/m)
      await shared.release()
      expect(readFileSync(exclude)).toEqual(before)
      expect(existsSync(join(folder, '.cursor'))).toBe(false)
    },
  )

  test('worktrees share one line, which goes with the last of them', async () => {
    const { exclude, worktree } = repository()
    const before = readFileSync(exclude)
    const here = await shareRules(dir, project, [rule('a')])
    const there = await shareRules(dir, worktree, [rule('a')])
    expect(readFileSync(exclude, 'utf8').split('cursor-adapter-*.mdc')).toHaveLength(2)
    await here.release()
    expect(git(worktree, 'status', '--porcelain')).toBe('')
    await there.release()
    expect(readFileSync(exclude)).toEqual(before)
  })

  test('services with different folders do not take each other’s line away', async () => {
    const { exclude, worktree } = repository()
    const before = readFileSync(exclude)
    const mine = await shareRules(dir, project, [rule('a')])
    const other = await shareRules(join(root, 'other-records'), worktree, [rule('a')])
    await mine.release()
    expect(git(worktree, 'status', '--porcelain')).toBe('')
    await other.release()
    expect(readFileSync(exclude)).toEqual(before)
  })

  test('a missing exclude file is made and taken away again', async () => {
    const { exclude } = repository()
    rmSync(exclude)
    const shared = await shareRules(dir, project, [rule('a')])
    expect(git(project, 'status', '--porcelain')).toBe('')
    await shared.release()
    expect(existsSync(exclude)).toBe(false)
  })

  test('a worktree that was removed meanwhile leaves no line behind', async () => {
    const { exclude, worktree } = repository()
    const before = readFileSync(exclude)
    const shared = await shareRules(dir, worktree, [rule('a')])
    git(project, 'worktree', 'remove', worktree)
    await shared.release()
    expect(readFileSync(exclude)).toEqual(before)
    expect(readdirSync(dir)).toEqual([])
  })
})

describe('after a crash', () => {
  /** A process that takes rules and is killed while it holds them (or while it holds the lock). */
  async function crash(program: string): Promise<void> {
    const file = join(root, 'crash.mjs')
    const module = join(import.meta.dirname, '../../dist/src/workspace')
    writeFileSync(
      file,
      `import { shareRules } from ${JSON.stringify(join(module, 'rule-files.js'))}
import { withLock } from ${JSON.stringify(join(module, 'file-lock.js'))}
const [dir, project, rules] = ${JSON.stringify([dir, project, [rule('a')]])}
${program}
console.log('ready')
setInterval(() => {}, 1000)`,
    )
    const child = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    await until('the other process to be ready', 20_000, () => said.includes('ready'))
    const gone = new Promise((resolve) => child.on('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  test('the sweep takes away what the dead process left, and only that', async () => {
    const { exclude, worktree } = repository()
    const before = readFileSync(exclude)
    const living = await shareRules(dir, worktree, [rule('a')])
    await crash('await shareRules(dir, project, rules)')
    expect(rulesIn(project)).toEqual([rule('a').name])
    expect(await sweepRules(dir)).toBe(1)
    expect(readdirSync(project).toSorted()).toEqual(['.git', 'a.ts'])
    expect(rulesIn(worktree)).toEqual([rule('a').name])
    await living.release()
    expect(readFileSync(exclude)).toEqual(before)
  })

  test('the next run in that workspace needs no sweep', async () => {
    await crash('await shareRules(dir, project, rules)')
    const shared = await shareRules(dir, project, [rule('a', 'new text')])
    const written = readFileSync(join(project, '.cursor/rules', rule('a').name), 'utf8')
    expect(written).toContain('new text')
    await shared.release()
    expect(readdirSync(project)).toEqual([])
  })

  test('a lock whose holder died is taken over by all who wait, one after the other', async () => {
    await crash('void withLock(dir, 1000, () => { console.log("ready"); for (;;); })')
    expect(readdirSync(dir)).toContain('lock')
    const shared = await Promise.all(
      Array.from({ length: 12 }, () => shareRules(dir, project, [rule('a')])),
    )
    await Promise.all(shared.map((one) => one.release()))
    expect(readdirSync(project)).toEqual([])
    expect(readdirSync(dir)).toEqual([])
  })

  test('rules whose agent is gone are free, even though this process never gave them back', async () => {
    const shared = await shareRules(dir, project, [rule('a')])
    const agent = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    shared.bind(agent.pid ?? 0)
    expect(await sweepRules(dir)).toBe(0)
    const gone = new Promise((resolve) => agent.on('exit', resolve))
    agent.kill('SIGKILL')
    await gone
    expect(await sweepRules(dir)).toBe(1)
    expect(readdirSync(project)).toEqual([])
    await shared.release()
  })

  test('a service that ends takes its own away, whatever they wait for', async () => {
    await shareRules(dir, project, [rule('a')])
    expect(await sweepRules(dir, 'gone')).toBe(1)
    expect(readdirSync(project)).toEqual([])
  })
})
