// Rule files of a profile: there before the child starts, gone after it ended, said in the prompt where they cannot be.
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backendFor } from '../../../src/backends/choose.ts'
import type { RuleFile } from '../../../src/core/job.ts'
import { RULE_MARK } from '../../../src/workspace/rules.ts'
import { Lab, type Step } from '../../contract/agent-lab.ts'

const NAME = 'cursor-adapter-tidy.mdc'
const RULES: readonly RuleFile[] = [{ name: NAME, text: `${RULE_MARK}\ntidy\n` }]
const LOOK: readonly Step[] = [{ init: true }, { look: `.cursor/rules/${NAME}` }, { result: true }]

let lab: Lab
let path = ''
beforeEach(() => {
  lab = new Lab(backendFor({ backend: 'print' }), 'print')
  path = join(lab.folder, 'project')
  mkdirSync(path)
})
afterEach(() => lab.close())

const inWorkspace = () => ({
  steps: LOOK,
  settings: { rulesDir: join(lab.folder, 'rules') },
  profile: { folder: { class: 'workspace', path }, rules: RULES, digest: 'd' } as const,
})
const prompt = {
  text: 'read the rule',
  images: [],
  textWithoutRules: 'tidy by yourself',
}

test('in a workspace they are there for the child and gone with it', async () => {
  const agent = await lab.launch(inWorkspace())
  expect(readdirSync(join(path, '.cursor/rules'))).toEqual([NAME])
  const { events } = await lab.run(agent, lab.job('', [], { prompt }))
  expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ isError: false })
  await agent.ended
  expect(existsSync(join(path, '.cursor'))).toBe(false)
  expect(readdirSync(join(lab.folder, 'rules'))).toEqual([])
  expect(lab.journal('prompt')[0]).toMatchObject({ prompt: prompt.text })
})

test('an agent that is closed without a run takes them away too', async () => {
  const agent = await lab.launch(inWorkspace())
  await agent.close('cancelled')
  expect(existsSync(join(path, '.cursor'))).toBe(false)
})

test('in a scratch folder they are there before the prompt comes', async () => {
  const agent = await lab.launch({ steps: LOOK, profile: { rules: RULES, digest: 'd' } })
  const { events } = await lab.run(agent, lab.job('', [], { prompt }))
  expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({ isError: false })
  expect(lab.journal('prompt')[0]).toMatchObject({ prompt: prompt.text })
})

test.each(['a file in the place of the folder', 'no folder for records'])(
  'with %s the prompt says what the rules would have said',
  async (what) => {
    const options = inWorkspace()
    if (what.startsWith('a file')) writeFileSync(join(path, '.cursor'), 'x')
    const settings = what.startsWith('no folder') ? {} : options.settings
    const agent = await lab.launch({ ...options, settings })
    await lab.run(agent, lab.job('', [], { prompt }))
    expect(lab.journal('prompt')[0]).toMatchObject({ prompt: prompt.textWithoutRules })
    await agent.ended
    expect(readdirSync(path)).toEqual(what.startsWith('a file') ? ['.cursor'] : [])
  },
)

test('a CLI that is missing leaves neither rules nor a scratch folder', async () => {
  const { settings, profile } = inWorkspace()
  const binary = join(lab.folder, 'missing')
  const launches = Array.from({ length: 40 }, (_, at) =>
    lab.launch({ settings, profile: { ...(at % 2 === 0 ? profile : {}), binary } }),
  )
  for (const launch of await Promise.allSettled(launches)) {
    expect(launch).toMatchObject({ status: 'rejected', reason: { event: { code: 'cli-missing' } } })
  }
  expect(lab.leftovers()).toEqual([])
  expect(existsSync(join(path, '.cursor'))).toBe(false)
})
