// Plain use: one question, and a conversation of two turns whose second knows what was done in the first.
import assert from 'node:assert/strict'
import { stringAt } from '../../../src/lib/json.ts'
import { ERRAND_STEPS, OTHERWISE } from '../errand.ts'
import { resultOf, strings } from '../heard.ts'
import type { Scenario } from '../stage.ts'

const answer = (text: string): readonly object[] => [
  { init: true },
  { delta: text },
  { recap: true },
  { result: true },
]

export const question: Scenario = {
  name: 'one question',
  script: { runs: [{ match: 'How high is it', steps: answer('It is 8848 m high.') }, OTHERWISE] },
  async run({ ask, tap, prompts }) {
    const { code, messages } = await ask('How high is it?')
    assert.equal(code, 0)
    assert.equal(resultOf(messages).is_error, false)
    assert.equal(stringAt(resultOf(messages), 'result'), 'It is 8848 m high.')
    assert.deepEqual(
      tap.turns().map(({ status }) => status),
      [200],
    )
    assert.equal(prompts('How high is it').length, 1)
  },
}

export const conversation: Scenario = {
  name: 'a conversation of two turns',
  script: {
    runs: [
      { match: 'What did you do', steps: answer('I edited a file.') },
      { match: 'Run the errand', steps: ERRAND_STEPS },
      OTHERWISE,
    ],
  },
  async run({ ask, tap, prompts }) {
    const first = await ask('Run the errand.')
    assert.equal(first.code, 0, first.stderr)
    const second = await ask('What did you do?', true)
    assert.equal(second.code, 0, second.stderr)
    assert.equal(stringAt(resultOf(second.messages), 'result'), 'I edited a file.')
    assert.deepEqual(
      strings(
        tap.turns().map(({ body }) => body),
        'model',
      ),
      ['auto', 'auto'],
    )
    const [prompt, ...more] = prompts('What did you do')
    assert.deepEqual(more, [])
    assert.match(prompt ?? '', /Run the errand\./)
    assert.match(prompt ?? '', /I look first\./)
    assert.match(prompt ?? '', /already done: Edit was run with file_path: notes\.txt/)
    assert.match(prompt ?? '', /already done: Bash \(wc -l notes\.txt\) returned: 1 notes\.txt/)
    assert.match(prompt ?? '', /already done: Agent \(Test review\) returned: No tests\./)
    assert.match(prompt ?? '', /All of it is done\./)
  },
}
