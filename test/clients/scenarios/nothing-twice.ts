// What Cursor did is seen once and done once, also when the run fails after its edit.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringAt } from '../../../src/lib/json.ts'
import type { Client } from '../client.ts'
import { EDIT_STEPS, EDITED_FILE, EDITED_ONCE, ERRAND_STEPS, OTHERWISE } from '../errand.ts'
import { blocksOf, ofType, resultOf, sentBlocks, strings, textsOf } from '../heard.ts'
import type { Scenario, Stage } from '../stage.ts'
import { answer, showed } from './answers.ts'

const edited = ({ project }: Stage): string => readFileSync(join(project, EDITED_FILE), 'utf8')

/** The client ran no tool: it neither showed nor sent a result of its own. */
function ranNothing({ tap }: Stage, messages: readonly Readonly<Record<string, unknown>>[]): void {
  assert.deepEqual(ofType(blocksOf(messages, 'assistant'), /^tool_use$/), [])
  assert.deepEqual(ofType(blocksOf(messages, 'user'), /^tool_result$/), [])
  for (const { body } of tap.turns()) {
    assert.deepEqual(ofType(sentBlocks(body), /^tool_(?:use|result)$/), [])
  }
}

const without = ({ printsMessages }: Client): string | undefined =>
  printsMessages === true ? undefined : 'read from messages only Claude Code prints'

export const nothingTwice: Scenario = {
  name: 'nothing twice',
  without,
  handsOver: true,
  script: () => ({ runs: [{ match: 'Run the errand', steps: ERRAND_STEPS }, OTHERWISE] }),
  async run(stage) {
    const { code, messages, stderr } = await stage.ask('Run the errand.')
    assert.equal(code, 0, stderr)
    assert.equal(edited(stage), EDITED_ONCE)
    ranNothing(stage, messages)
    assert.equal(stage.prompts('Run the errand').length, 1)

    const blocks = blocksOf(messages, 'assistant')
    const calls = ofType(blocks, /^server_tool_use$/)
    assert.deepEqual(strings(calls, 'name'), ['Read', 'Edit', 'Bash', 'Agent', 'Agent', 'Agent'])
    const results = ofType(blocks, /_tool_result$/)
    const ids = strings(calls, 'id')
    assert.equal(new Set(ids).size, calls.length)
    assert.deepEqual(strings(results, 'tool_use_id').toSorted(), ids.toSorted())
    assert.equal(textsOf(blocks), 'I look first.All of it is done.')

    assert.equal(stringAt(resultOf(messages), 'result'), 'All of it is done.')
    assert.equal(resultOf(messages).is_error, false)
    const [turn, ...more] = stage.tap.turns()
    assert.deepEqual(more, [])
    assert.match(turn?.answer ?? '', /"stop_reason":"end_turn"/)
  },
}

/** `streams`: how the client asks, in order. */
const failing = (streams: readonly boolean[]): Pick<Scenario, 'script' | 'run'> => ({
  script: () => ({
    runs: [
      {
        match: 'Run the errand',
        steps: [
          { init: true },
          { delta: 'I edit.' },
          { recap: 'm1' },
          ...EDIT_STEPS,
          { stderr: 'Error: the model went away\n' },
          { exit: 1 },
        ],
      },
      OTHERWISE,
    ],
  }),
  async run(stage) {
    const { messages, ms } = await stage.ask('Run the errand.')
    assert.equal(edited(stage), EDITED_ONCE)
    assert.equal(stage.prompts('Run the errand').length, 1)
    ranNothing(stage, messages)
    assert.ok(ms < 60_000, `it took ${ms} ms`)
    const result = resultOf(messages)
    assert.equal(result.is_error, true, JSON.stringify(result))
    assert.match(stringAt(result, 'result') ?? '', /the model went away/)
    const asked = stage.tap.turns().map(({ body }) => body.stream ?? false)
    assert.deepEqual(asked, streams)
  },
})

/** Whole blocks were shown: the client sends them back and asks to go on. */
export const failureAfterEdit: Scenario = {
  name: 'failure after the edit',
  without,
  handsOver: true,
  ...failing([true, true]),
}

/** The block of text is open when the stream breaks: the client asks again without streaming. */
export const failureAfterHiddenEdit: Scenario = {
  name: 'failure after a hidden edit',
  without,
  handsOver: true,
  settings: { 'tools.show': 'off' },
  ...failing([true, false]),
}

/** Cursor's own calls of the first turn stand in the prompt of the second as done. */
export const errandRemembered: Scenario = {
  name: 'done work remembered',
  without,
  handsOver: true,
  // A version that is not known to resume: the whole transcript is told again.
  env: { CURSOR_ADAPTER_DEMO_VERSION: '2026.10.01-abcdef0' },
  script: () => ({
    runs: [
      { match: 'What did you do', steps: answer('I edited a file.') },
      { match: 'Run the errand', steps: ERRAND_STEPS },
      OTHERWISE,
    ],
  }),
  async run({ ask, prompts }) {
    showed(await ask('Run the errand.'), 'All of it is done.')
    showed(await ask('What did you do?', true), 'I edited a file.')
    const [prompt = '', ...more] = prompts('What did you do')
    assert.deepEqual(more, [])
    assert.match(prompt, /Run the errand\./)
    assert.match(prompt, /I look first\./)
    assert.match(prompt, /already done: Edit was run with file_path: notes\.txt/)
    assert.match(prompt, /already done: Bash \(wc -l notes\.txt\) returned: 1 notes\.txt/)
    assert.match(prompt, /already done: Agent \(Test review\) returned: No tests\./)
    assert.match(prompt, /All of it is done\./)
  },
}
