// Plain use: one question, and a conversation of two turns whose second knows the first.
import assert from 'node:assert/strict'
import { OTHERWISE } from '../errand.ts'
import type { Ended } from '../running.ts'
import type { Scenario } from '../stage.ts'

export const answer = (text: string): readonly object[] => [
  { init: true },
  { delta: text },
  { recap: true },
  { result: true },
]

/** What a client showed, for messages of failed assertions. */
export const shown = ({ code, signal, stdout, stderr }: Ended): string =>
  `ended with ${code ?? signal}\n${stdout.slice(-2_000)}\n${stderr.slice(-2_000)}`

export function showed(ended: Ended, text: string): void {
  assert.equal(ended.code, 0, shown(ended))
  assert.ok(ended.stdout.includes(text), `no ${JSON.stringify(text)}: ${shown(ended)}`)
}

export const question: Scenario = {
  name: 'one question',
  script: () => ({
    runs: [{ match: 'How high is it', steps: answer('It is 8848 m high.') }, OTHERWISE],
  }),
  async run({ ask, tap, prompts }) {
    showed(await ask('How high is it?'), 'It is 8848 m high.')
    assert.ok(tap.turns().every(({ status }) => status === 200))
    assert.equal(prompts('How high is it').length, 1)
  },
}

export const conversation: Scenario = {
  name: 'two turns',
  script: () => ({
    runs: [
      { match: 'And in feet', steps: answer('29029 feet.') },
      { match: 'How high is it', steps: answer('It is 8848 m high.') },
      OTHERWISE,
    ],
  }),
  async run({ ask, prompts, tap }) {
    showed(await ask('How high is it?'), 'It is 8848 m high.')
    showed(await ask('And in feet?', true), '29029 feet.')
    const [prompt = '', ...more] = prompts('And in feet')
    assert.deepEqual(more, [])
    // An agent that goes on with its own session knows the first turn; any other must be told.
    if (tap.about('And in feet').some(({ start }) => start === 'resumed')) return
    const isTold = /How high is it\?[\s\S]*It is 8848 m high\.[\s\S]*And in feet\?/.test(prompt)
    assert.ok(isTold, `the first turn is not told: ${prompt.slice(-500)}`)
  },
}
