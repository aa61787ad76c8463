// Ten runs at once in five worktrees of one repository, all with skills, some cancelled at random, then the service is
// killed in the middle of ten more and started again. Only what was asked for may be left in the worktrees.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isErrno } from '../../src/lib/errno.ts'
import { agents, prompted } from '../support/agents.ts'
import { send } from '../support/ask.ts'
import { claudeRequest } from '../support/claude-request.ts'
import { within } from '../support/pace.ts'
import { type Service, startService } from '../support/service.ts'
import { isAlive, until } from '../support/until.ts'

const SKILLS = ['simplify', 'review', 'init']
const RULES = SKILLS.map((name) => `cursor-adapter-${name}.mdc`).toSorted()
const SETTINGS = { concurrency: 10, 'pool.kill_grace': 0.1 }

/** Reads its rule, edits in two steps with a pause between them, and says so. */
const run = (name: string, pauseMs: number) => ({
  match: `\n${name}\n`,
  steps: [
    { init: true },
    { look: '.cursor/rules/cursor-adapter-simplify.mdc' },
    { writeFile: `${name}.txt`, text: 'half' },
    { sleep: pauseMs },
    { writeFile: `${name}.txt`, text: `made by ${name}` },
    { delta: 'made' },
    { result: true },
  ],
})

const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8' })

/** Small, seeded and good enough: the same seed gives the same cancels. */
function random(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Every file and folder with its content's digest, but for the files that runs make. */
function snapshot(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted()
  return Object.fromEntries(
    names
      .filter((name) => !/^run-\d+\.txt$/.test(name))
      .map((name) => [name, digestOf(join(folder, name))]),
  )
}

function digestOf(path: string): string {
  // Rules may go away while we look.
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined || found.isDirectory()) return found === undefined ? 'gone' : 'folder'
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 'gone'
    throw error
  }
}

function repository(home: string): {
  readonly exclude: string
  readonly worktrees: readonly string[]
} {
  const main = join(home, 'main')
  mkdirSync(join(main, 'src/deep'), { recursive: true })
  writeFileSync(join(main, 'src/deep/a.ts'), 'export const a = 1\n')
  git(main, 'init', '-q')
  git(main, 'add', '-A')
  git(main, '-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '-q', '-m', 'one')
  const worktrees = [1, 2, 3, 4, 5].map((number) => {
    const path = join(home, `tree-${number}`)
    git(main, 'worktree', 'add', '-q', path)
    // One of them has rules of its own.
    if (number === 1) {
      mkdirSync(join(path, '.cursor/rules'), { recursive: true })
      writeFileSync(join(path, '.cursor/rules/style.mdc'), '---\nalwaysApply: true\n---\nmine\n')
    }
    return path
  })
  return { exclude: join(main, '.git/info/exclude'), worktrees }
}

test(
  'ten runs in five worktrees, cancels and a SIGKILL leave nothing but the edits asked for',
  async () => {
    const seed = Date.now() % 100_000
    const next = random(seed)
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'adapter-test-')))
    mkdirSync(join(folder, 'home'))
    const { exclude, worktrees } = repository(join(folder, 'home'))
    const before = worktrees.map(snapshot)
    const excludeBefore = readFileSync(exclude)
    const script = {
      runs: Array.from({ length: 25 }, (_, at) =>
        run(`run-${at}`, at < 10 || at >= 20 ? 300 : 60_000),
      ),
    }
    const treeOf = (at: number): string => worktrees[at % worktrees.length] ?? ''
    const ask = (service: Service, at: number, signal?: AbortSignal) =>
      send(
        service,
        { api: 'messages', stream: at % 2 === 0 },
        claudeRequest({ prompt: `run-${at}`, skills: SKILLS, folder: treeOf(at) }),
        {
          headers: { 'x-cursor-workspace': treeOf(at), 'x-cursor-mode': 'agent' },
          ...(signal === undefined ? {} : { signal }),
        },
      )
    const made = (at: number): string => readFileSync(join(treeOf(at), `run-${at}.txt`), 'utf8')

    const first = await startService({ script, folder, settings: SETTINGS })
    await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        if (next() < 0.6) {
          expect((await ask(first, at)).raw, `run-${at}, seed ${seed}`).toContain('end_turn')
          expect(made(at)).toBe(`made by run-${at}`)
          return
        }
        const leave = AbortSignal.timeout(Math.floor(next() * 1500))
        await ask(first, at, leave).then(
          ({ finish }) => expect(finish).toBe('end_turn'),
          (error: unknown) => expect(String(error)).toMatch(/abort|timeout/i),
        )
      }),
    )

    const replies = Array.from({ length: 10 }, (_, at) =>
      ask(first, at + 10).catch(() => undefined),
    )
    for (let at = 10; at < 20; at += 1) await prompted(first, `\nrun-${at}\n`)
    await until('every worktree to have its rules', within(5_000), () =>
      worktrees.every((path) => {
        return RULES.every((name) => existsSync(join(path, '.cursor/rules', name)))
      }),
    )
    for (const path of worktrees.slice(1)) {
      const status = git(path, 'status', '--porcelain', '--untracked-files=all')
      expect(status, `seed ${seed}`).not.toContain('.cursor')
    }
    const old = agents(first).map(({ pid }) => pid)
    first.process.kill('SIGKILL')
    await first.exited
    await Promise.all(replies)
    expect(existsSync(join(treeOf(1), '.cursor/rules'))).toBe(true)

    const second = await startService({ script, folder, settings: SETTINGS })
    await until('agents of the dead service to be gone', within(10_000), () => !old.some(isAlive))
    await Promise.all(
      [20, 21, 22, 23, 24].map(async (at) => {
        expect((await ask(second, at)).raw, `run-${at}, seed ${seed}`).toContain('end_turn')
        expect(made(at)).toBe(`made by run-${at}`)
      }),
    )
    await until('the worktrees to be as before', within(10_000), () => {
      return worktrees.every((path, at) => {
        return JSON.stringify(snapshot(path)) === JSON.stringify(before[at])
      })
    })
    await until('the exclude file to be as before', within(5_000), () => {
      return readFileSync(exclude).equals(excludeBefore)
    })
    for (const [at, path] of worktrees.entries()) {
      expect(snapshot(path), `seed ${seed}`).toEqual(before[at])
      const strangers = readdirSync(path).filter((name) => {
        const number = /^run-(\d+)\.txt$/.exec(name)?.[1]
        return number !== undefined && treeOf(Number(number)) !== path
      })
      expect(strangers, `seed ${seed}`).toEqual([])
    }
    await second.stop()
  },
  within(60_000),
)
