// A client that is told to stop, one that is told to wait, and one whose answer breaks off.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { isAlive, until } from '../../support/until.ts'
import { OTHERWISE } from '../errand.ts'
import type { Scenario } from '../stage.ts'
import { answer, showed, shown } from './answers.ts'

export const cancel: Scenario = {
  name: 'cancel in the middle',
  script: () => ({
    runs: [
      {
        match: 'Think for ever',
        steps: [{ init: true }, { delta: 'One moment.' }, { grandchild: {} }, { hang: true }],
      },
      OTHERWISE,
    ],
  }),
  async run({ start, tap, service, prompts }) {
    const client = await start('Think for ever.')
    await until('the answer to begin', 60_000, () =>
      tap.turns().some((asked) => asked.answer.includes('One moment.')),
    )
    const helpers = (): readonly number[] =>
      service
        .journal()
        .filter(({ event }) => event === 'grandchild')
        .flatMap(({ pid, of }) => [Number(pid), Number(of)])
    await until('agent and helper to be up', 60_000, () => helpers().length === 2)
    client.signal('SIGINT')
    // Some take their time; nobody knows of it before they close the connection.
    await until('the client to leave', 20_000, () => tap.turns().some(({ left }) => left))
    await until('the agent to be gone', 2_000, () => !helpers().some(isAlive))
    await client.ended
    assert.equal(prompts('Think for ever').length, 1)
  },
}

/** Fails before any work is done, then works: the client waits as it is told and asks again. */
export const rateLimited: Scenario = {
  name: 'told to wait (429)',
  script: (scratch) => ({
    runs: [
      {
        match: 'Ask me later',
        once: join(scratch, 'limited'),
        steps: [{ stderr: 'Error: 429 rate limit exceeded\n' }, { exit: 1 }],
      },
      { match: 'Ask me later', steps: answer('Now it works.') },
      OTHERWISE,
    ],
  }),
  async run({ ask, tap, prompts }) {
    showed(await ask('Ask me later.'), 'Now it works.')
    assert.deepEqual(
      tap
        .about('Ask me later')
        .map(({ status }) => status)
        .toSorted((a, b) => b - a)
        .slice(0, 2),
      [429, 200],
    )
    assert.equal(prompts('Ask me later').length, 2)
  },
}

const MOST_TRIES = 8
const USUAL = { says: /the model went away/, runs: 1 }

export const brokenOff: Scenario = {
  name: 'failure in the middle',
  script: () => ({
    runs: [
      {
        match: 'Break off',
        steps: [
          { init: true },
          { delta: 'It begins well.' },
          { stderr: 'Error: the model went away\n' },
          { exit: 1 },
        ],
      },
      OTHERWISE,
    ],
  }),
  async run({ client, ask, tap, prompts }) {
    const { says, runs } = client.brokenOff ?? USUAL
    const ended = await ask('Break off.')
    assert.match(ended.stdout + ended.stderr, says, shown(ended))
    assert.ok(ended.ms < 60_000, `it took ${ended.ms} ms`)
    assert.equal(prompts('Break off').length, runs, 'the work was done again')
    const tries = tap.about('Break off').length
    assert.ok(tries <= MOST_TRIES, `it asked ${tries} times`)
  },
}
