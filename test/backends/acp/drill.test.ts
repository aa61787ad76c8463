// The child dies at every step of its life: a right answer or a right error, no lost run, nothing left behind.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { backendFor } from '../../../src/backends/choose.ts'
import type { LaunchProfile } from '../../../src/core/job.ts'
import { Lab, type Step } from '../../contract/agent-lab.ts'
import { isAlive, until } from '../../support/until.ts'

let lab: Lab
beforeEach(() => {
  lab = new Lab(backendFor({ backend: 'acp' }), 'acp')
})
afterEach(() => lab.close())

const ANSWER: readonly Step[] = [{ delta: 'hello' }, { result: true }]
const KILL: Step = { signal: 'SIGKILL' }

async function nothingIsLeft(pid: number): Promise<void> {
  await until('the scratch folders to be gone', 5_000, () => lab.leftovers().length === 0)
  expect(isAlive(pid)).toBe(false)
}

describe('killed while answering', () => {
  const thinking: Partial<LaunchProfile> = { model: 'gpt-5.4-high', mode: 'ask' }
  test.each(['initialize', 'session/new', 'session/set_config_option', 'session/set_mode'])(
    '%s: the run may be repeated as it is, and the spare is spoiled',
    async (method) => {
      const agent = await lab.launch({
        steps: ANSWER,
        profile: thinking,
        script: { acp: { [method]: [KILL] } },
      })
      await agent.ready
      expect(agent.reusable).toBe(false)
      const job = lab.job('hi', [], { profile: lab.profile(thinking) })
      const { events } = await lab.run(agent, job)
      expect(events).toMatchObject([{ type: 'failure', code: 'agent-failed', again: 'same' }])
      expect(events[0]).toHaveProperty('message', expect.stringContaining('SIGKILL'))
      expect(lab.journal('prompt')).toEqual([])
      await agent.ended
      await nothingIsLeft(agent.pid)
    },
  )

  test.each(['session/load'])('%s: everything is sent anew elsewhere', async (method) => {
    const agent = await lab.launch({ steps: ANSWER, script: { acp: { [method]: [KILL] } } })
    const { terminal } = await lab.run(agent, lab.job('hi', [], { chatId: 'from elsewhere' }))
    expect(terminal).toMatchObject({ type: 'failure', again: 'fresh' })
    await agent.ended
    await nothingIsLeft(agent.pid)
  })
})

describe('killed in a prompt', () => {
  test.each<[string, readonly Step[], string]>([
    ['before its first word', [KILL], ''],
    ['in its text', [{ delta: 'half' }, KILL], 'half'],
    ['in a tool call', [{ toolStart: { kind: 'shellToolCall', id: 'c' } }, KILL], ''],
  ])('%s: fails without a repeat', async (_when, steps, text) => {
    const agent = await lab.launch({ steps })
    const ran = await lab.run(agent)
    expect(ran.text).toBe(text)
    expect(ran.terminal).toMatchObject({ type: 'failure', code: 'agent-failed' })
    expect(ran.terminal).not.toHaveProperty('again')
    expect(ran.terminal).toHaveProperty('message', expect.stringContaining('SIGKILL'))
    await agent.ended
    await nothingIsLeft(agent.pid)
  })

  test('by SIGTERM it exits with 143, and that is named', async () => {
    const agent = await lab.launch({ steps: [{ delta: 'x' }, { exit: 143 }] })
    const { terminal } = await lab.run(agent)
    expect(terminal).toHaveProperty('message', expect.stringContaining('SIGTERM'))
  })
})

test('killed between turns: the next run on it may be repeated as it is', async () => {
  const agent = await lab.launch({ steps: ANSWER })
  expect((await lab.run(agent)).text).toBe('hello')
  process.kill(agent.pid, 'SIGKILL')
  await agent.ended
  const { terminal } = await lab.run(agent)
  expect(terminal).toMatchObject({ type: 'failure', again: 'same' })
  await nothingIsLeft(agent.pid)
})

test('killed while cancelling: the run is cancelled, the child is not sound, nothing is left', async () => {
  const agent = await lab.launch({
    steps: [{ ignoreCancel: true }, { delta: 'x' }, { hang: true }],
  })
  let sound: Promise<boolean> | undefined
  const { terminal } = await lab.run(agent, lab.job('hi'), ({ events }) => {
    if (!events.some(({ type }) => type === 'text-delta')) return
    sound = agent.cancelRun?.('cancelled')
    process.kill(agent.pid, 'SIGKILL')
  })
  expect(terminal).toMatchObject({ code: 'cancelled' })
  expect(await sound).toBe(false)
  await agent.close('cancelled')
  await nothingIsLeft(agent.pid)
})

test('an answer that came just before the death is an answer', async () => {
  const agent = await lab.launch({ steps: ANSWER, script: { runs: [{ steps: [...ANSWER] }] } })
  const ran = await lab.run(agent)
  process.kill(agent.pid, 'SIGKILL')
  expect(ran.terminal?.type).toBe('finish')
  await agent.ended
  await nothingIsLeft(agent.pid)
})
