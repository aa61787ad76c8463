// Mode bridge: the client runs its own tools because Cursor asks for them, and one run of Cursor sees all their results.
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringAt } from '../../../src/lib/json.ts'
import { blocksOf, ofType, resultOf, strings, textsOf } from '../heard.ts'
import type { Scenario, Stage } from '../stage.ts'

const call = (name: string, args: object): object => ({ name, arguments: args })

/** The client's own names and arguments. Source: tool lists of Claude Code 2.1.332. */
const steps = (file: string): readonly object[] => [
  { init: true },
  { thinking: 'Which file?' },
  { thinkingEnd: true },
  { delta: 'I look first. ' },
  { call: call('Read', { file_path: file }) },
  { delta: 'Now I edit. ' },
  {
    call: call('Edit', {
      file_path: file,
      old_string: 'one',
      new_string: 'two',
      replace_all: false,
    }),
  },
  {
    calls: [
      call('Bash', { command: 'cat notes.txt', description: 'Show it' }),
      call('Read', { file_path: file }),
    ],
  },
  {
    call: call('Agent', {
      description: 'Count words',
      prompt: 'Count the words of the sub-agent task.',
      subagent_type: 'general-purpose',
      run_in_background: false,
    }),
  },
  { delta: 'shell: $RESULT3; agent: $RESULT5' },
  { result: true },
]

async function play(stage: Stage): Promise<void> {
  const file = join(stage.project, 'notes.txt')
  writeFileSync(file, 'one line\n')
  stage.service.setScript({
    runs: [
      {
        match: 'Count the words of the sub-agent task',
        steps: [{ init: true }, { delta: 'seven words' }, { result: true }],
      },
      { match: 'Work on notes', steps: steps(file) },
      { steps: [{ init: true }, { delta: 'ok' }, { result: true }] },
    ],
  })
  const { code, messages, stderr } = await stage.ask('Work on notes.txt, please.')
  assert.equal(code, 0, stderr)
  assert.equal(readFileSync(file, 'utf8'), 'two line\n')
  const own = messages.filter((message) => message.parent_tool_use_id === null)
  const calls = ofType(blocksOf(own, 'assistant'), /^tool_use$/)
  assert.deepEqual(strings(calls, 'name'), ['Read', 'Edit', 'Bash', 'Read', 'Agent'])
  const results = ofType(blocksOf(own, 'user'), /^tool_result$/)
  assert.deepEqual(strings(results, 'tool_use_id').toSorted(), strings(calls, 'id').toSorted())
  assert.deepEqual(
    results.filter((result) => result.is_error === true),
    [],
  )
  const text = textsOf(blocksOf(own, 'assistant'))
  assert.match(text, /^I look first. Now I edit. shell: two line/)
  assert.match(text, /seven words/)
  assert.equal(resultOf(messages).is_error, false)
  assert.match(stringAt(resultOf(messages), 'result') ?? '', /agent: .*seven words/s)
  // One run for the main turn, one for the sub-agent: rounds go on, nothing is replayed.
  const prompts = stage.prompts('Work on notes')
  assert.equal(prompts.length, 1, prompts.join('\n-----\n'))
  assert.equal(stage.prompts('=== result of tool call').length, 0)
}

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
  const names = NAMES[stage.client]
  assert.ok(names, `no tool names for ${stage.client}`)
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
  const answers = stage.tap.turns().map(({ answer }) => answer)
  assert.match(answers.join('\n'), /first: .*one line/s)
  assert.match(answers.join('\n'), /shell: .*two line/s)
  const prompts = stage
    .prompts('Work on notes')
    .filter((text) => !text.includes('Generate a title'))
  assert.equal(prompts.length, 1, prompts.join('\n-----\n'))
  assert.equal(stage.prompts('=== result of tool call').length, 0)
}

const toolLoop = (backend: string, run: Scenario['run']): Scenario => ({
  name: `tool loop, bridge on ${backend}`,
  script: { runs: [] },
  settings: { mode: 'bridge', backend, 'pool.warm': 0 },
  run,
})

export const toolLoops: readonly Scenario[] = ['acp', 'print'].map((on) => toolLoop(on, play))
/** For clients of Chat Completions. */
export const plainToolLoops: readonly Scenario[] = ['acp', 'print'].map((on) =>
  toolLoop(on, playPlain),
)
