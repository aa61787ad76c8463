// Subcommands: what they print, and that they exit with 0.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseJson } from '../../src/lib/json.ts'
import { AGENT, runAgent, temporaryFolder } from './run-agent.ts'

const COMMANDS: readonly {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly text: RegExp
}[] = [
  { args: ['--version'], text: /^2026\.10\.01-demo000\n$/u },
  { args: ['-v'], env: { VERSION: '2025.01.02-abcdef0' }, text: /^2025\.01\.02-abcdef0\n$/u },
  {
    args: ['--help'],
    text: /^Usage: agent \[options\] \[command\] \[prompt\.\.\.\][\s\S]*--print/u,
  },
  {
    args: ['models'],
    text: /^Available models\n\nauto - Auto \(default\)\ncomposer-2\.5 - Composer 2\.5\n[\s\S]*\n\nTip: use --model <id> /u,
  },
  { args: ['--list-models', '--output-format', 'json'], text: /^Available models\n\n/u },
  {
    args: ['create-chat'],
    env: { LOGIN: 'missing' },
    text: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/u,
  },
  { args: ['login'], text: /demo agent/u },
  { args: ['ls'], text: /needs a terminal/u },
  { args: ['mcp', 'enable', 'notes'], text: /notes/u },
  { args: ['update'], text: /demo agent/u },
]

test.concurrent.each(COMMANDS)('%o', async ({ args, env, text }) => {
  const ended = await runAgent({ args, stdin: '', ...(env ? { env } : {}) })
  expect(ended.stdout.toString()).toMatch(text)
  expect(ended).toMatchObject({ code: 0, stderr: '' })
})

test('status tells as JSON who is signed in, whatever the key', async () => {
  const status = async (login: string): Promise<unknown> => {
    const env = { LOGIN: login, CURSOR_API_KEY: 'crsr_x' }
    const ended = await runAgent({ args: ['status', '--format', 'json'], env })
    return parseJson(ended.stdout.toString())
  }
  expect(await status('ok')).toMatchObject({ isAuthenticated: true, hasAccessToken: true })
  expect(await status('required')).toMatchObject({
    isAuthenticated: false,
    message: 'Not logged in',
  })
})

test('a models file is printed as it is, and its ids are the models, marks and all', async () => {
  const file = join(temporaryFolder(), 'models.txt')
  const text =
    '\u001B[1mAvailable models\u001B[0m\n\n\u200Bmine-1 - Mine  One (current, default)\n\u001B[2mother\u001B[0m - Other\n'
  writeFileSync(file, text)
  const env = { MODELS: file }
  expect((await runAgent({ args: ['models'], env })).stdout.toString()).toBe(text)
  const known = await runAgent({ args: ['-p', '--trust', '--model', 'mine-1'], env })
  expect(known).toMatchObject({ code: 0 })
  const unknown = await runAgent({ args: ['-p', '--trust', '--model', 'auto'], env })
  expect(unknown.stderr).toBe('Cannot use this model: auto. Available models: mine-1, other\n')
})

test('the compiled file can be executed by a kernel that reads its first line', () => {
  expect(readFileSync(AGENT, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/u)
})
