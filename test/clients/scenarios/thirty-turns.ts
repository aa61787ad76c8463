// A long conversation, one client process per turn, as people use `--continue`: one agent session, and only what is new is
// sent to it. Once per backend.
import assert from 'node:assert/strict'
import { stringAt } from '../../../src/lib/json.ts'
import { promptFacts, quiet } from '../../support/talk.ts'
import { OTHERWISE } from '../errand.ts'
import { resultOf } from '../heard.ts'
import type { Scenario } from '../stage.ts'

const TURNS = 30
/** The first prompt holds what the client says about itself and its tools; later ones only what is new. */
const LATER_BYTES = 4096

const thirtyTurns = (backend: 'print' | 'acp'): Scenario => ({
  name: `thirty turns over ${backend}`,
  // A chat of print mode is kept only when its process ended by itself, and this machine may be busy.
  settings: { backend, 'pool.exit_grace': 20 },
  without: ({ printsMessages, name }) =>
    printsMessages === true && name.startsWith('Claude Code')
      ? undefined
      : 'played with Claude Code',
  script: () => ({
    runs: [
      { match: 'Step \\d+ of', steps: [{ init: true }, { delta: 'Done.' }, { result: true }] },
      OTHERWISE,
    ],
  }),
  async run({ ask, service }) {
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const { code, messages, stderr } = await ask(`Step ${turn} of ${TURNS}, please.`, turn > 1)
      assert.equal(code, 0, stderr)
      assert.equal(stringAt(resultOf(messages), 'result'), 'Done.')
      await quiet(service)
    }
    const facts = promptFacts(service).filter(({ text }) => /Step \d+ of/.test(text))
    assert.equal(facts.length, TURNS)
    // The first prompt of print mode begins a chat; its id is only in the later ones.
    const sessions = new Set(facts.slice(backend === 'acp' ? 0 : 1).map(({ session }) => session))
    assert.equal(sessions.size, 1, JSON.stringify([...sessions]))
    assert.notDeepEqual([...sessions], [''])
    for (const [index, { text }] of facts.entries()) {
      const steps = text.match(/Step \d+ of/g) ?? []
      assert.deepEqual(steps, [`Step ${index + 1} of`])
      if (index > 0) assert.ok(text.length < LATER_BYTES, `${text.length} characters: ${text}`)
    }
  },
})

export const thirtyTurnsPrint = thirtyTurns('print')
export const thirtyTurnsAcp = thirtyTurns('acp')
