// `setup --write`, `--undo` and `run` with the real clients.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { CLI, DEMO_AGENT } from '../../support/service.ts'
import { until } from '../../support/until.ts'
import { OTHERWISE } from '../errand.ts'
import { setup } from '../set-up.ts'
import type { Scenario } from '../stage.ts'
import { answer, showed, shown } from './answers.ts'

const script = (): object => ({
  runs: [{ match: 'How high is it', steps: answer('It is 8848 m high.') }, OTHERWISE],
})
/** A client that is led elsewhere may try for long: what it would ask of us comes within this time. */
const ELSEWHERE_MS = 8_000

const KEY = 'an-access-key-of-the-suite'

/** The client's set-up refers to the key, which stands in its environment only. */
export const withKey: Scenario = {
  name: 'access key',
  script,
  key: KEY,
  async run({ ask, tap, prompts }) {
    showed(await ask('How high is it?'), 'It is 8848 m high.')
    assert.ok(tap.turns().every(({ status }) => status === 200))
    assert.equal(prompts('How high is it').length, 1)
  },
}

export const writtenAndUndone: Scenario = {
  name: 'setup --write, --undo',
  script,
  without: ({ setup }) => (setup?.file === undefined ? 'setup only prints' : undefined),
  async run({ client, ask, start, asking, home, tap }) {
    const { name = '', file } = client.setup ?? {}
    if (file === undefined) throw new Error(`${client.name} has no file`)
    const path = join(home, file.path)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, file.text)
    showed(await ask('How high is it?'), 'It is 8848 m high.')
    assert.notEqual(readFileSync(path, 'utf8'), file.text)
    await setup([name, '--undo'], asking(''))
    assert.equal(readFileSync(path, 'utf8'), file.text)
    const before = tap.turns().length
    const client2 = await start('How high is it?')
    await Promise.race([client2.ended, delay(ELSEWHERE_MS)])
    assert.equal(tap.turns().length, before, 'it still asks us')
  },
}

export const startedByRun: Scenario = {
  name: 'run',
  script,
  key: KEY,
  without: ({ setup }) => (setup?.runArgs === undefined ? 'not one of those' : undefined),
  async run({ client, service, startProgram, asking, prompts }) {
    const { name = '', runArgs } = client.setup ?? {}
    const own = join(service.folder, 'adapter')
    await until('the service file', 15_000, () => existsSync(join(own, 'run/service.json')))
    const args = runArgs?.(asking('How high is it?')) ?? []
    const env = { CURSOR_ADAPTER_HOME: own, CURSOR_ADAPTER_CURSOR_CLI_PATH: DEMO_AGENT }
    const ended = await startProgram([process.execPath, CLI, 'run', name, ...args], env).ended
    showed(ended, 'It is 8848 m high.')
    assert.equal(prompts('How high is it').length, 1, shown(ended))
  },
}
