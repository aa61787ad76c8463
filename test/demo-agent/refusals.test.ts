// What the CLI refuses, the demo agent refuses: with that text, on that stream, with that exit code.
import { expect, test } from 'vitest'
import { runAgent } from './run-agent.ts'

const PRINT = ['-p', '--trust']
const UUID = '0b8f7a52-7d5b-4a53-8a4e-0b1d8e1f9a11'

const REFUSALS: readonly {
  readonly name: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly stdin?: string
  readonly text: string | RegExp
}[] = [
  { name: 'an unknown flag', args: ['--x'], text: "error: unknown option '--x'\n" },
  {
    name: 'a prompt that looks like a flag',
    args: [...PRINT, '- item one'],
    text: "error: unknown option '- item one'\n",
  },
  {
    name: 'mode agent',
    args: [...PRINT, '--mode', 'agent'],
    text: "error: option '--mode <mode>' argument 'agent' is invalid. Allowed choices are plan, ask.\n",
  },
  { name: 'a flag without its value', args: ['-p', '--model'], text: /argument missing\n$/u },
  {
    name: 'an output format that is none',
    args: [...PRINT, '--output-format=xml'],
    text: /Allowed choices are text, json, stream-json\.\n$/u,
  },
  {
    name: 'partial output without stream-json',
    args: [...PRINT, '--stream-partial-output'],
    text: /^Error: --stream-partial-output/u,
  },
  {
    name: 'force with auto-review',
    args: [...PRINT, '--auto-review', '--force'],
    text: /cannot be used with option '-f, --force'/u,
  },
  {
    name: 'a folder nobody trusted',
    args: ['-p'],
    text: /^Workspace Trust Required[\s\S]*--trust, --yolo or -f/u,
  },
  {
    name: 'force where it does not cover trust',
    args: ['-p', '--yolo'],
    env: { QUIRKS: 'force-without-trust' },
    text: /^Workspace Trust Required/u,
  },
  {
    name: 'force where an administrator forbids it',
    args: [...PRINT, '-f'],
    env: { QUIRKS: 'force-disabled' },
    text: /Run Everything/u,
  },
  {
    name: 'a workspace that is not there',
    args: [...PRINT, '--workspace', '/no/such/folder'],
    text: /\/no\/such\/folder/u,
  },
  {
    name: 'an unknown model, naming all',
    args: [...PRINT, '--model', 'gpt-9'],
    text: /^Cannot use this model: gpt-9\. Available models: auto, composer-2\.5, [^\n]+\n$/u,
  },
  {
    name: 'a bracket form that is not byte-identical',
    args: [...PRINT, '--model', 'claude-opus-5[effort=high]'],
    text: /^Cannot use this model: claude-opus-5\[effort=high\]/u,
  },
  {
    name: 'a sandbox this system has not',
    args: [...PRINT, '--sandbox', 'enabled'],
    env: { QUIRKS: 'no-sandbox' },
    text: 'Sandbox mode is enabled but not available on this system\n',
  },
  {
    name: 'an unknown tool name, naming the known ones',
    args: [...PRINT, '--allowed-tools', '__probe__'],
    text: /^Invalid --allowed-tools value\(s\): __probe__\. Expected one of: shell_tool_call, /u,
  },
  {
    name: 'a chat id that is no UUID',
    args: [...PRINT, '--resume', 'abc'],
    text: 'Persistent-session chat ID must be a UUID\n',
  },
  { name: 'resuming nothing', args: [...PRINT, '--continue'], text: 'No previous chats found.\n' },
  { name: 'no prompt at all', args: PRINT, stdin: '', text: 'No prompt provided for print mode\n' },
  {
    name: 'a prompt on stdin in a version that does not read it',
    args: PRINT,
    env: { STDIN: 'ignored' },
    text: 'No prompt provided for print mode\n',
  },
  {
    name: 'nobody signed in, before any other check',
    args: ['-p', '--model', 'gpt-9'],
    env: { LOGIN: 'missing' },
    text: /^Error: Authentication required\. Run 'agent login', pass --api-key\/--auth-token, or set /u,
  },
  {
    name: 'a needed login',
    args: PRINT,
    env: { LOGIN: 'required' },
    text: /^Error: Authentication required/u,
  },
  {
    name: 'an empty key',
    args: PRINT,
    env: { CURSOR_API_KEY: '' },
    text: /The provided API key is invalid/u,
  },
  {
    name: 'the models without a login',
    args: ['models'],
    env: { LOGIN: 'missing' },
    text: /^Error: Authentication required/u,
  },
  {
    name: 'a missing system prompt file',
    args: [...PRINT, '--system-prompt', 'none.txt'],
    text: /none\.txt/u,
  },
  {
    name: 'an unknown model in ACP mode too',
    args: ['--model', 'gpt-9', 'acp'],
    text: /^Cannot use this model: gpt-9\. Available models: auto, /u,
  },
]

