// What only the print backend does: arguments, folders, environment, login prompts, the fallback to argv.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backendFor } from '../../../src/backends/choose.ts'
import { monotonicMs } from '../../../src/lib/clock.ts'
import { arrayAt, type JsonObject, objectAt, stringAt } from '../../../src/lib/json.ts'
import { Lab, type Step } from '../../contract/agent-lab.ts'

const ANSWER: readonly Step[] = [{ init: true }, { delta: 'ok' }, { result: true }]

let lab: Lab
beforeEach(() => {
  lab = new Lab(backendFor({ backend: 'print' }), 'print')
})
afterEach(() => lab.close())

const started = (): JsonObject => lab.journal('start')[0] ?? {}
const strings = (fact: JsonObject, key: string): readonly unknown[] => arrayAt(fact, key) ?? []
const environment = (): JsonObject => objectAt(started(), 'env') ?? {}

test('scratch work has its own folder, configuration and data', async () => {
  const agent = await lab.launch({ steps: ANSWER })
  await lab.run(agent)
  const cwd = stringAt(started(), 'cwd') ?? ''
  expect(cwd).toMatch(/a1b2c3d4e5f6-[a-f0-9]{12}\/work$/)
  expect(strings(started(), 'argv')).toContain(cwd)
  expect(environment()).toMatchObject({
    CURSOR_CONFIG_DIR: cwd.replace(/work$/, 'config'),
    CURSOR_DATA_DIR: cwd.replace(/work$/, 'data'),
  })
})

test('a workspace keeps the data folder of the user, and its own folder afterwards', async () => {
  const path = join(lab.folder, 'project')
  mkdirSync(path)
  writeFileSync(join(path, 'a.txt'), 'a')
  const agent = await lab.launch({
    steps: ANSWER,
    profile: { folder: { class: 'workspace', path } },
  })
  await lab.run(agent)
  await agent.ended
  expect(stringAt(started(), 'cwd')).toBe(path)
  expect(environment()).toHaveProperty('CURSOR_CONFIG_DIR')
  expect(environment()).not.toHaveProperty('CURSOR_DATA_DIR')
  expect(readFileSync(join(path, 'a.txt'), 'utf8')).toBe('a')
  expect(lab.leftovers()).toEqual([])
})

test('shared configuration leaves the folders of the user in force', async () => {
  const agent = await lab.launch({ steps: ANSWER, settings: { configDir: 'shared' } })
  await lab.run(agent)
  expect(environment()).not.toHaveProperty('CURSOR_CONFIG_DIR')
  expect(environment()).not.toHaveProperty('CURSOR_DATA_DIR')
})

test('the access key of the service reaches no child, and no key stands in argv', async () => {
  const env = { CURSOR_ADAPTER_API_KEY: 'own-key', CURSOR_API_KEY: 'crsr_test' }
  const agent = await lab.launch({ steps: ANSWER, env })
  await lab.run(agent)
  expect(environment()).not.toHaveProperty('CURSOR_ADAPTER_API_KEY')
  expect(environment()).toMatchObject({ CURSOR_API_KEY: 'crsr_test' })
  expect(JSON.stringify(started().argv)).not.toContain('crsr_')
})

test.each(['- [ ] fix', '---', '--version', '-f'])('the prompt %j is text', async (text) => {
  const agent = await lab.launch({ steps: ANSWER })
  expect((await lab.run(agent, lab.job(text))).text).toBe('ok')
  expect(lab.journal('prompt')[0]).toMatchObject({ prompt: text })
  expect(strings(started(), 'argv')).not.toContain(text)
})

test.each(['- dash\n\n', '$HOME `id` "\'', '--version'])(
  'where stdin is not read the prompt %j goes into argv after --',
  async (text) => {
    const agent = await lab.launch({ steps: ANSWER, profile: { promptVia: 'argv' } })
    expect((await lab.run(agent, lab.job(text))).text).toBe('ok')
    expect(strings(started(), 'argv').slice(-2)).toEqual(['--', text])
    // The shell became the CLI: no process between us and it.
    expect(started().pid).toBe(agent.pid)
    await agent.ended
    expect(lab.leftovers()).toEqual([])
  },
)

test('a prompt too long for argv fails with the reason', async () => {
  const agent = await lab.launch({ steps: ANSWER, profile: { promptVia: 'argv' } })
  const { terminal } = await lab.run(agent, lab.job('x'.repeat(3 << 20)))
  expect(terminal).toMatchObject({ code: 'agent-failed' })
  expect(terminal).toHaveProperty('message', expect.stringContaining('too long for an argument'))
})

test.each<[string, Step]>([
  ['stdout', { raw: 'Not logged in\nPress any key to sign in...\n' }],
  ['stderr', { stderr: 'Press any key to sign in...\n' }],
])('a login prompt on %s that waits for ever fails within 5 s', async (_name, step) => {
  const agent = await lab.launch({ steps: [step, { hang: true }] })
  const beganAtMs = monotonicMs()
  const { terminal } = await lab.run(agent)
  expect(monotonicMs() - beganAtMs).toBeLessThan(5_000)
  expect(terminal).toMatchObject({ code: 'cursor-not-logged-in' })
  expect(terminal).toHaveProperty('message', expect.stringContaining('agent login'))
  await agent.ended
})

test('a login hint followed by an exit fails at once', async () => {
  const agent = await lab.launch({ env: { CURSOR_ADAPTER_DEMO_LOGIN: 'missing' } })
  const { terminal } = await lab.run(agent)
  expect(terminal).toMatchObject({ code: 'cursor-not-logged-in' })
})

test('a refused model is named with the nearest ones', async () => {
  const agent = await lab.launch({ steps: ANSWER, profile: { model: 'gpt-99-nonsense' } })
  const { terminal } = await lab.run(agent)
  expect(terminal).toMatchObject({ code: 'model-not-found' })
  expect(terminal).toHaveProperty('message', expect.stringMatching(/gpt-99-nonsense.*Nearest/))
})

test('images lie in the scratch folder before the prompt is read, and nowhere else', async () => {
  const image = (name: string): { name: string; mediaType: string; base64: string } => ({
    name,
    mediaType: 'image/png',
    base64: Buffer.from('picture').toString('base64'),
  })
  const agent = await lab.launch({
    steps: [{ waitFile: 'images/1.png' }, ...ANSWER],
  })
  const job = lab.job('see images/1.png', [image('images/1.png'), image('../../escaped.png')])
  expect((await lab.run(agent, job)).text).toBe('ok')
  await agent.ended
  expect(lab.leftovers()).toEqual([])
})

test('a line over the limit is dropped and counted, the answer goes on', async () => {
  const agent = await lab.launch({
    steps: [{ delta: 'x'.repeat(5_000) }, { delta: 'ok' }, { result: { result: '' } }],
    settings: { maxLineBytes: 2_000 },
  })
  const { events, text } = await lab.run(agent)
  expect(text).toBe('ok')
  expect(events).toContainEqual({ type: 'unknown', kind: 'line-too-long' })
})

test('a child that closes its output but stays alive is ended', async () => {
  writeFileSync(
    join(lab.folder, 'mute.mjs'),
    "import { closeSync } from 'node:fs'\ncloseSync(1)\nsetInterval(() => undefined, 1000)\n",
  )
  const mute = await lab.launch({
    profile: { binary: join(lab.folder, 'mute.mjs') },
    settings: { exitGraceMs: 200 },
  })
  const { terminal } = await lab.run(mute)
  expect(terminal).toMatchObject({ code: 'agent-failed' })
  await mute.ended
})
