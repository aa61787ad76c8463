// A project's own skill, called with a slash and in words, where Cursor runs the tools.
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { until } from '../../support/until.ts'
import { OTHERWISE } from '../errand.ts'
import { resultOf } from '../heard.ts'
import type { Ended } from '../running.ts'
import type { Scenario, Stage } from '../stage.ts'
import { answer, shown } from './answers.ts'

const SKILL = '.claude/skills/simplify/SKILL.md'
const FILES = {
  'src/app.js': 'const sum = (a, b) => {\n  const c = a + b\n  return c\n}\n',
  [SKILL]:
    '---\nname: simplify\ndescription: Makes code simpler.\n---\nTake every needless variable out of $ARGUMENTS and nothing else.\n',
}
const INSTRUCTIONS = 'Take every needless variable out of'
const IN_WORDS = 'Use the simplify skill on src/app.js'
const SIMPLE = 'const sum = (a, b) => a + b\n'
const WAIT_MS = 20_000

/** What is in a folder: paths, and texts of files. */
function contents(folder: string): Readonly<Record<string, string>> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return Object.fromEntries(
    entries.map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return [path.slice(folder.length + 1), entry.isFile() ? readFileSync(path, 'utf8') : '']
    }),
  )
}

/** Source: Claude Code 2.1.332 sends `/nonsense` on with this remark before it. Assumed: the words of other versions. */
const UNKNOWN = /no command with that name|unknown (?:slash )?(?:command|skill)/i

function saidWell({ tap }: Stage, ended: Ended, text: string): void {
  assert.equal(ended.code, 0, shown(ended))
  const { is_error: isError, result } = resultOf(ended.messages)
  assert.deepEqual({ isError, result }, { isError: false, result: text })
  assert.doesNotMatch(ended.stdout + ended.stderr, UNKNOWN)
  for (const { sent, status } of tap.turns()) {
    assert.equal(status, 200)
    assert.doesNotMatch(sent, UNKNOWN)
  }
}

/** The client itself puts the skill's text in place of the call: the prompt has it once, and nothing is added to it. */
async function withSlash(stage: Stage, go: string): Promise<void> {
  const { start, tap, project, prompts } = stage
  const before = contents(project)
  const client = await start('/simplify src/app.js')
  await until('the prompt', WAIT_MS, () => prompts(INSTRUCTIONS).length > 0)
  // Cursor finds the project's skill by itself; what the client offers beside it is there as rules of ours meanwhile.
  const rules = readdirSync(join(project, '.cursor/rules'))
  assert.ok(rules.length > 0 && rules.every((name) => name.startsWith('cursor-adapter-')))
  assert.ok(!rules.includes('cursor-adapter-simplify.mdc'), rules.join(' '))
  writeFileSync(go, '')
  saidWell(stage, await client.ended, 'Simplified.')
  assert.equal(tap.about('<command-name>/simplify</command-name>').length, 1)
  const [prompt = '', ...others] = prompts(INSTRUCTIONS)
  assert.deepEqual(others, [])
  assert.match(prompt, /<command-name>\/simplify<\/command-name>/)
  assert.match(prompt, /<command-args>src\/app\.js<\/command-args>/)
  assert.equal(prompt.split(`${INSTRUCTIONS} src/app.js and nothing else.`).length, 2, prompt)
  assert.doesNotMatch(prompt, /The skill \/simplify is/)
  await until('the rules to be gone', WAIT_MS, () => !readdirSync(project).includes('.cursor'))
  assert.deepEqual(contents(project), { ...before, 'src/app.js': SIMPLE })
}

/** The client sends the words as they are: the prompt says where the skill is, and that no tool is needed. */
async function inWords(stage: Stage): Promise<void> {
  const { ask, project, prompts } = stage
  const before = contents(project)
  saidWell(stage, await ask(`${IN_WORDS}, please.`), 'Nothing left to simplify.')
  const [prompt = '', ...others] = prompts(IN_WORDS)
  assert.deepEqual(others, [])
  const file = join(project, SKILL)
  assert.ok(prompt.includes(`The skill /simplify is ${file}: read that file first`), prompt)
  assert.match(prompt, /no tool named Skill here/)
  await until('the rules to be gone', WAIT_MS, () => !readdirSync(project).includes('.cursor'))
  assert.deepEqual(contents(project), before)
}

export const skill: Scenario = {
  name: 'a skill of the project',
  handsOver: true,
  readsProject: true,
  without: ({ printsMessages }) =>
    printsMessages === true ? undefined : 'played with clients that have a tool named Skill',
  script: (scratch) => ({
    runs: [
      {
        match: IN_WORDS,
        steps: [{ init: true }, { look: SKILL }, ...answer('Nothing left to simplify.').slice(1)],
      },
      {
        match: INSTRUCTIONS,
        steps: [
          { init: true },
          { waitFile: join(scratch, 'go') },
          { writeFile: 'src/app.js', text: SIMPLE },
          ...answer('Simplified.').slice(1),
        ],
      },
      OTHERWISE,
    ],
  }),
  async run(stage) {
    for (const [path, text] of Object.entries(FILES)) {
      const file = join(stage.project, path)
      mkdirSync(dirname(file), { recursive: true })
      writeFileSync(file, text)
    }
    await withSlash(stage, join(stage.service.folder, 'go'))
    await inWords(stage)
  },
}
