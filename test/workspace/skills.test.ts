import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BUNDLED_SKILLS } from '../../src/workspace/bundled-skills.ts'
import { parseSkill } from '../../src/workspace/rules.ts'
import { findSkills, readClaudeMd, type SkillPlaces } from '../../src/workspace/skills.ts'

let root = ''
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'adapter-skills-')))
  for (const name of ['project', 'home', 'extra', 'client']) mkdirSync(join(root, name))
})
afterEach(() => {
  rmSync(root, { recursive: true, force: true })
})

function put(path: string, text = `---\nname: x\n---\nfrom ${path}`): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

const places = (changes: Partial<SkillPlaces> = {}): SkillPlaces => ({
  workspace: join(root, 'project'),
  clientFolder: undefined,
  home: join(root, 'home'),
  dirs: [join(root, 'extra')],
  cliReads: false,
  ...changes,
})

async function bodyOf(name: string, changes: Partial<SkillPlaces> = {}): Promise<string> {
  const [found] = await findSkills([name], places(changes))
  return found?.how === 'ours' ? found.skill.body : (found?.how ?? 'nothing')
}

test('the project comes before the user, the user before configured folders, those before bundled skills', async () => {
  const order = [
    'project/.claude/skills/review/SKILL.md',
    'project/.cursor/skills/review/SKILL.md',
    'project/.agents/skills/review/SKILL.md',
    'home/.claude/skills/review/SKILL.md',
    'home/.cursor/skills/review/SKILL.md',
    'home/.agents/skills/review/SKILL.md',
    'extra/review/SKILL.md',
  ]
  expect(await bodyOf('review')).toContain('careful colleague')
  for (const path of order.toReversed()) {
    put(path)
    expect(await bodyOf('review')).toBe(`from ${path}`)
  }
})

test('a skill that the CLI finds by itself is only named; configured and bundled ones are ours', async () => {
  put('project/.claude/skills/tidy/SKILL.md')
  put('home/.agents/skills/mine/SKILL.md')
  put('extra/deploy/SKILL.md')
  const found = await findSkills(
    ['tidy', 'mine', 'deploy', 'init', 'unknown'],
    places({ cliReads: true }),
  )
  expect(found.map((it) => [it.how, it.how === 'ours' ? it.skill.name : it.name])).toEqual([
    ['by-cli', 'tidy'],
    ['by-cli', 'mine'],
    ['ours', 'deploy'],
    ['ours', 'init'],
  ])
})

test("the client's own folder is read for a scratch run, because the CLI cannot see it there", async () => {
  put('client/.claude/skills/tidy/SKILL.md')
  const scratch = {
    workspace: undefined,
    clientFolder: join(root, 'client'),
    cliReads: true,
  }
  expect(await bodyOf('tidy', scratch)).toBe('from client/.claude/skills/tidy/SKILL.md')
})

test.each(['.cursor/rules/review.mdc', '.cursor/commands/review.md'])(
  'a project that has %s keeps it',
  async (path) => {
    put(`project/${path}`)
    expect(await bodyOf('review')).toBe('project-rule')
  },
)

test('a link in a project may not lead out of it; in the user’s own folder it may', async () => {
  put('elsewhere/tidy/SKILL.md', 'secret')
  mkdirSync(join(root, 'project/.claude/skills'), { recursive: true })
  mkdirSync(join(root, 'home/.claude/skills'), { recursive: true })
  symlinkSync(join(root, 'elsewhere/tidy'), join(root, 'project/.claude/skills/tidy'))
  expect(await bodyOf('tidy')).toBe('nothing')
  symlinkSync(join(root, 'elsewhere/tidy'), join(root, 'home/.claude/skills/tidy'))
  expect(await bodyOf('tidy')).toBe('secret')
})

test('names that are paths, huge files and folders in place of files are no skills', async () => {
  put('project/.claude/secret/SKILL.md')
  put('project/.claude/skills/huge/SKILL.md', 'x'.repeat(100_000))
  mkdirSync(join(root, 'project/.claude/skills/odd/SKILL.md'), { recursive: true })
  const found = await findSkills(['../secret', 'huge', 'odd', ''], places())
  expect(found).toEqual([])
})

test('CLAUDE.md is read where there is one with text', async () => {
  expect(await readClaudeMd(join(root, 'project'))).toBeUndefined()
  put('project/CLAUDE.md', ' \n')
  expect(await readClaudeMd(join(root, 'project'))).toBeUndefined()
  put('project/CLAUDE.md', 'use tabs')
  expect(await readClaudeMd(join(root, 'project'))).toBe('use tabs')
})

test.each([...BUNDLED_SKILLS])('the bundled skill %s is a skill', (name, text) => {
  const skill = parseSkill(name, text, undefined)
  expect(skill.body.length).toBeGreaterThan(500)
  expect(text).toContain(`name: ${name}\n`)
  expect(skill.body).not.toMatch(/\b(?:Skill|Task|Agent|TodoWrite) tool\b/)
})