test.concurrent.each(REFUSALS)('refuses $name', async ({ args, env, stdin, text }) => {
  const ended = await runAgent({
    args,
    ...(env ? { env } : {}),
    ...(stdin === undefined ? {} : { stdin }),
  })
  expect(ended.stderr).toMatch(text)
  if (typeof text === 'string') expect(ended.stderr).toBe(text)
  expect(ended.stdout.toString()).toBe('')
  expect(ended.code).toBe(1)
  expect(ended.journal.at(-1)).toMatchObject({ event: 'exit', code: 1 })
})

const ACCEPTED: readonly {
  readonly name: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}[] = [
  { name: 'a dash prompt after --', args: [...PRINT, '--', '- item one'] },
  { name: 'force in place of trust', args: ['-pf', 'hi'] },
  { name: 'an unlisted base model', args: [...PRINT, '--model', 'claude-opus-5', 'hi'] },
  {
    name: 'a variant string byte for byte',
    args: [
      ...PRINT,
      '--model',
      'claude-opus-5[thinking=true,context=300k,effort=high,fast=false]',
      'hi',
    ],
  },
  {
    name: 'a key where a login is required',
    args: [...PRINT, 'hi'],
    env: { LOGIN: 'required', CURSOR_API_KEY: 'crsr_x' },
  },
  { name: 'an unknown chat id', args: [...PRINT, '--resume', UUID, 'hi'] },
  {
    name: 'hidden switches',
    args: [
      ...PRINT,
      '--single-turn',
      '--exclude-tools',
      'x',
      '--background-shell-timeout',
      '5',
      'hi',
    ],
  },
  { name: 'agent as a command', args: ['agent', ...PRINT, 'hi'] },
  { name: 'plan mode', args: [...PRINT, '--plan', '--mode=plan', 'hi'] },
]

test.concurrent.each(ACCEPTED)('accepts $name', async ({ args, env }) => {
  const ended = await runAgent({ args, stdin: '', ...(env ? { env } : {}) })
  expect(ended.stderr).toBe('')
  expect(ended.code).toBe(0)
})

const MISTAKES: readonly {
  readonly name: string
  readonly env?: Readonly<Record<string, string>>
  readonly script?: unknown
  readonly text: RegExp
}[] = [
  {
    name: 'a number that is none',
    env: { BOOT_MS: 'soon' },
    text: /BOOT_MS is 'soon', expected milliseconds/u,
  },
  { name: 'an unknown quirk', env: { QUIRKS: 'odd' }, text: /'odd', expected fixed-temp-name/u },
  { name: 'a missing script', env: { SCRIPT: '/no/such.json' }, text: /no\/such\.json/u },
  {
    name: 'a step it does not know',
    script: { runs: [{ steps: [{ dance: 1 }] }] },
    text: /unknown step \{"dance":1\}/u,
  },
  {
    name: 'a prompt no run fits',
    script: { runs: [{ match: '^x$', steps: [] }] },
    text: /no run fits/u,
  },
]

test.concurrent.each(MISTAKES)(
  'a mistake in its own set-up, $name, has exit code 64',
  async (mistake) => {
    const { env, script, text } = mistake
    const ended = await runAgent({
      ...(env ? { env } : {}),
      ...(script === undefined ? {} : { script }),
    })
    expect(ended.stderr).toMatch(text)
    expect(ended.code).toBe(64)
  },
)
