// What the demo agent keeps on disk: the model's choice, chats, trust; and that it keeps nothing unasked.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts'
import { linesOf, runAgent, STREAM, temporaryFolder } from './run-agent.ts'

const UUID = '0b8f7a52-7d5b-4a53-8a4e-0b1d8e1f9a11'

function configIn(folder: string): JsonObject {
  const parsed = parseJson(readFileSync(join(folder, 'cli-config.json'), 'utf8'))
  return isObject(parsed) ? parsed : {}
}

test('without a folder of its own it writes nothing at all', async () => {
  const home = temporaryFolder()
  const cwd = temporaryFolder()
  const args = [...STREAM, '--model', 'composer-2.5']
  expect(await runAgent({ args, cwd, env: { HOME: home } })).toMatchObject({ code: 0 })
  expect([...readdirSync(home), ...readdirSync(cwd)]).toEqual([])
})

test('--model is kept in cli-config.json beside all else, and is what runs without the flag', async () => {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'cli-config.json'), '{"version":1,"permissions":{"allow":["x"]}}')
  const env = { CURSOR_CONFIG_DIR: folder }
  await runAgent({ args: [...STREAM, '--model', 'composer-2.5'], env })
  expect(configIn(folder)).toMatchObject({
    permissions: { allow: ['x'] },
    model: { modelId: 'composer-2.5', displayName: 'Composer 2.5', maxMode: false },
  })
  const [init] = linesOf((await runAgent({ env })).stdout)
  expect(init).toMatchObject({ model: 'Composer 2.5' })
  expect(readdirSync(folder).filter((name) => name.includes('tmp'))).toEqual([])
})

test('the config race and the missing projects folder can be played', async () => {
  const folder = temporaryFolder()
  const run = (quirk: string): ReturnType<typeof runAgent> =>
    runAgent({
      args: [...STREAM, '--model', 'composer-2.5'],
      env: { CURSOR_CONFIG_DIR: folder, QUIRKS: quirk },
    })
  const projects = await run('projects-folder')
  expect(projects).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Error: ENOENT.*worker\.log'\n$/u),
  })
  mkdirSync(join(folder, 'projects'))
  expect(await run('projects-folder')).toMatchObject({ code: 0 })
  const race = await run('config-race, fixed-temp-name')
  const file = join(folder, 'cli-config.json')
  const text = `Error: ENOENT: no such file or directory, rename '${file}.tmp' -> '${file}'\n`
  expect(race).toMatchObject({ code: 1, stderr: text })
})

test('a chat is resumed by its id, by place and as the latest, and costs only the new part', async () => {
  const cwd = temporaryFolder()
  const data = temporaryFolder()
  const run = async (args: readonly string[], stdin: string): Promise<readonly JsonObject[]> =>
    linesOf((await runAgent({ args: [...STREAM, '--data-dir', data, ...args], cwd, stdin })).stdout)
  const usageOf = (lines: readonly JsonObject[]): unknown => lines.at(-1)?.usage
  const first = await run(['--new-session-id', UUID], 'x'.repeat(4000))
  expect(usageOf(first)).toMatchObject({ inputTokens: 9192, cacheReadTokens: 5888 })
  const chat = join(data, 'chats', createHash('md5').update(cwd).digest('hex'), UUID)
  expect(readdirSync(chat).sort((one, two) => one.localeCompare(two))).toEqual([
    'meta.json',
    'store.db',
  ])
  for (const args of [['--resume', UUID], ['--continue'], ['--resume=-1'], ['--resume', '-1']]) {
    const lines = await run(args, 'four')
    expect(lines[0]).toMatchObject({ session_id: UUID })
    expect(JSON.stringify(lines.at(-1))).toMatch(/This chat was resumed/u)
    expect(usageOf(lines)).toMatchObject({ inputTokens: 1 })
  }
})

test('a new session id can be used once; an unknown id to resume is a fresh chat under that id', async () => {
  const env = { CURSOR_DATA_DIR: temporaryFolder() }
  const cwd = temporaryFolder()
  const fresh = await runAgent({ args: [...STREAM, '--resume', UUID], env, cwd })
  const [init] = linesOf(fresh.stdout)
  expect(init).toMatchObject({ session_id: UUID })
  expect(fresh.stdout.toString()).not.toMatch(/resumed/u)
  const again = await runAgent({ args: [...STREAM, '--new-session-id', UUID], env, cwd })
  expect(again).toMatchObject({
    code: 1,
    stderr: `Error: Session ID "${UUID}" is already in use.\n`,
  })
})

test('trust once given is remembered for that folder only', async () => {
  const env = { CURSOR_DATA_DIR: temporaryFolder() }
  const cwd = temporaryFolder()
  const untrusting = STREAM.filter((flag) => flag !== '--trust')
  expect(await runAgent({ args: untrusting, env, cwd })).toMatchObject({ code: 1 })
  expect(await runAgent({ env, cwd })).toMatchObject({ code: 0 })
  expect(await runAgent({ args: untrusting, env, cwd })).toMatchObject({ code: 0 })
  expect(await runAgent({ args: untrusting, env, cwd: temporaryFolder() })).toMatchObject({
    code: 1,
  })
})

test.each(['config', 'home'])('a login file in the %s folder counts as a login', async (place) => {
  const home = temporaryFolder()
  const config = temporaryFolder()
  const folder = place === 'config' ? config : join(home, '.config', 'cursor')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'auth.json'), '{}')
  const env = { LOGIN: 'required', HOME: home, CURSOR_CONFIG_DIR: config }
  const ended = await runAgent({ env })
  expect(linesOf(ended.stdout)[0]).toMatchObject({ apiKeySource: 'login' })
  expect(existsSync(join(config, 'chats'))).toBe(true)
})
