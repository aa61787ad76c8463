// Mode bridge: a user who says no, and one who stops a tool and says something else.
import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringAt } from '../../../src/lib/json.ts'
import { until } from '../../support/until.ts'
import { resultOf } from '../heard.ts'
import type { Scenario } from '../stage.ts'

const SETTINGS = { mode: 'bridge', backend: 'acp', 'pool.warm': 0 } as const
const OK = { steps: [{ init: true }, { delta: 'ok' }, { result: true }] }

/** Without a terminal nobody can be asked, so the client refuses the edit itself. */
export const refused: Scenario = {
  name: 'permission refused',
  script: () => ({ runs: [] }),
  settings: SETTINGS,
  careful: true,
  without: ({ canAsk }) => (canAsk === true ? undefined : 'cannot ask without a terminal'),
  async run({ ask, project, service, prompts }) {
    const file = join(project, 'notes.txt')
    writeFileSync(file, 'one line\n')
    const edit = { file_path: file, old_string: 'one', new_string: 'two', replace_all: false }
    const work = [
      { init: true },
      { call: { name: 'Read', arguments: { file_path: file } } },
      { call: { name: 'Edit', arguments: edit } },
      { delta: 'It said: $RESULT2' },
      { result: true },
    ]
    service.setScript({ runs: [{ match: 'Work on notes', steps: work }, OK] })
    const { code, messages, stderr } = await ask('Work on notes.txt, please.')
    assert.equal(code, 0, stderr)
    assert.equal(readFileSync(file, 'utf8'), 'one line\n')
    assert.match(stringAt(resultOf(messages), 'result') ?? '', /It said: .*permission/is)
    assert.equal(prompts('Work on notes').length, 1)
  },
}

export const stopped: Scenario = {
  name: 'stopped at a tool',
  without: ({ printsMessages }) =>
    printsMessages === true ? undefined : 'played with the tools of Claude Code',
  script: () => ({ runs: [] }),
  settings: SETTINGS,
  async run({ ask, start, project, service, prompts }) {
    const mark = join(project, 'began')
    const shell = { command: `touch ${mark}; sleep 60`, description: 'Wait' }
    const work = [
      { init: true },
      { delta: 'I wait. ' },
      { call: { name: 'Bash', arguments: shell } },
      { delta: 'never said' },
      { result: true },
    ]
    const afresh = {
      match: 'Something else',
      steps: [{ init: true }, { delta: 'something else' }, { result: true }],
    }
    service.setScript({ runs: [afresh, { match: 'Wait a minute', steps: work }, OK] })
    const client = await start('Wait a minute, please.')
    await until('the tool to run', 60_000, () => existsSync(mark))
    client.signal('SIGINT')
    await client.ended
    const { code, messages, stderr } = await ask('Something else, please.', true)
    assert.equal(code, 0, stderr)
    assert.equal(stringAt(resultOf(messages), 'result'), 'something else')
    assert.equal(prompts('Wait a minute').length, 2)
    await until('nothing to wait any more', 10_000, async () => {
      return (await service.metric('cursor_adapter_parked_calls')) === 0
    })
  },
}
