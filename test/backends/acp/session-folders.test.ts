// Folders of scratch sessions in one ACP child: nothing of a conversation that is over stays, or is met by another.
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { SessionFolders } from '../../../src/backends/acp/session-folders.ts'
import type { Agent } from '../../../src/backends/backend.ts'
import { backendFor } from '../../../src/backends/choose.ts'
import type { LaunchProfile } from '../../../src/core/job.ts'
import { stringAt } from '../../../src/lib/json.ts'
import { Lab, type Step } from '../../contract/agent-lab.ts'
import { within } from '../../support/pace.ts'
import { until } from '../../support/until.ts'

describe('the folders', () => {
  let parent: string
  let folders: SessionFolders
  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'session-folders-'))
    folders = new SessionFolders(parent)
  })
  afterEach(() => {
    folders.over()
    rmSync(parent, { recursive: true, force: true })
  })

  test('an untouched one is used again, under a new name', () => {
    const one = folders.make()
    const { ino } = statSync(one)
    folders.giveBack(one, true)
    const two = folders.make()
    expect(two).not.toBe(one)
    expect(existsSync(one)).toBe(false)
    expect(statSync(two)).toMatchObject({ ino })
    expect(statSync(two).mode & 0o777).toBe(0o700)
  })

  test('one in which something lies after all is not', async () => {
    const one = folders.make()
    folders.giveBack(one, true)
    writeFileSync(join(one, 'late.txt'), 'of another conversation')
    const two = folders.make()
    expect(readdirSync(two)).toEqual([])
    await until('the first to be gone', within(3_000), () => !existsSync(one))
    expect(existsSync(two)).toBe(true)
  })

  test('nor is it left lying until somebody looks', async () => {
    const one = folders.make()
    writeFileSync(join(one, 'early.txt'), 'of a conversation that is over')
    folders.giveBack(one, true)
    await until('it to be gone', within(3_000), () => !existsSync(one))
  })

  test('one that somebody removed is not missed', () => {
    const one = folders.make()
    folders.giveBack(one, true)
    rmSync(one, { recursive: true })
    expect(readdirSync(folders.make())).toEqual([])
  })

  test('what was touched goes soon, also while others come all the time', async () => {
    const one = folders.make()
    writeFileSync(join(one, 'notes.txt'), 'of a conversation that is over')
    folders.giveBack(one, false)
    await until('the first to be gone', 4_000, () => {
      folders.giveBack(folders.make(), false)
      return !existsSync(one)
    })
  })
})

describe('with an agent', () => {
  let lab: Lab
  beforeEach(() => {
    lab = new Lab(backendFor({ backend: 'acp' }), 'acp')
  })
  afterEach(() => lab.close())

  const placeOf = (event: string, at: number): string =>
    stringAt(lab.journal(event).at(at) ?? {}, 'cwd') ?? ''
  const inode = (path: string): number => statSync(path).ino

  /** Runs one prompt in a session of its own, keeps it, and forgets it. `look` sees its folder before. */
  async function runAndForget(
    agent: Agent,
    change: Partial<LaunchProfile> = {},
    look: (cwd: string) => void = () => undefined,
  ): Promise<string> {
    const job = lab.job('hi', [], { profile: lab.profile(change), keep: true })
    expect((await lab.run(agent, job)).terminal).toMatchObject({ type: 'finish' })
    const cwd = placeOf('prompt', -1)
    look(cwd)
    const kept = agent.kept?.()
    agent.forget?.(kept?.backend === 'acp' ? kept.chatId : '')
    return cwd
  }

  const SAY: Step = { delta: 'hello' }
  const OK: Step = { result: true }

  test('words leave a folder as it was: the next session has it', async () => {
    const agent = await lab.launch({ steps: [SAY, OK] })
    let first = 0
    const one = await runAndForget(agent, {}, (cwd) => {
      first = inode(cwd)
    })
    await runAndForget(agent, {}, (cwd) => expect(inode(cwd)).toBe(first))
    expect(existsSync(one)).toBe(false)
  })

  test.each<[string, readonly Step[]]>([
    ['a tool that was shown', [{ attempt: { kind: 'readToolCall', args: {}, result: {} } }]],
    ['a question only', [{ permission: { title: 'x', kind: 'read', allowed: [], rejected: [] } }]],
  ])('after %s it is not used again', async (_what, steps) => {
    const agent = await lab.launch({ steps: [SAY, ...steps, OK] })
    let first = 0
    await runAndForget(agent, {}, (cwd) => {
      first = inode(cwd)
    })
    await runAndForget(agent, {}, (cwd) => expect(inode(cwd)).not.toBe(first))
  })

  test('rules that were written for a session go with it', async () => {
    const rules = [{ name: 'cursor-adapter-x.mdc', text: 'a skill of one client' }]
    const agent = await lab.launch({ steps: [SAY, OK], profile: { rules } })
    const cwd = await runAndForget(agent, { rules }, (folder) =>
      expect(existsSync(join(folder, '.cursor/rules/cursor-adapter-x.mdc'))).toBe(true),
    )
    await until('its folder to be gone', within(3_000), () => !existsSync(cwd))
  })

  test('a session whose model there is not is given back', async () => {
    const agent = await lab.launch({ steps: [SAY, OK] })
    await agent.ready
    const work = dirname(placeOf('session', 0))
    for (const _ of [1, 2, 3]) {
      const job = lab.job('hi', [], { profile: lab.profile({ model: 'kimi-k3-medium' }) })
      const { terminal } = await lab.run(agent, job)
      expect(terminal).toMatchObject({ code: 'model-not-found' })
    }
    expect(lab.journal('session').length).toBeGreaterThan(2)
    await until('one folder at most', within(3_000), () => readdirSync(work).length <= 1)
  })
})
