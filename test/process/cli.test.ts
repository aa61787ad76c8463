import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { cliOutput, cliVersion, findCli } from '../../src/process/cli.ts'
import { isAlive, until } from '../support/until.ts'

const root = mkdtempSync(join(tmpdir(), 'cli-test-'))
afterAll(() => rmSync(root, { recursive: true }))
const env = { PATH: process.env.PATH ?? '' }

function folder(name: string): string {
  const path = join(root, name)
  mkdirSync(path, { recursive: true })
  return path
}

function program(path: string, body: string): string {
  writeFileSync(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

const [one, two] = [folder('one'), folder('two')]
program(join(one, 'agent'), 'exit 0')
program(join(two, 'cursor-agent'), 'exit 0')
program(join(two, 'agent'), 'exit 0')
writeFileSync(join(one, 'plain.txt'), '')
writeFileSync(join(one, 'script.mjs'), '')
const home = folder('home/.local/bin').slice(0, -'/.local/bin'.length)
program(join(home, '.local/bin/agent'), 'exit 0')

test('auto prefers cursor-agent anywhere on the PATH over agent', () => {
  expect(findCli('auto', { PATH: `${one}:${two}` })).toEqual({
    path: join(two, 'cursor-agent'),
  })
  expect(findCli('auto', { PATH: one })).toEqual({ path: join(one, 'agent') })
})

test('auto also looks where Cursor installs its program, for service managers with a short PATH', () => {
  expect(findCli('auto', { PATH: root, HOME: home })).toEqual({
    path: join(home, '.local/bin/agent'),
  })
})

test.each([
  ['auto', 'no cursor-agent or agent on the PATH'],
  ['my-agent', 'no my-agent on the PATH'],
  [join(one, 'absent'), `cursor_cli_path ${join(one, 'absent')} does not exist`],
  [join(one, 'plain.txt'), `cursor_cli_path ${join(one, 'plain.txt')} is not executable`],
  [one, `cursor_cli_path ${one} is not a file`],
])('%s that leads nowhere is told as: %s', (configured, reason) => {
  expect(findCli(configured, { PATH: root })).toEqual({ missing: reason })
})

test('a script of Node needs no execute permission', () => {
  const path = join(one, 'script.mjs')
  expect(findCli(path, {})).toEqual({ path })
})

const probe = (body: string, timeoutMs = 5000) =>
  cliVersion(program(join(root, `probe-${Math.random()}`), body), { env, timeoutMs })

test.each([
  [
    'the usual form',
    'echo 2026.10.01-abc1234',
    { ok: true, version: '2026.10.01-abc1234', usual: true },
  ],
  [
    'noise around it',
    'echo; echo hello; echo 2026.10.01-ab',
    { ok: true, version: '2026.10.01-ab', usual: true },
  ],
  ['another form', 'echo v1.2', { ok: true, version: 'v1.2', usual: false }],
  ['nothing', 'exit 0', { ok: true, version: '', usual: false }],
  [
    'an error exit',
    'echo nope >&2; exit 3',
    { ok: false, reason: '--version ended with exit code 3: nope' },
  ],
  ['a crash', 'kill -SEGV $$', { ok: false, reason: '--version ended with signal SIGSEGV' }],
])('--version that gives %s', async (_what, body, expected) => {
  expect(await probe(body)).toEqual(expected)
})

test('a program that cannot be executed is told with the system code', async () => {
  const path = join(root, 'garbage')
  writeFileSync(path, '\u007fELF no such thing')
  chmodSync(path, 0o755)
  const output = await cliOutput(path, [], { env, timeoutMs: 5000 })
  expect(output).toMatchObject({ ok: false })
})

test('a hanging program is killed with its children, and the reason names the time', async () => {
  const pids = join(root, 'pids')
  const result = await probe(`sleep 300 & echo "$$ $!" > ${pids}; trap '' TERM; wait; wait`, 500)
  expect(result).toEqual({ ok: false, reason: '--version gave no answer within 0.5 s' })
  const all = readFileSync(pids, 'utf8').trim().split(' ').map(Number)
  expect(all).toHaveLength(2)
  await until('both processes to be gone', 2000, () => all.every((pid) => !isAlive(pid)))
})

test('a helper left behind with the output open neither delays the answer nor survives it', async () => {
  const pids = join(root, 'helper')
  const result = await probe(`sleep 300 & echo $! > ${pids}; echo 2026.10.01-x`, 10_000)
  expect(result).toMatchObject({ ok: true, version: '2026.10.01-x' })
  const helper = Number(readFileSync(pids, 'utf8'))
  await until('the helper to be gone', 2000, () => !isAlive(helper))
})

test('output is given whole, stdin is empty, arguments and environment arrive', async () => {
  const path = program(join(root, 'echo'), 'cat; echo "$1 $MARK"; seq 1 20000')
  const output = await cliOutput(path, ['models'], { env: { ...env, MARK: 'm' }, timeoutMs: 5000 })
  expect(output.ok).toBe(true)
  expect(output.stdout.split('\n')).toHaveLength(20_001)
  expect(output.stdout).toMatch(/^models m\n1\n/)
})
