// A client that is told to stop, and one that is told to wait.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { stringAt } from '../../../src/lib/json.ts'
import { isAlive, until } from '../../support/until.ts'
import { OTHERWISE } from '../errand.ts'
import { resultOf } from '../heard.ts'
import type { Scenario } from '../stage.ts'

export const cancel: Scenario = {
  name: 'cancel in the middle',
  script: {
    runs: [
      {
        match: 'Think for ever',
        steps: [{ init: true }, { delta: 'One moment.' }, { grandchild: {} }, { hang: true }],
      },
      OTHERWISE,
    ],
  },
  async run({ start, tap, service, prompts }) {
    const client = start('Think for ever.')
    await until('the answer to begin', 60_000, () =>
      tap.turns().some(({ answer }) => answer.includes('One moment.')),
    )
    const pids = (): readonly number[] =>
      service
        .journal()
        .filter(({ event }) => event === 'prompt' || event === 'grandchild')
        .map(({ pid }) => Number(pid))
    await until('agent and helper to be up', 60_000, () => pids().length === 2)
    client.signal('SIGINT')
    await until('the agent to be gone', 2_000, () => !pids().some(isAlive))
    await client.ended
    assert.equal(prompts('Think for ever').length, 1)
  },
}

/** Fails before any work is done, then works: the client waits as it is told and asks again. */
export const rateLimited = (folder: string): Scenario => ({
  name: 'told to wait (429)',
  script: {
    runs: [
      {
        match: 'Ask me later',
        once: join(folder, 'limited'),
        steps: [{ stderr: 'Error: 429 rate limit exceeded\n' }, { exit: 1 }],
      },
      {
        match: 'Ask me later',
        steps: [{ init: true }, { delta: 'Now.' }, { recap: true }, { result: true }],
      },
      OTHERWISE,
    ],
  },
  async run({ ask, tap, prompts }) {
    const { code, messages } = await ask('Ask me later.')
    assert.equal(code, 0)
    assert.equal(stringAt(resultOf(messages), 'result'), 'Now.')
    assert.deepEqual(
      tap.turns().map(({ status }) => status),
      [429, 200],
    )
    assert.equal(prompts('Ask me later').length, 2)
  },
})
