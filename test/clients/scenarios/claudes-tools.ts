// Mode bridge with all of Claude Code's own tools: the client runs them because Cursor asks, and one run sees all results.
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

const claudesTools = (backend: string): Scenario => ({
  name: `Claude's own tools (${backend})`,
  without: ({ printsMessages }) =>
    printsMessages === true ? undefined : 'played with the tools of Claude Code',
  script: () => ({ runs: [] }),
  settings: { mode: 'bridge', backend, 'pool.warm': 0 },
  run: play,
})

export const claudesToolsAcp = claudesTools('acp')
export const claudesToolsPrint = claudesTools('print')
