import { expect, test } from 'vitest'
import { launchFailure } from '../../../src/backends/launch-failure.ts'
import { printArgs } from '../../../src/backends/print/args.ts'
import { promptInArgv } from '../../../src/backends/print/argv-prompt.ts'
import type { LaunchProfile } from '../../../src/core/job.ts'

const PROFILE: LaunchProfile = {
  backend: 'print',
  binary: '/opt/cursor-agent',
  cliVersion: '',
  folder: { class: 'scratch' },
  model: 'auto',
  mode: 'agent',
  permissions: 'workspace',
  sandbox: 'default',
  approveMcps: false,
  promptVia: 'stdin',
  digest: '',
}
const ALWAYS =
  '-p --output-format stream-json --stream-partial-output --trust --model auto --workspace /w'

test.each<[string, Partial<LaunchProfile>, string]>([
  ['the defaults pass no mode, no force, no approval', {}, ''],
  ['full permissions force', { permissions: 'full' }, ' --force'],
  ['read-only permissions ask', { permissions: 'read-only' }, ' --mode ask'],
  ['mode ask', { mode: 'ask' }, ' --mode ask'],
  ['a read-only wish is not forced', { mode: 'ask', permissions: 'full' }, ' --mode ask'],
  ['nor is a plan', { mode: 'plan', permissions: 'full' }, ' --mode plan'],
  ['mode plan', { mode: 'plan' }, ' --mode plan'],
  [
    'mode plan stays plan when read-only',
    { mode: 'plan', permissions: 'read-only' },
    ' --mode plan',
  ],
  ['a sandbox', { sandbox: 'disabled' }, ' --sandbox disabled'],
  ['approved MCP servers', { approveMcps: true }, ' --approve-mcps'],
])('%s', (_name, change, more) => {
  expect(printArgs({ ...PROFILE, ...change }, '/w').join(' ')).toBe(ALWAYS + more)
})

test('the fallback runs the CLI in place of the shell, scripts with Node', () => {
  const { command, args } = promptInArgv('/opt/agent.js', ['-p'], '/bin/node')
  expect(command).toBe('/bin/sh')
  expect(args.slice(2)).toEqual(['sh', '/bin/node', '/opt/agent.js', '-p'])
  expect(promptInArgv('/opt/agent', ['-p'], '/bin/node').args.slice(2)).toEqual([
    'sh',
    '/opt/agent',
    '-p',
  ])
})

const errno = (code: string): Error => Object.assign(new Error(code), { code })
const THERE = { binary: '/home/ann/bin/agent', binaryExists: true, folderExists: true, home: '' }

test.each([
  [errno('ENOENT'), { binaryExists: false }, 'cli-missing', '~/bin/agent'],
  [errno('EACCES'), {}, 'cli-missing', 'cannot be run'],
  [errno('ENOENT'), { folderExists: false }, 'invalid-request', 'workspace folder'],
  [errno('EMFILE'), {}, 'agent-failed', 'no room'],
  [new TypeError('bad'), {}, 'agent-failed', 'TypeError'],
])('a start that fails with %s is %j → %s', (error, facts, code, words) => {
  const failure = launchFailure(error, { ...THERE, ...facts })
  expect(failure.code).toBe(code)
  expect(failure.message).toContain(words)
  expect(failure.message).not.toContain('/home')
})
