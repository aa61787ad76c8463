// Mode bridge with the tools of clients that speak Chat Completions: read, edit, then two at once.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Scenario, Stage } from '../stage.ts'

const call = (name: string, args: object): object => ({ name, arguments: args })

/** Names and arguments of a client's own tools. Source: recorded requests. */
interface ToolNames {
  readonly read: string
  readonly edit: string
  readonly shell: string
  readonly file: string
  readonly old: string
  readonly new: string
}

const NAMES: Readonly<Record<string, ToolNames>> = {
  'Qwen Code': {
    read: 'read_file',
    edit: 'edit',
    shell: 'run_shell_command',
    file: 'file_path',
    old: 'old_string',
    new: 'new_string',
  },
  OpenCode: {
    read: 'read',
    edit: 'edit',
    shell: 'bash',
    file: 'filePath',
    old: 'oldString',
    new: 'newString',
  },
}

/** Read, edit, then two at once; the client's shell sees what its edit did. */
async function playPlain(stage: Stage): Promise<void> {
  const names = NAMES[stage.client.name]
  assert.ok(names, `no tool names for ${stage.client.name}`)
  const file = join(stage.project, 'notes.txt')
  writeFileSync(file, 'one line\n')
  const edit = { [names.file]: file, [names.old]: 'one', [names.new]: 'two' }
  const shell = { command: 'cat notes.txt', description: 'Show it' }
  const work = [
    { init: true },
    { delta: 'I look first. ' },
    { call: call(names.read, { [names.file]: file }) },
    { call: call(names.edit, edit) },
    { calls: [call(names.shell, shell), call(names.read, { [names.file]: file })] },
    { delta: 'first: $RESULT1 shell: $RESULT3' },
    { result: true },
  ]
  const otherwise = { steps: [{ init: true }, { delta: 'ok' }, { result: true }] }
  stage.service.setScript({
    runs: [
      { match: 'Generate a title', ...otherwise },
      { match: 'Work on notes', steps: work },
      otherwise,
    ],
  })
  const { code, stderr } = await stage.ask('Work on notes.txt, please.')
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(file, 'utf8'), 'two line\n')
  const answers = stage.tap.about('Work on notes').map(({ answer }) => answer)
  assert.match(answers.join('\n'), /first: .*one line/s)
  assert.match(answers.join('\n'), /shell: .*two line/s)
  const prompts = stage
    .prompts('Work on notes')
    .filter((text) => !text.includes('Generate a title'))
  assert.equal(prompts.length, 1, prompts.join('\n-----\n'))
  assert.equal(stage.prompts('=== result of tool call').length, 0)
}

const editLoop = (backend: string): Scenario => ({
  name: `read, edit, shell of its own (${backend})`,
  without: ({ name }) =>
    NAMES[name] === undefined ? 'played with clients of Chat Completions' : undefined,
  script: () => ({ runs: [] }),
  settings: { mode: 'bridge', backend, 'pool.warm': 0 },
  bringsTools: true,
  run: playPlain,
})

export const editLoopAcp = editLoop('acp')
export const editLoopPrint = editLoop('print')
